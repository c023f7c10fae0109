"""Channels as tables: how likely a released level is for an original level, as a ratio to chance.

A channel starts from a kernel of two positions (ranks or values) and is then balanced: against the frequencies of the
original levels every released level has the mean ratio 1, and against those of the released levels every original
level has. Without that, levels in dense places would attract everything.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.types import Float

LAPLACE, BOX, GAUSS, STUDENT = 0, 1, 2, 3
ROUNDS = 12
TINY = 1e-30


def kernel(kind: int, y: Float, x: Float, y_width: Float, x_width: Float, scale: float) -> Float:
    """Return the kernel of every released position and every original one (released × original).

    Args:
        kind: LAPLACE, BOX, GAUSS or STUDENT (three degrees of freedom).
        y: Position of each released level; NaN says nothing.
        x: Position of each original level; NaN says nothing.
        y_width: How wide each released level is: it stands for positions that far apart.
        x_width: The same for original levels.
        scale: Scale of the kernel, in the unit of the positions.
    """
    table: Float = _kernel(kind, y, x, y_width, x_width, scale)
    return table


@njit(nogil=True, cache=True)
def _kernel(kind, y, x, y_width, x_width, scale) -> Any:  # type: ignore[no-untyped-def]
    table = np.empty((y.size, x.size))
    for b in range(y.size):
        for a in range(x.size):
            blur = (y_width[b] * y_width[b] + x_width[a] * x_width[a]) / 12.0
            far = abs(y[b] - x[a])
            if far != far:
                table[b, a] = 1.0
            elif kind == LAPLACE:
                table[b, a] = np.exp(-far / (scale + np.sqrt(blur)))
            elif kind == BOX:
                # Levels that overlap the edge of the box lie partly inside.
                edge = 0.5 * (y_width[b] + x_width[a]) + 1e-12
                table[b, a] = min(1.0, max(0.0, (scale + edge - far) / (2.0 * edge)))
            elif kind == GAUSS:
                spread = scale * scale + blur
                table[b, a] = np.exp(-0.5 * far * far / spread) / np.sqrt(spread)
            else:
                spread = scale * scale + blur
                fall = 1.0 + far * far / (3.0 * spread)
                table[b, a] = 1.0 / (fall * fall * np.sqrt(spread))
    return table


def balanced(table: Float, y_share: Float, x_share: Float, noise: float) -> Float:
    """Return a kernel as ratios to chance, balanced in both directions, with a share of pure chance mixed in.

    Args:
        table: Kernel, released × original levels, not negative.
        y_share: Frequency of each released level; 0 for one that says nothing (its ratios are 1).
        x_share: Frequency of each original level; 0 for one that says nothing.
        noise: Share of released values that are drawn anew from all.
    """
    ratios: Float = _balanced(table, y_share, x_share, noise)
    return ratios


@njit(nogil=True, cache=True)
def _balanced(table, y_share, x_share, noise) -> Any:  # type: ignore[no-untyped-def]
    rows, columns = table.shape
    left, right = np.ones(rows), np.ones(columns)
    sums = np.empty(columns)
    for _ in range(ROUNDS):
        worst = 0.0
        for b in range(rows):
            if y_share[b] > 0:
                total = 0.0
                for a in range(columns):
                    total += right[a] * x_share[a] * table[b, a]
                before = left[b]
                left[b] = 1.0 / max(total, TINY)
                worst = max(worst, abs(before - left[b]) / left[b])
        # Original levels come last: a channel is a probability for each of them, or likelihoods mean nothing.
        sums[:] = 0.0
        for b in range(rows):
            if y_share[b] > 0:
                weight = left[b] * y_share[b]
                for a in range(columns):
                    sums[a] += weight * table[b, a]
        for a in range(columns):
            right[a] = 1.0 / max(sums[a], TINY) if x_share[a] > 0 else 0.0
        if worst < 0.01:
            break
    ratios = np.ones((rows, columns))
    for b in range(rows):
        if y_share[b] > 0:
            for a in range(columns):
                if x_share[a] > 0:
                    ratios[b, a] = (1.0 - noise) * left[b] * right[a] * table[b, a] + noise
    return ratios


def class_means(ratios: Float, levels: np.ndarray, members: np.ndarray, start: np.ndarray) -> Float:
    """Return for every class of released rows the mean ratio of its members (classes × original levels).

    Args:
        ratios: Channel, released × original levels.
        levels: Released level of every released row.
        members: Released rows, class by class.
        start: Class g is members[start[g]:start[g + 1]].
    """
    means: Float = _class_means(ratios, levels, members, start)
    return means


@njit(nogil=True, cache=True)
def _class_means(ratios, levels, members, start) -> Any:  # type: ignore[no-untyped-def]
    means = np.zeros((start.size - 1, ratios.shape[1]))
    for g in range(start.size - 1):
        size = start[g + 1] - start[g]
        for at in range(start[g], start[g + 1]):
            level = levels[members[at]]
            for a in range(ratios.shape[1]):
                means[g, a] += ratios[level, a] / size
    return means

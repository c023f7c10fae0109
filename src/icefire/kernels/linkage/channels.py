"""Channels as tables: how likely a released level is for an original level, as a ratio to chance.

A channel starts from a kernel of two positions (ranks or values) and is then balanced: against the frequencies of the
original levels every released level has the mean ratio 1, and against those of the released levels every original
level has. Without that, levels in dense places would attract everything.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.types import Float

LAPLACE, BOX, GAUSS, STUDENT = 0, 1, 2, 3
ROUNDS = 12
TINY = 1e-30
EVEN = 0.01
"""Relative change of all factors below which a kernel is balanced."""


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
    table = np.empty((len(y), len(x)))
    _kernel(kind, y, x, y_width, x_width, scale, table)
    return table


@njit(nogil=True, cache=True)
def _kernel(kind, y, x, y_width, x_width, scale, table):  # type: ignore[no-untyped-def]
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


def balanced(table: Float, y_share: Float, x_share: Float, noise: float) -> Float:
    """Return a kernel as ratios to chance, balanced in both directions, with a share of pure chance mixed in.

    Args:
        table: Kernel, released × original levels, not negative.
        y_share: Frequency of each released level; 0 for one that says nothing (its ratios are 1).
        x_share: Frequency of each original level; 0 for one that says nothing.
        noise: Share of released values that are drawn anew from all.
    """
    kernel: Float = balanced_tables(table, y_share, x_share, np.array([noise]))[0]
    return kernel


def balanced_tables(table: Float, y_share: Float, x_share: Float, noises: Float) -> Float:
    """Return the same for several shares of pure chance: shares × released × original levels."""
    shown = np.flatnonzero(y_share > 0)
    left, right, weight = np.ones(len(y_share)), np.ones(len(x_share)), np.empty(len(x_share))
    _balance(table, shown, y_share, x_share, left, right, weight, np.empty(len(shown)))
    ratios = np.ones((len(noises), *table.shape))
    _mix(table, shown, x_share, left, right, noises, ratios)
    return ratios


@njit(nogil=True, cache=True)
def _balance(table, shown, y_share, x_share, left, right, weight, totals):  # type: ignore[no-untyped-def]
    """Set the factors of released levels (`left`) and original levels (`right`) that balance a kernel."""
    columns = table.shape[1]
    whole = shown.size - shown.size % 4
    for _ in range(ROUNDS):
        worst = 0.0
        for a in range(columns):
            weight[a] = right[a] * x_share[a]
        # Four rows at a time: the sum of one alone would wait for each addition before the next.
        for at in range(0, whole, 4):
            one, two, three, four = shown[at], shown[at + 1], shown[at + 2], shown[at + 3]
            p, q, r, s = 0.0, 0.0, 0.0, 0.0
            for a in range(columns):
                p += weight[a] * table[one, a]
                q += weight[a] * table[two, a]
                r += weight[a] * table[three, a]
                s += weight[a] * table[four, a]
            totals[at], totals[at + 1], totals[at + 2], totals[at + 3] = p, q, r, s
        for at in range(whole, shown.size):
            total = 0.0
            for a in range(columns):
                total += weight[a] * table[shown[at], a]
            totals[at] = total
        for at in range(shown.size):
            before = left[shown[at]]
            after = 1.0 / max(totals[at], TINY)
            left[shown[at]] = after
            worst = max(worst, abs(before - after) / after)
        # Original levels come last: a channel is a probability for each of them, or likelihoods mean nothing.
        for a in range(columns):
            weight[a] = 0.0
        for b in shown:
            share = left[b] * y_share[b]
            for a in range(columns):
                weight[a] += share * table[b, a]
        for a in range(columns):
            right[a] = 1.0 / max(weight[a], TINY) if x_share[a] > 0 else 0.0
        if worst < EVEN:
            break


@njit(nogil=True, cache=True)
def _mix(table, shown, x_share, left, right, noises, ratios):  # type: ignore[no-untyped-def]
    """Write the balanced kernel into `ratios`, with every share of chance; levels that say nothing keep their 1."""
    for k in range(noises.size):
        for b in shown:
            kept = (1.0 - noises[k]) * left[b]
            for a in range(x_share.size):
                if x_share[a] > 0:
                    ratios[k, b, a] = kept * right[a] * table[b, a] + noises[k]


def class_means(ratios: Float, levels: np.ndarray, members: np.ndarray, start: np.ndarray) -> Float:
    """Return for every class of released rows the mean ratio of its members (classes × original levels).

    Args:
        ratios: Channel, released × original levels.
        levels: Released level of every released row.
        members: Released rows, class by class.
        start: Class g is members[start[g]:start[g + 1]].
    """
    means = np.zeros((len(start) - 1, ratios.shape[1]))
    _class_means(ratios, levels, members, start, means)
    return means


@njit(nogil=True, cache=True)
def _class_means(ratios, levels, members, start, means):  # type: ignore[no-untyped-def]
    for g in range(start.size - 1):
        size = start[g + 1] - start[g]
        for at in range(start[g], start[g + 1]):
            level = levels[members[at]]
            for a in range(ratios.shape[1]):
                means[g, a] += ratios[level, a] / size

"""The functions of `channels` for small tables, by numpy: nothing need be compiled for them.

They differ in the last digits. Which of the two modules is used must depend on the size of the tables alone.
"""

from __future__ import annotations

import numpy as np

from icefire.kernels.linkage.channels import BOX, EVEN, GAUSS, LAPLACE, ROUNDS, TINY
from icefire.kernels.types import Float


def kernel(kind: int, y: Float, x: Float, y_width: Float, x_width: Float, scale: float) -> Float:
    """Return the kernel of every released position and every original one (released × original); see `channels`."""
    far = np.abs(y[:, None] - x[None, :])
    if kind == BOX:
        edge = 0.5 * (y_width[:, None] + x_width[None, :]) + 1e-12
        table = np.clip((scale + edge - far) / (2.0 * edge), 0.0, 1.0)
    else:
        blur = ((y_width * y_width)[:, None] + (x_width * x_width)[None, :]) / 12.0
        spread = scale * scale + blur
        if kind == LAPLACE:
            table = np.exp(-far / (scale + np.sqrt(blur)))
        elif kind == GAUSS:
            table = np.exp(-0.5 * far * far / spread) / np.sqrt(spread)
        else:
            table = 1.0 / ((1.0 + far * far / (3.0 * spread)) ** 2 * np.sqrt(spread))
    return np.where(np.isnan(far), 1.0, table)


def balanced(table: Float, y_share: Float, x_share: Float, noise: float) -> Float:
    """Return a kernel as ratios to chance, balanced in both directions, with a share of pure chance mixed in."""
    ratios: Float = balanced_tables(table, y_share, x_share, np.array([noise]))[0]
    return ratios


def balanced_tables(table: Float, y_share: Float, x_share: Float, noises: Float) -> Float:
    """Return the same for several shares of pure chance: shares × released × original levels."""
    shown, known = y_share > 0, x_share > 0
    left, right = _factors(table[shown], y_share[shown], x_share)
    kept = left[:, None] * right * table[shown]
    ratios = np.ones((len(noises), *table.shape))
    ratios[:, shown] = np.where(known, (1.0 - noises)[:, None, None] * kept + noises[:, None, None], 1.0)
    return ratios


def _factors(table: Float, y_share: Float, x_share: Float) -> tuple[Float, Float]:
    """Return the factors of released and of original levels that balance a kernel."""
    left, right = np.ones(len(y_share)), np.ones(len(x_share))
    for _ in range(ROUNDS):
        # Not by a product of matrices: its last digits depend on the number of threads.
        after = 1.0 / np.maximum(np.einsum("ba,a->b", table, right * x_share), TINY)
        worst = float((np.abs(left - after) / after).max(initial=0.0))
        left = after
        right = np.where(x_share > 0, 1.0 / np.maximum(np.einsum("b,ba->a", left * y_share, table), TINY), 0.0)
        if worst < EVEN:
            break
    return left, right


def class_means(ratios: Float, levels: np.ndarray, members: np.ndarray, start: np.ndarray) -> Float:
    """Return for every class of released rows the mean ratio of its members (classes × original levels)."""
    sizes = np.diff(start)
    counts = np.zeros((len(sizes), len(ratios)))
    np.add.at(counts, (np.repeat(np.arange(len(sizes)), sizes), levels[members]), 1.0)
    means: Float = np.einsum("gb,ba->ga", counts, ratios) / sizes[:, None]
    return means

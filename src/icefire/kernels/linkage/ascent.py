"""The marginal likelihood of sampled released rows, for one column at a time.

`weights[j, i]` is the product over all columns of the ratios of sampled row j and original row i, up to a factor per
row. To compare channels of one column, its present ratio is divided out and the rest is summed by original level: after
that a channel costs one pass over levels, however many rows there are.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.types import Float, Int, Int32


def level_sums(weights: Float, rows: Float, x_levels: Int32, levels: int) -> Float:
    """Return for every sampled row the weight of all other columns, summed by original level.

    Args:
        weights: Sampled rows × original rows.
        rows: Present ratios of the column: sampled rows × levels.
        x_levels: Level of every original row.
        levels: Number of original levels.
    """
    sums = np.zeros((len(weights), levels))
    calls = [(weights, rows, x_levels, sums, a, b) for a, b in threads.spans(len(weights), 8, 16)]
    threads.starmap(_level_sums, calls)
    return sums


@njit(nogil=True, cache=True)
def _level_sums(weights, rows, x_levels, sums, start, stop):  # type: ignore[no-untyped-def]
    for j in range(start, stop):
        for i in range(x_levels.size):
            sums[j, x_levels[i]] += weights[j, i]
        for a in range(sums.shape[1]):
            sums[j, a] /= rows[j, a]


def log_likelihood(sums: Float, ratios: Float, levels: Int) -> float:
    """Return the sum over sampled rows of the log of their weight, for one channel of the column.

    Args:
        sums: See `level_sums`.
        ratios: Channel: released × original levels.
        levels: Released level of every sampled row.
    """
    return float(_log_likelihood(sums, ratios, levels))


@njit(nogil=True, cache=True)
def _log_likelihood(sums, ratios, levels):  # type: ignore[no-untyped-def]
    total = 0.0
    for j in range(levels.size):
        mass = 0.0
        for a in range(sums.shape[1]):
            mass += sums[j, a] * ratios[levels[j], a]
        total += np.log(max(mass, 1e-300))
    return total


def exchange(weights: Float, before: Float, after: Float, x_levels: Int32) -> Float:
    """Replace the ratios of a column in the weights, in place, and scale every row to the largest weight 1.

    Args:
        weights: Sampled rows × original rows.
        before: Ratios that the column had: sampled rows × levels.
        after: Ratios that it gets.
        x_levels: Level of every original row.

    Returns:
        The log of the factor that each sampled row was divided by.
    """
    scale = np.empty(len(weights))
    calls = [(weights, before, after, x_levels, scale, a, b) for a, b in threads.spans(len(weights), 8, 16)]
    threads.starmap(_exchange, calls)
    return scale


@njit(nogil=True, cache=True)
def _exchange(weights, before, after, x_levels, scale, start, stop):  # type: ignore[no-untyped-def]
    factor = np.empty(before.shape[1])
    for j in range(start, stop):
        for a in range(factor.size):
            factor[a] = after[j, a] / before[j, a]
        largest = 1e-300
        for i in range(x_levels.size):
            weights[j, i] *= factor[x_levels[i]]
            largest = max(largest, weights[j, i])
        for i in range(x_levels.size):
            weights[j, i] /= largest
        scale[j] = np.log(largest)

"""The marginal likelihood of sampled released rows, for one column at a time, and that of a balanced matching.

`weights[j, i]` is the product over all columns of the ratios of sampled row j and original row i, up to a factor per
row. To compare channels of one column, its present ratio is divided out and the rest is summed by original level: after
that a channel costs one pass over levels, however many rows there are.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.types import Float, Int, Int32

LEAST = 1e-6
"""Weights below this are nothing."""
FAR = 1e50
"""Largest weights of a row beyond this, or below its inverse, are brought back to 1."""


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
    # Four rows at a time: a level that occurs twice in a row would make the second sum wait for the first.
    for j in range(start, stop - 3, 4):
        for i in range(x_levels.size):
            level = x_levels[i]
            sums[j, level] += weights[j, i]
            sums[j + 1, level] += weights[j + 1, i]
            sums[j + 2, level] += weights[j + 2, i]
            sums[j + 3, level] += weights[j + 3, i]
    for j in range(stop - (stop - start) % 4, stop):
        for i in range(x_levels.size):
            sums[j, x_levels[i]] += weights[j, i]
    for j in range(start, stop):
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
    whole = sums.shape[1] - sums.shape[1] % 4
    for j in range(levels.size):
        by_level, row = sums[j], ratios[levels[j]]
        # Four sums: one alone would wait for each addition before the next.
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for i in range(0, whole, 4):
            a += by_level[i] * row[i]
            b += by_level[i + 1] * row[i + 1]
            c += by_level[i + 2] * row[i + 2]
            d += by_level[i + 3] * row[i + 3]
        for i in range(whole, row.size):
            a += by_level[i] * row[i]
        total += np.log(max((a + b) + (c + d), 1e-300))
    return total


def expected_log_likelihood(seen: Float, ratios: Float) -> float:
    """Return the expected log-likelihood of a channel: the log of its ratios, weighted by how often levels meet.

    Args:
        seen: Posterior weight of every pair of levels: released × original.
        ratios: Channel: released × original levels.
    """
    return float(_expected(seen, ratios))


@njit(nogil=True, cache=True)
def _expected(seen, ratios):  # type: ignore[no-untyped-def]
    total = 0.0
    for b in range(seen.shape[0]):
        for a in range(seen.shape[1]):
            if seen[b, a] > LEAST:
                total += seen[b, a] * np.log(ratios[b, a])
    return total


def balance(weights: Float, rounds: int) -> None:
    """Make weights posterior weights of a matching, in place: 1 per sampled row, at most 1 per original row.

    Args:
        weights: Sampled rows × original rows.
        rounds: How often both sides are balanced; the sampled rows come last.
    """
    rows, n = weights.shape
    share, totals = np.ones(n), np.empty(rows)
    by_row = [(weights, share, totals, a, b) for a, b in threads.spans(rows, 8, 16)]
    by_original = [(weights, share, totals, a, b) for a, b in threads.spans(n, 4096, 16)]
    for turn in range(rounds + 1):
        threads.starmap(_row_totals, by_row)
        threads.starmap(_shares if turn < rounds else _posterior, by_original)


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def _row_totals(weights, share, totals, start, stop):  # type: ignore[no-untyped-def]
    for j in range(start, stop):
        total = 1e-300
        for i in range(share.size):
            total += weights[j, i] * share[i]
        totals[j] = total


@njit(nogil=True, cache=True)
def _shares(weights, share, totals, start, stop):  # type: ignore[no-untyped-def]
    """Set the share that original rows have in every released row: less than 1 for those in demand more than once."""
    demand = np.zeros(stop - start)
    for j in range(totals.size):
        factor = 1.0 / totals[j]
        for i in range(start, stop):
            demand[i - start] += weights[j, i] * factor
    for i in range(start, stop):
        share[i] = 1.0 / max(1.0, demand[i - start])


@njit(nogil=True, cache=True)
def _posterior(weights, share, totals, start, stop):  # type: ignore[no-untyped-def]
    for j in range(totals.size):
        for i in range(start, stop):
            weights[j, i] *= share[i] / totals[j]


def exchange(weights: Float, before: Float, after: Float, x_levels: Int32) -> Float:
    """Replace the ratios of a column in the weights, in place; rows that become too large or small are scaled.

    Args:
        weights: Sampled rows × original rows.
        before: Ratios that the column had: sampled rows × levels.
        after: Ratios that it gets.
        x_levels: Level of every original row.

    Returns:
        The log of the factor that each sampled row was divided by; 0 for most.
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
        scale[j] = 0.0
        if not 1.0 / FAR < largest < FAR:
            for i in range(x_levels.size):
                weights[j, i] /= largest
            scale[j] = np.log(largest)

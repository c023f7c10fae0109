"""The marginal likelihood of sampled released rows, for one column at a time, and that of a balanced matching.

`weights[j, i]` is the product over all columns of the ratios of sampled row j and original row i, up to a factor per
row. To compare channels of one column, its present ratio is divided out and the rest is summed by original level: after
that a channel costs one pass over levels, however many rows there are.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.types import Bool, Float, Int, Int32

LEAST = 1e-6
"""Weights below this are nothing."""
FAR = 1e50
"""Largest weights of a row beyond this, or below its inverse, are brought back to 1."""
TINY = 1e-300
"""Largest weights are at least this."""


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


def log_likelihoods(sums: Float, tables: Float, levels: Int) -> Float:
    """Return for each of several channels of the column the sum over sampled rows of the log of their weight.

    Args:
        sums: See `level_sums`. One more than the original levels: the weight of people whom no value makes likelier.
        tables: Channels × released × original levels.
        levels: Released level of every sampled row.
    """
    weights = np.empty((len(tables), len(levels)))
    # Rows of one released level after the other: a table is then read from its beginning to its end.
    order = np.argsort(levels, kind="stable")
    calls = [(sums, tables, levels, order, weights, a, b) for a, b in threads.spans(len(tables), 4, 16)]
    threads.starmap(_row_weights, calls)
    # Logarithms by numpy, many at once, take a fifth of the time of those of a compiled function.
    logs: Float = np.log(np.maximum(weights, 1e-300)).sum(axis=1)
    return logs


@njit(nogil=True, cache=True)
def _row_weights(sums, tables, levels, order, weights, start, stop):  # type: ignore[no-untyped-def]
    """Weigh every sampled row under every channel from `start` to `stop`."""
    width, known = sums.shape[1], tables.shape[2]
    inside, whole = known - known % 4, width - width % 4
    for k in range(start, stop):
        for j in order:
            by_level, row = sums[j], tables[k, levels[j]]
            # Four sums: one alone would wait for each addition before the next.
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            for i in range(0, inside, 4):
                a += by_level[i] * row[i]
                b += by_level[i + 1] * row[i + 1]
                c += by_level[i + 2] * row[i + 2]
                d += by_level[i + 3] * row[i + 3]
            for i in range(inside, width):
                part = by_level[i] * row[i] if i < known else by_level[i]
                place = i % 4 if i < whole else 0
                if place == 0:
                    a += part
                elif place == 1:
                    b += part
                elif place == 2:
                    c += part
                else:
                    d += part
            weights[k, j] = (a + b) + (c + d)


def expected_log_likelihoods(seen: Float, tables: Float) -> Float:
    """Return for each channel the expected log-likelihood: the log of its ratios, weighted by how often levels meet.

    Args:
        seen: Posterior weight of every pair of levels: released × original.
        tables: Channels × released × original levels.
    """
    pairs = np.flatnonzero(seen.ravel() > LEAST)
    weights, ratios = seen.ravel()[pairs], tables.reshape(len(tables), -1)
    totals = np.empty(len(tables))
    for a, b in threads.spans(len(tables), 4, 16):
        totals[a:b] = (np.log(ratios[a:b, pairs]) * weights).sum(axis=1)
    return totals


def balance(weights: Float, rounds: int) -> None:
    """Make weights posterior weights of a matching, in place: 1 per sampled row, at most 1 per original row.

    Args:
        weights: Sampled rows × original rows.
        rounds: How often both sides are balanced; the sampled rows come last.
    """
    rows, n = weights.shape
    share, totals, demand = np.ones(n), np.empty(rows), np.empty(n)
    by_row = [(weights, share, totals, a, b) for a, b in threads.spans(rows, 8, 16)]
    by_original = [(weights, share, totals, demand, a, b) for a, b in threads.spans(n, 4096, 16)]
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
def _shares(weights, share, totals, demand, start, stop):  # type: ignore[no-untyped-def]
    """Set the share that original rows have in every released row: less than 1 for those in demand more than once."""
    for i in range(start, stop):
        demand[i] = 0.0
    for j in range(totals.size):
        factor = 1.0 / totals[j]
        for i in range(start, stop):
            demand[i] += weights[j, i] * factor
    for i in range(start, stop):
        share[i] = 1.0 / max(1.0, demand[i])


@njit(nogil=True, cache=True)
def _posterior(weights, share, totals, _, start, stop):  # type: ignore[no-untyped-def]
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
    largest = np.empty(len(weights))
    factors = after / before
    calls = [(weights, factors, x_levels, largest, a, b) for a, b in threads.spans(len(weights), 8, 16)]
    threads.starmap(_exchange, calls)
    return np.where(_is_scaled(largest), np.log(largest), 0.0)


@njit(nogil=True, cache=True)
def _exchange(weights, factors, x_levels, largest, start, stop):  # type: ignore[no-untyped-def]
    for j in range(start, stop):
        top = 1e-300
        for i in range(x_levels.size):
            weights[j, i] *= factors[j, x_levels[i]]
            top = max(top, weights[j, i])
        largest[j] = top
        if not 1.0 / FAR < top < FAR:
            for i in range(x_levels.size):
                weights[j, i] /= top


def _is_scaled(largest: Float) -> Bool:
    """Tell which rows are divided by their largest weight."""
    return ~((largest > 1.0 / FAR) & (largest < FAR))


def first_weights(rows: Float, levels: Int32, start: Int) -> tuple[Float, Float]:
    """Return the weight of every original row for every sampled one by all columns, and the log of the row's factor.

    Args:
        rows: Ratios of all columns side by side: sampled rows × levels of all columns.
        levels: Levels of the original rows: columns × original rows.
        start: Where the levels of each column start in `rows`.
    """
    weights, scale = np.empty((len(rows), levels.shape[1])), np.zeros(len(rows))
    calls = [(weights, rows, levels, start, scale, a, b) for a, b in threads.spans(len(rows), 8, 16)]
    threads.starmap(_first_weights, calls)
    return weights, scale


@njit(nogil=True, cache=True)
def _first_weights(weights, rows, levels, start, scale, first, last):  # type: ignore[no-untyped-def]
    # Four columns at a time: weights are written and compared once for them, and stay far from what a float can hold.
    by_four = start.size - start.size % 4
    for j in range(first, last):
        of_row = weights[j]
        for i in range(of_row.size):
            of_row[i] = 1.0
        for c in range(0, by_four, 4):
            p, q = rows[j, start[c] :], rows[j, start[c + 1] :]
            r, s = rows[j, start[c + 2] :], rows[j, start[c + 3] :]
            largest = 1e-300
            for i in range(of_row.size):
                weight = of_row[i] * p[levels[c, i]] * q[levels[c + 1, i]]
                weight = weight * r[levels[c + 2, i]] * s[levels[c + 3, i]]
                of_row[i] = weight
                largest = max(largest, weight)
            scale[j] += _scaled(of_row, largest)
        for c in range(by_four, start.size):
            factor = rows[j, start[c] :]
            largest = 1e-300
            for i in range(of_row.size):
                of_row[i] *= factor[levels[c, i]]
                largest = max(largest, of_row[i])
            scale[j] += _scaled(of_row, largest)


@njit(nogil=True, cache=True)
def _scaled(of_row, largest):  # type: ignore[no-untyped-def]
    """Divide the weights of a row by the largest if it is too large or small; return the log of the divisor."""
    if 1.0 / FAR < largest < FAR:
        return 0.0
    for i in range(of_row.size):
        of_row[i] /= largest
    return np.log(largest)

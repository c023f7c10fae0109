"""Statistics of a sensitive value in every class, from which the privacy models are checked.

Classes are rows sorted by class and where each begins (as in `Blocks`). Each statistic is computed from the class's
histogram: its values in ascending order and how often each occurs. Counts stay whole numbers as long as possible: with
c of s rows in the class and t of n in the table, c/s > t/n is the comparison c·n > t·s, exact up to 3 billion rows.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import compiled_if_worth
from icefire.kernels.common.ranges import offsets
from icefire.kernels.common.shell_sort import shell_sort
from icefire.kernels.types import Float, Int, Int32

L_DISTINCT, L_ENTROPY, L_RECURSIVE, ALPHA, T_EQUAL, T_ORDERED, BETA, BETA_ENHANCED, DELTA = range(9)
LAST_HIGHER = L_RECURSIVE
"""Up to this one the smallest value over the classes is the worst, after it the largest."""
ROUNDING = 1e-12
"""Rounding error of the statistics: a value nearer than this to a whole number or a bound is equal to it."""


@njit(nogil=True, cache=True)
def _histogram(codes, rows, begin, end, tally, values, counts):  # type: ignore[no-untyped-def]
    """Write the distinct values of a class, ascending, and their counts; returns how many there are."""
    size, distinct = end - begin, 0
    if 4 * size > len(tally):  # hardly more values than rows: counting beats sorting
        tally[:] = 0
        for i in range(begin, end):
            tally[codes[rows[i]]] += 1
        for value in range(len(tally)):
            if tally[value] > 0:
                values[distinct], counts[distinct] = value, tally[value]
                distinct += 1
        return distinct
    for i in range(size):
        values[i] = codes[rows[begin + i]]
    shell_sort(values[:size])
    for i in range(size):
        if distinct > 0 and values[distinct - 1] == values[i]:
            counts[distinct - 1] += 1
        else:
            values[distinct], counts[distinct] = values[i], 1
            distinct += 1
    return distinct


@njit(nogil=True, cache=True)
def _entropy(counts, size):  # type: ignore[no-untyped-def]
    """Return the number of equally frequent values with the same entropy: exp(-Σ c/s ln c/s)."""
    total = 0.0
    for count in counts:
        total += count * math.log(count)
    value = size * math.exp(-total / size)
    whole = np.rint(value)
    return whole if abs(value - whole) <= ROUNDING * value else value


@njit(nogil=True, cache=True)
def _recursive(counts, size, c):  # type: ignore[no-untyped-def]
    """Return the largest l with r_1 < c (r_l + … + r_m), counts r descending; 0 if not even l = 1 holds."""
    ascending = counts.copy()
    shell_sort(ascending)
    largest, tail, level = ascending[-1], size, 0
    for place in range(len(ascending) - 1, -1, -1):
        if largest >= c * tail:
            break
        level += 1
        tail -= ascending[place]
    return float(level)


@njit(nogil=True, cache=True)
def _gains(values, counts, size, totals, n):  # type: ignore[no-untyped-def]
    """Return the equal-distance EMD, basic β, enhanced β (infinite where no β will do) and δ, in one pass."""
    moved, beta, delta, bounded = 0, 0.0, 0.0, True
    for value, count in zip(values, counts):  # noqa: B905 (numba)
        here, there = count * n, totals[value] * size
        delta = max(delta, abs(math.log(here / there)))
        if here > there:
            moved += here - there
            gain = (here - there) / there
            beta = max(beta, gain)
            bounded &= gain <= math.log(n / totals[value]) + ROUNDING
    return moved / size / n, beta, beta if bounded else np.inf, delta


@njit(nogil=True, cache=True)
def _summed_gap(below, area, begin, end, mass, size):  # type: ignore[no-untyped-def]
    """Return the sum of |mass - size·below[i]| for i in begin … end - 1; below ascends, and area holds its sums."""
    low, high = begin, end
    while low < high:
        middle = (low + high) >> 1
        if below[middle] * size < mass:
            low = middle + 1
        else:
            high = middle
    under = mass * float(low - begin) - float(area[low] - area[begin]) * size
    over = float(area[end] - area[low]) * size - mass * float(end - low)
    return under + over


@njit(nogil=True, cache=True)
def _ordered(values, counts, size, below, area, n):  # type: ignore[no-untyped-def]
    """Return the EMD over ranks: mean over the m - 1 steps between values of the difference of the cumulated shares.

    Only the values present are visited; the steps between two of them are summed at once.
    """
    if len(below) < 2:
        return 0.0
    # Of a fixed type, or the function called would be compiled for the constant, too.
    total, mass, begin = 0.0, 0, np.int64(0)
    for value, count in zip(values, counts):  # noqa: B905 (numba)
        total += _summed_gap(below, area, begin, value, mass * n, size)
        mass += count
        begin = value
    total += _summed_gap(below, area, begin, len(below), mass * n, size)
    return total / size / n / (len(below) - 1)


@njit(nogil=True, cache=True)
def _largest(counts):  # type: ignore[no-untyped-def]
    """Return the largest count."""
    largest = 0
    for count in counts:
        largest = max(largest, count)
    return largest


@njit(nogil=True, cache=True)
def _describe(values, counts, size, totals, below, area, wanted, c, out):  # type: ignore[no-untyped-def]
    """Write the wanted statistics of one histogram."""
    n = below[-1]
    walked = False
    for place, name in enumerate(wanted):
        if name == L_DISTINCT:
            out[place] = len(values)
        elif name == L_ENTROPY:
            out[place] = _entropy(counts, size)
        elif name == L_RECURSIVE:
            out[place] = _recursive(counts, size, c)
        elif name == ALPHA:
            out[place] = _largest(counts) / size
        elif name == T_ORDERED:
            out[place] = _ordered(values, counts, size, below, area, n)
        else:
            if not walked:
                t, beta, enhanced, delta = _gains(values, counts, size, totals, n)
                walked = True
            out[place] = t if name == T_EQUAL else beta if name == BETA else delta if name == DELTA else enhanced


@njit(nogil=True, cache=True)
def _describe_classes(codes, rows, start, totals, below, area, wanted, c, out, begin, end):  # type: ignore[no-untyped-def]
    """Describe classes begin … end - 1: each in its row of `out`, or all in a single row that keeps the worst."""
    largest = 0
    for block in range(begin, end):
        largest = max(largest, start[block + 1] - start[block])
    values, counts = np.empty(largest, np.int64), np.empty(largest, np.int64)
    tally, statistics = np.empty(len(totals), np.int64), np.empty(len(wanted))
    for block in range(begin, end):
        size = start[block + 1] - start[block]
        if size == 0:
            continue
        distinct = _histogram(codes, rows, start[block], start[block + 1], tally, values, counts)
        _describe(values[:distinct], counts[:distinct], size, totals, below, area, wanted, c, statistics)
        row = block if len(out) > 1 else 0
        for place, name in enumerate(wanted):
            if name <= LAST_HIGHER:
                out[row, place] = min(out[row, place], statistics[place])
            else:
                out[row, place] = max(out[row, place], statistics[place])


def statistics_per_class(codes: Int32, totals: Int, rows: Int, start: Int, wanted: Int, c: float) -> Float:
    """Return the wanted statistics of every class.

    Args:
        codes: For each row of the table the code of its sensitive value.
        totals: For each code how many rows of the table have it.
        rows: The rows sorted by class.
        start: Where each class begins in `rows`, and one more for the end.
        wanted: Statistics by number: L_DISTINCT, …, DELTA.
        c: Constant of recursive (c, l)-diversity.

    Returns:
        classes × wanted. An empty class gets the best value of every statistic: infinite or 0.
    """
    out = _best_values(len(start) - 1, wanted)
    _describe_all(codes, totals, rows, start, wanted, c, [out] * len(class_spans(start)))
    return out


def worst_statistics(codes: Int32, totals: Int, rows: Int, start: Int, wanted: Int, c: float) -> Float:
    """Return the worst value of each wanted statistic over all classes.

    Args:
        codes: For each row of the table the code of its sensitive value.
        totals: For each code how many rows of the table have it.
        rows: The rows sorted by class.
        start: Where each class begins in `rows`, and one more for the end.
        wanted: Statistics by number: L_DISTINCT, …, DELTA.
        c: Constant of recursive (c, l)-diversity.

    Returns:
        One value per wanted statistic.
    """
    outs = [_best_values(1, wanted) for _ in class_spans(start)]
    _describe_all(codes, totals, rows, start, wanted, c, outs)
    statistics = np.concatenate(outs)
    extremes: Float = np.where(wanted <= LAST_HIGHER, statistics.min(axis=0), statistics.max(axis=0))
    return extremes


def _best_values(classes: int, wanted: Int) -> Float:
    """Return what an empty class has: infinite where more is better, 0 where less is."""
    return np.tile(np.where(wanted <= LAST_HIGHER, np.inf, 0.0), (classes, 1))


def class_spans(start: Int) -> list[tuple[int, int]]:
    """Cut the classes into spans of about equally many rows, for the threads; the cuts depend on the data alone."""
    edges = np.array([end for _, end in threads.spans(int(start[-1]), 1 << 12)])
    inner = np.searchsorted(start[:-1], edges[:-1])
    return list(pairwise([0, *(int(edge) for edge in np.unique(inner) if edge), len(start) - 1]))


def _describe_all(codes: Int32, totals: Int, rows: Int, start: Int, wanted: Int, c: float, outs: list[Float]) -> None:
    """Describe every span of classes on the thread pool, each into its own entry of `outs`."""
    below = np.cumsum(totals)
    area = offsets(below)
    arguments = (codes, rows, start, totals, below, area, wanted, c)
    describe = compiled_if_worth(_describe_classes, len(rows) * (len(wanted) + 2))
    threads.starmap(describe, [(*arguments, out, *cut) for out, cut in zip(outs, class_spans(start), strict=True)])

"""Rows in the order of a kd-tree: parts of a table split at medians again and again, so that near rows lie together."""

from __future__ import annotations

from itertools import pairwise

import numba
import numpy as np

from icefire.kernels.common import threads
from icefire.kernels.types import Float, Int

BIG = 1 << 15  # parts of more rows are split by all threads
SHARED = 5  # levels after which the 32 pieces of a big part go to the threads
SAMPLE_BITS = 7  # the widest column is chosen from some 128 rows
BOTTOM = 62  # a level below every leaf


def median_split_order(
    table: Float,
    rows: Int,
    start: Int,
    depth: Int,
) -> Int:
    """Return the rows of each part in kd-tree order: split at the median of a column, again and again.

    After `level` splits, piece j of a part of n rows lies from n * j >> level to n * (j + 1) >> level.

    Args:
        table: rows × columns.
        rows: Row numbers: part t is rows[start[t]:start[t + 1]].
        start: See `rows`.
        depth: How many times each part is split.

    Returns:
        The row numbers of each part in their new order. O(n · depth) on average.
    """
    order = rows.copy()
    common = (table, order, np.empty(len(order)), start, depth)
    big = np.flatnonzero((np.diff(start) > BIG) & (depth >= SHARED)).tolist()
    for level in range(SHARED):
        threads.starmap(_split, [(*common, t, t + 1, level, j, level + 1) for t in big for j in range(1 << level)])
    pieces = [(t, t + 1, SHARED, j, BOTTOM) for t in big for j in range(1 << SHARED)]
    edges = [-1, *big, len(depth)]
    for before, after in pairwise(edges):
        for first, last in threads.spans(after - before - 1, smallest=8):
            pieces.append((before + 1 + first, before + 1 + last, 0, 0, BOTTOM))
    threads.starmap(_split, [(*common, *piece) for piece in pieces])
    return order


@numba.njit(nogil=True, cache=True)
def _split(table, order, keys, start, depth, first, last, level, index, until):  # type: ignore[no-untyped-def]
    """Split piece `index` of `level` of parts first … last - 1, down to level `until` or to their depth."""
    for t in range(first, last):
        size = start[t + 1] - start[t]
        for step in range(min(until, depth[t]) - level):
            now = level + step
            for j in range(index << step, (index + 1) << step):
                low = start[t] + (size * j >> now)
                high = start[t] + (size * (j + 1) >> now)
                column = _widest(table, order, low, high)
                for i in range(low, high):
                    keys[i] = table[order[i], column]
                _select(keys, order, low, high - 1, start[t] + (size * (2 * j + 1) >> (now + 1)))


@numba.njit(nogil=True, cache=True, inline="always")
def _widest(table, order, low, high):  # type: ignore[no-untyped-def]
    """Return the column in which a sample of the rows varies most, by mean absolute deviation.

    The range would follow the few largest values of skewed columns. The choice changes no result of a search.
    """
    step = 1 + (high - low >> SAMPLE_BITS)
    count = 1 + (high - low - 1) // step
    best, widest = 0, 0.0
    for c in range(table.shape[1]):
        total, spread = 0.0, 0.0
        for i in range(low, high, step):
            total += table[order[i], c]
        for i in range(low, high, step):
            spread += abs(table[order[i], c] - total / count)
        if spread > widest:
            best, widest = c, spread
    return best


@numba.njit(nogil=True, cache=True, inline="always")
def _select(keys, order, low, high, middle):  # type: ignore[no-untyped-def]
    """Reorder keys[low:high + 1] so that none before `middle` is above one after it (Hoare's quickselect)."""
    while low < high:
        a, b, c = keys[low], keys[(low + high) >> 1], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while pivot < keys[j]:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return

"""The nearest single value, over all of X or inside blocks; ties go to the lowest row."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels import threads

Int = NDArray[np.int64]
Float = NDArray[np.float64]


@njit(nogil=True, cache=True)
def _first_at_least(values, low, high, wanted):  # type: ignore[no-untyped-def]
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@njit(nogil=True, cache=True)
def _nearest(values, rows, low, high, wanted):  # type: ignore[no-untyped-def]
    """Nearest of values[low:high], which ascend and have ascending rows inside a run of equal ones."""
    right = _first_at_least(values, low, high, wanted)
    best, row = np.inf, np.int64(-1)
    # Rounding can give distinct values the same distance: walk outwards while it does not grow.
    at = right
    while at < high and abs(values[at] - wanted) <= best:
        best, row = abs(values[at] - wanted), rows[at] if abs(values[at] - wanted) < best else min(row, rows[at])
        at = _first_at_least(values, at, high, np.nextafter(values[at], np.inf))
    at = right - 1
    while at >= low and abs(values[at] - wanted) <= best:
        at = _first_at_least(values, low, at, values[at])
        distance = abs(values[at] - wanted)
        row = rows[at] if distance < best else min(row, rows[at])
        best = distance
        at -= 1
    return row


@njit(nogil=True, cache=True)
def _search_blocks(values, rows, x_start, y, y_rows, y_start, answer, begin, end):  # type: ignore[no-untyped-def]
    for block in range(begin, end):
        for at in range(y_start[block], y_start[block + 1]):
            target = y_rows[at]
            answer[target] = _nearest(values, rows, x_start[block], x_start[block + 1], y[target])


@njit(nogil=True, cache=True)
def _deal(order, labels, free, out):  # type: ignore[no-untyped-def]
    """Put rows, taken in order of their value, behind one another in their blocks."""
    for row in order:
        block = labels[row]
        out[free[block]] = row
        free[block] += 1


def nearest_value_in_blocks(x: Float, y: Float, x_rows: Int, x_start: Int, y_rows: Int, y_start: Int) -> Int:
    """For each row of y the row of x in its block with the nearest value; -1 without candidate."""
    labels = np.empty(len(x), np.int64)
    labels[x_rows] = np.repeat(np.arange(len(x_start) - 1), np.diff(x_start))
    rows = np.empty(len(x_rows), np.int64)
    _deal(np.argsort(x, kind="stable"), labels, x_start[:-1].copy(), rows)
    answer = np.full(len(y), -1, np.int64)
    values = x[rows]
    spans = threads.spans(len(x_start) - 1, smallest=256)
    threads.run(_search_blocks, [(values, rows, x_start, y, y_rows, y_start, answer, a, b) for a, b in spans])
    return answer


@njit(nogil=True, cache=True)
def _search(values, rows, y, answer, begin, end):  # type: ignore[no-untyped-def]
    for target in range(begin, end):
        answer[target] = _nearest(values, rows, 0, len(values), y[target])


def nearest_value(x: Float, y: Float) -> Int:
    """For each value of y the row of x with the nearest value."""
    order = np.argsort(x, kind="stable").astype(np.int64)
    answer = np.empty(len(y), np.int64)
    values = x[order]
    threads.run(_search, [(values, order, y, answer, a, b) for a, b in threads.spans(len(y))])
    return answer

"""Nearest rows by one number, everywhere or inside blocks; ties go to the lowest row.

The distance is |x - y| as a double, so that distinct values can tie by rounding. Blocks are four arrays: block b holds
the rows x_rows[x_start[b]:x_start[b + 1]] of X, and y_rows likewise of Y.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numba
import numpy as np

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import compiled_if_worth, is_little
from icefire.kernels.common.sorted_arrays import lower_bound
from icefire.kernels.types import Float, Int

NO_ROW = np.iinfo(np.int64).max  # loses every tie
PACKED = 1 << 14  # from so many rows on, whole numbers are sorted packed with block and row into one number
NEAR = 8  # places that are looked at before the rest of a block
EXACT = 1 << 52  # differences of whole numbers up to this are exact
SMALL = 1024  # larger blocks are sorted by numpy, smaller ones inside the kernel
STRIDES = (701, 301, 132, 57, 23, 10, 4, 1)  # of a Shell sort, by Ciura


def nearest_value(x: Float, y: Float) -> Int:
    """Return for each value of y the row of x with the nearest value, -1 if x is empty; of equals the lowest row."""
    x_start, y_start = np.array([0, len(x)]), np.array([0, len(y)])
    return nearest_value_in_blocks(x, y, np.arange(len(x)), x_start, np.arange(len(y)), y_start)


def nearest_value_in_blocks(x: Float, y: Float, x_rows: Int, x_start: Int, y_rows: Int, y_start: Int) -> Int:
    """Return for each row of y the row of x in its block with the nearest value, -1 without a candidate.

    O(n log n): the values of each block are sorted once and searched by bisection.

    Args:
        x: Value of each candidate.
        y: Value of each target.
        x_rows: Block b holds the candidates x_rows[x_start[b]:x_start[b + 1]].
        x_start: See `x_rows`.
        y_rows: Block b holds the targets y_rows[y_start[b]:y_start[b + 1]].
        y_start: See `y_rows`.

    Returns:
        One row of x for each row of y; of equally near ones the lowest.
    """
    x, y = np.ascontiguousarray(x, np.float64), np.ascontiguousarray(y, np.float64)
    blocks = (x_rows, x_start, y_rows, y_start)
    candidates, values, ends, targets = _packed(x, y, *blocks) or _sorted(x, y, *blocks)
    return _search_all(values, candidates, x_start, ends, y, targets, y_start)


Sorted = tuple[Int, Float, Int, Int]
"""Candidates and their values, sorted by value inside each block, equal ones merged under their lowest row; where the
merged ones of each block end; the targets, sorted by value at least inside large blocks."""


def _sorted(x: Float, y: Float, x_rows: Int, x_start: Int, y_rows: Int, y_start: Int) -> Sorted:
    """Sort the values of each block by themselves."""
    candidates, targets, values = x_rows.copy(), y_rows.copy(), np.empty(len(x_rows))
    # Searching in order of value keeps the part of x that is searched in the cache.
    large = [(y, targets, span) for span in _large(y_start)] + [(x, candidates, span) for span in _large(x_start)]
    threads.starmap(_sort_large, large)
    ends = np.empty(len(x_start) - 1, np.int64)
    edges = np.searchsorted(x_start, [low for low, _ in threads.spans(len(candidates))]).tolist()
    spans = pairwise([*edges, len(ends)])
    sort = compiled_if_worth(_sort, len(candidates) * len(STRIDES))
    threads.starmap(sort, [(x, values, candidates, x_start, ends, *span) for span in spans])
    return candidates, values, ends, targets


def _packed(x: Float, y: Float, x_rows: Int, x_start: Int, y_rows: Int, y_start: Int) -> Sorted | None:
    """Sort whole numbers as one number of block, value and row; None if values are no whole numbers or too large."""
    if is_little(len(x_rows) + len(y_rows), PACKED) or not len(x_rows) or not len(y_rows):
        return None
    ends = [float(end) for end in (x.min(), x.max(), y.min(), y.max())]
    if not all(abs(end) <= EXACT for end in ends):  # also where one is NaN
        return None
    lowest = math.floor(min(ends))
    widest = (math.ceil(max(ends)) - lowest).bit_length()
    row = max(len(x), len(y)).bit_length()
    if row + widest + len(x_start).bit_length() > 62:
        return None
    packed = np.empty(len(x_rows), np.int64), np.empty(len(y_rows), np.int64)
    whole = threads.starmap(
        _pack,
        [(x, x_rows, x_start, lowest, widest, row, packed[0]), (y, y_rows, y_start, lowest, widest, row, packed[1])],
    )
    if not all(whole):
        return None
    threads.starmap(np.ndarray.sort, [(side,) for side in packed])
    candidates, values, merged = np.empty_like(x_rows), np.empty(len(x_rows)), np.empty(len(x_start) - 1, np.int64)
    _unpack(packed[0], x_start, lowest, widest, row, candidates, values, merged)
    return candidates, values, merged, packed[1] & ((1 << row) - 1)


@numba.njit(nogil=True, cache=True)
def _pack(values, rows, start, lowest, widest, row_bits, packed):  # type: ignore[no-untyped-def]
    """Pack block, value and row into one number each; returns whether all values are whole numbers."""
    whole = True
    for block in range(start.size - 1):
        for i in range(start[block], start[block + 1]):
            value = values[rows[i]]
            number = np.int64(value)
            whole &= value == number
            packed[i] = (((block << widest) | (number - np.int64(lowest))) << row_bits) | rows[i]
    return whole


@numba.njit(nogil=True, cache=True)
def _unpack(packed, start, lowest, widest, row_bits, rows, values, ends):  # type: ignore[no-untyped-def]
    """Write rows and values of each block as `_sort` leaves them, and where the distinct ones end."""
    for block in range(ends.size):
        end = start[block]
        for i in range(start[block], start[block + 1]):
            # Sorted by row as well: the first of equals has the lowest.
            value = np.float64(((packed[i] >> row_bits) & ((np.int64(1) << widest) - 1)) + np.int64(lowest))
            if end == start[block] or values[end - 1] != value:
                values[end], rows[end] = value, packed[i] & ((np.int64(1) << row_bits) - 1)
                end += 1
        ends[block] = end


def _search_all(values: Float, rows: Int, x_start: Int, ends: Int, y: Float, targets: Int, y_start: Int) -> Int:
    """Search for all targets on the thread pool."""
    nearest = np.full(len(y), -1, np.int64)
    common = (values, rows, x_start, ends, y, targets, y_start, nearest)
    spans = threads.spans(len(targets))
    blocks = np.searchsorted(y_start, [low for low, _ in spans], side="right") - 1
    search = compiled_if_worth(_search, len(targets) * 16)
    threads.starmap(search, [(*common, block, *span) for block, span in zip(blocks.tolist(), spans, strict=True)])
    return nearest


def _large(start: Int) -> list[slice]:
    """Return the ranges of large blocks."""
    return [slice(start[b], start[b + 1]) for b in np.flatnonzero(np.diff(start) > SMALL)]


def _sort_large(values: Float, rows: Int, span: slice) -> None:
    """Sort the rows of one large block by value."""
    rows[span] = rows[span][np.argsort(values[rows[span]])]


@numba.njit(nogil=True, cache=True)
def _sort(x, values, rows, start, ends, first, last):  # type: ignore[no-untyped-def]
    """Copy the values of blocks, sort them where they are few, and merge equal ones under their lowest row."""
    for block in range(first, last):
        low, high = start[block], start[block + 1]
        for i in range(low, high):
            values[i] = x[rows[i]]
        if high - low <= SMALL:
            _shell_sort(values, rows, low, high)
        end = low
        for i in range(low, high):
            if end > low and values[i] == values[end - 1]:
                rows[end - 1] = min(rows[end - 1], rows[i])
            else:
                values[end], rows[end] = values[i], rows[i]
                end += 1
        ends[block] = end


@numba.njit(nogil=True, cache=True, inline="always")
def _shell_sort(values, rows, low, high):  # type: ignore[no-untyped-def]
    """Sort values and rows from low to high by value."""
    for stride in STRIDES:
        for i in range(low + stride, high):
            value, row, j = values[i], rows[i], i
            while j >= low + stride and value < values[j - stride]:
                values[j], rows[j] = values[j - stride], rows[j - stride]
                j -= stride
            values[j], rows[j] = value, row


@numba.njit(nogil=True, cache=True)
def _search(values, rows, start, ends, y, y_rows, y_start, nearest, block, first, last):  # type: ignore[no-untyped-def]
    """Write into nearest[row], for each row of y in y_rows[first:last], the row of its block with the nearest value."""
    middle = np.int64(0)
    for q in range(first, last):
        while y_start[block + 1] <= q:
            block += 1
        row, low, high = y_rows[q], start[block], ends[block]
        follows = q > max(first, y_start[block])
        if follows and y[row] == y[y_rows[q - 1]]:
            nearest[row] = nearest[y_rows[q - 1]]
        elif low < high:
            begin = middle if follows and y[row] > y[y_rows[q - 1]] else low
            # The next target in order of value is mostly only a few places on.
            end = min(begin + NEAR, high)
            if end < high and values[end] < y[row]:
                begin, end = end, high
            middle = lower_bound(values, begin, end, y[row])
            nearest[row] = _lowest(values, rows, low, high, middle, y[row])


@numba.njit(nogil=True, cache=True, inline="always")
def _lowest(values, rows, low, high, middle, wanted):  # type: ignore[no-untyped-def]
    """Go from the middle outwards while the distance is the smallest, and return the lowest row met."""
    best, row = np.inf, NO_ROW
    i = middle
    while i < high and abs(values[i] - wanted) <= best:
        best, row, i = abs(values[i] - wanted), min(row, rows[i]), i + 1
    i = middle - 1
    while i >= low and abs(values[i] - wanted) <= best:
        row = min(row, rows[i]) if abs(values[i] - wanted) == best else rows[i]
        best, i = abs(values[i] - wanted), i - 1
    return row

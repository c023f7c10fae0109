"""Find nearest rows by looking at every candidate: the fastest way where candidates, or questions, are few."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from icefire.kernels.descent import tile_gaps

TILE = 64  # candidates turned column by column at a time
FEW = 8  # candidates that are not worth turning


@numba.njit(nogil=True, cache=True)
def scan(x, y, x_rows, x_start, y_rows, y_start, skip, found, first, last) -> Any:  # type: ignore[no-untyped-def]
    """Put into found[row] the candidate nearest to each row of y in y_rows[first:last].

    Blocks marked in `skip` or without rows of X are left alone.
    """
    # No views of the shared arrays in these loops: counting references to them would make the threads wait.
    tile, gaps = np.empty(TILE * x.shape[1]), np.empty(TILE)
    best, best_row = np.empty(last - first), np.empty(last - first, np.int64)
    block, low = _block_of(y_start, first), first
    while low < last:
        while y_start[block + 1] <= low:
            block += 1
        start, end = x_start[block], x_start[block + 1]
        high = min(last, y_start[block + 1])
        if start < end and not skip[block]:
            for q in range(low, high):
                best[q - first], best_row[q - first] = np.inf, x_rows[start]
            if end - start < FEW:
                _scan_few(x, y, x_rows, start, end, y_rows, low, high, best, best_row, first)
            else:
                for at in range(start, end, TILE):
                    width = _turn(x, x_rows, at, min(at + TILE, end), tile)
                    _scan_tile(tile, width, y, x_rows, at, y_rows, low, high, best, best_row, first, gaps)
            for q in range(low, high):
                found[y_rows[q]] = best_row[q - first]
        low = high


@numba.njit(nogil=True, cache=True)
def _scan_few(x, y, x_rows, start, end, y_rows, low, high, best, best_row, first) -> Any:  # type: ignore[no-untyped-def]
    """Measure candidate after candidate; as they ascend, the first of equals is the lowest."""
    if end - start > 1:
        for q in range(low, high):
            for i in range(start, end):
                gap = row_gap(x, x_rows[i], y, y_rows[q])
                if gap < best[q - first]:
                    best[q - first], best_row[q - first] = gap, x_rows[i]


@numba.njit(nogil=True, cache=True)
def _turn(x, x_rows, start, end, tile) -> Any:  # type: ignore[no-untyped-def]
    """Copy candidates into a tile, column after column, and return its width."""
    width = end - start
    for i in range(width):
        for c in range(x.shape[1]):
            tile[c * width + i] = x[x_rows[start + i], c]
    return width


@numba.njit(nogil=True, cache=True)
def _scan_tile(tile, width, y, x_rows, start, y_rows, low, high, best, best_row, first, gaps) -> Any:  # type: ignore[no-untyped-def]
    """Measure all candidates of a tile at once, target after target."""
    for q in range(low, high):
        tile_gaps(tile, 0, width, y, y_rows[q], gaps)
        for i in range(width):
            if gaps[i] < best[q - first]:
                best[q - first], best_row[q - first] = gaps[i], x_rows[start + i]


@numba.njit(nogil=True, cache=True)
def row_gap(x, row, y, target) -> Any:  # type: ignore[no-untyped-def]
    """Squared distance of one row of x to one of y, summed in column order."""
    total = 0.0
    for c in range(x.shape[1]):
        gap = x[row, c] - y[target, c]
        total += gap * gap
    return total


@numba.njit(nogil=True, cache=True)
def _block_of(start, position) -> Any:  # type: ignore[no-untyped-def]
    """Return the block that holds a position (bisection)."""
    low, high = 0, start.size - 1
    while high - low > 1:
        middle = (low + high) >> 1
        if start[middle] <= position:
            low = middle
        else:
            high = middle
    return low

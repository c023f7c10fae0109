"""Nearest rows by comparing with every candidate: fastest where there are few candidates or few rows to search for."""

from __future__ import annotations

import numba
import numpy as np

from icefire.kernels.neighbours.kd_search import tile_distances

TILE = 64  # candidates measured at once
FEW = 8  # candidates for which a tile is not worth filling


@numba.njit(nogil=True, cache=True)
def scan_blocks(x, y, x_rows, x_start, y_rows, y_start, skip, found, block, first, last):  # type: ignore[no-untyped-def]
    """Put into found[row], for each row of y in y_rows[first:last], the nearest candidate; `block` is the first's.

    Blocks marked in `skip` and blocks without rows of X are left alone.
    """
    tile, gaps = np.empty(TILE * x.shape[1]), np.empty(TILE)
    best, best_row = np.empty(last - first), np.empty(last - first, np.int64)
    low = first
    while low < last:
        while y_start[block + 1] <= low:
            block += 1
        start, end, high = x_start[block], x_start[block + 1], min(last, y_start[block + 1])
        if start < end and not skip[block]:
            for q in range(low, high):
                best[q - first], best_row[q - first] = np.inf, x_rows[start]
            # A single candidate needs no measuring.
            for at in range(start, end if end > start + 1 else start, TILE):
                width = min(TILE, end - at)
                if width >= FEW:
                    _fill(tile, x, x_rows, at, width)
                for q in range(low, high):
                    if width >= FEW:
                        tile_distances(tile, 0, width, y, y_rows[q], gaps)
                    else:
                        for i in range(width):
                            gaps[i] = squared_distance(x, x_rows[at + i], y, y_rows[q])
                    # Candidates ascend, so the first of equals is the lowest.
                    for i in range(width):
                        if gaps[i] < best[q - first]:
                            best[q - first], best_row[q - first] = gaps[i], x_rows[at + i]
            for q in range(low, high):
                found[y_rows[q]] = best_row[q - first]
        low = high


@numba.njit(nogil=True, cache=True, inline="always")
def _fill(tile, x, x_rows, at, width):  # type: ignore[no-untyped-def]
    """Copy candidates into a tile, column after column."""
    for i in range(width):
        for c in range(x.shape[1]):
            tile[c * width + i] = x[x_rows[at + i], c]


@numba.njit(nogil=True, cache=True, inline="always")
def squared_distance(x, row, y, target):  # type: ignore[no-untyped-def]
    """Squared distance of one row of x to one of y, summed in column order."""
    total = 0.0
    for c in range(x.shape[1]):
        gap = x[row, c] - y[target, c]
        total += gap * gap
    return total

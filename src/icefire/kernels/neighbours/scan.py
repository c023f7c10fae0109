"""Nearest rows by comparing with every candidate: fastest where there are few candidates or few rows to search for."""

from __future__ import annotations

import numba
import numpy as np

from icefire.kernels.neighbours.kd_search import tile_distances
from icefire.kernels.types import Bool, Float, Int

TILE = 64  # candidates measured at once
FEW = 8  # fewer candidates are compared without filling a tile


@numba.njit(nogil=True, cache=True)
def scan_blocks(x, y, x_rows, x_start, y_rows, y_start, skip, nearest, block, first, last):  # type: ignore[no-untyped-def]
    """Write into nearest[row], for each row of y in y_rows[first:last], the nearest candidate of its block.

    Blocks marked in `skip` and blocks without rows of X are passed over.

    Args:
        x: Candidates, rows × columns.
        y: Targets, rows × columns.
        x_rows: Block b holds the candidates x_rows[x_start[b]:x_start[b + 1]], ascending.
        x_start: See `x_rows`.
        y_rows: Block b holds the targets y_rows[y_start[b]:y_start[b + 1]].
        y_start: See `y_rows`.
        skip: One flag per block.
        nearest: Result, one row of x for each row of y; of equally near ones the lowest.
        block: The block of position `first`.
        first: First position in `y_rows`.
        last: Last position in `y_rows`, plus one.
    """
    tile, distances = np.empty(TILE * x.shape[1]), np.empty(TILE)
    best, best_row = np.empty(last - first), np.empty(last - first, np.int64)
    low = first
    while low < last:
        while y_start[block + 1] <= low:
            block += 1
        start, end, high = x_start[block], x_start[block + 1], min(last, y_start[block + 1])
        if start < end and not skip[block]:
            for q in range(low, high):
                best[q - first], best_row[q - first] = np.inf, x_rows[start]
            # A single candidate needs no comparison.
            for at in range(start, end if end > start + 1 else start, TILE):
                width = min(TILE, end - at)
                if width >= FEW:
                    _fill(tile, x, x_rows, at, width)
                for q in range(low, high):
                    if width >= FEW:
                        tile_distances(tile, 0, width, y, y_rows[q], distances)
                    else:
                        for i in range(width):
                            distances[i] = squared_distance(x, x_rows[at + i], y, y_rows[q])
                    # Candidates ascend, so the first of equals is the lowest.
                    for i in range(width):
                        if distances[i] < best[q - first]:
                            best[q - first], best_row[q - first] = distances[i], x_rows[at + i]
            for q in range(low, high):
                nearest[y_rows[q]] = best_row[q - first]
        low = high


def scan_by_numpy(
    x: Float,
    y: Float,
    x_rows: Int,
    x_start: Int,
    y_rows: Int,
    y_start: Int,
    skip: Bool,
    nearest: Int,
    block: int,
    first: int,
    last: int,
) -> None:
    """Do the same as `scan_blocks` without a compiled function, for few rows."""
    while first < last:
        while y_start[block + 1] <= first:
            block += 1
        candidates, end = x_rows[x_start[block] : x_start[block + 1]], min(last, int(y_start[block + 1]))
        targets = y_rows[first:end]
        if len(candidates) and not skip[block]:
            distances = np.zeros((len(targets), len(candidates)))
            for c in range(x.shape[1]):
                gap = x[candidates, c][None, :] - y[targets, c][:, None]
                distances += gap * gap
            # A distance that is no number is never the smallest.
            nearest[targets] = candidates[np.where(np.isnan(distances), np.inf, distances).argmin(axis=1)]
        first = end


@numba.njit(nogil=True, cache=True, inline="always")
def _fill(tile, x, x_rows, at, width):  # type: ignore[no-untyped-def]
    """Copy candidates into a tile, column after column."""
    for i in range(width):
        for c in range(x.shape[1]):
            tile[c * width + i] = x[x_rows[at + i], c]


@numba.njit(nogil=True, cache=True, inline="always")
def squared_distance(x, row, y, target):  # type: ignore[no-untyped-def]
    """Return the squared distance of one row of x to one of y, summed in column order.

    Args:
        x: rows × columns.
        row: The row of x.
        y: rows × columns.
        target: The row of y.
    """
    total = 0.0
    for c in range(x.shape[1]):
        gap = x[row, c] - y[target, c]
        total += gap * gap
    return total

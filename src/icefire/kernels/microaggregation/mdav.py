"""MDAV: groups of k similar points, starting with the outermost (Domingo-Ferrer and Torra, 2005).

Ties go to the lowest row.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from icefire.kernels.microaggregation.remaining_points import farthest_row, nearest_remaining, remove_row, tile_points
from icefire.kernels.types import Float, Int

GRID_BITS = 30
FEW = 512  # points that are not worth bringing together anew


def standardised(table: Float) -> Float:
    """Give every column mean 0 and spread 1, rounded to a grid so fine that it does not matter.

    Sums of grid points are exact (no sum of some of n standardised values exceeds n), so that the centroid of those
    who are left is the same to the last digit whether it is summed anew or by taking away those who left.
    """
    spread = table.std(axis=0)
    grid = 2.0 ** min(GRID_BITS, 51 - len(table).bit_length())
    points: Float = np.rint((table - table.mean(axis=0)) / np.where(spread > 0, spread, 1.0) * grid) / grid
    return points


def groups(points: Float, k: int) -> Int:
    """Return the group of each of at least k points on the grid; groups have k points, the last one up to 2k - 1.

    While there are 3k points or more: r is the one farthest from the centroid, and it and its k - 1 nearest become a
    group; then s, the farthest of the others from r, and its nearest likewise. Of 2k or more once again around r;
    the rest is the last group.
    """
    group, count = np.full(len(points), -1, np.int64), 0
    total = points.sum(axis=0)
    left = np.arange(len(points))
    while len(left) >= 3 * k:
        # Half-empty tiles are slow: those who are left are brought together anew whenever half have gone.
        few = max(3 * k, len(left) // 2 if len(left) > FEW else 0)
        count = _take_pairs(tile_points(points, left), points, k, total, len(left), few, group, count)
        left = np.flatnonzero(group < 0)
    if len(left) >= 2 * k:
        crowd = tile_points(points, left)
        _take(crowd, points, farthest_row(crowd, total / len(left)), k, total, group, count)
        count += 1
    group[group < 0] = count
    return group


@numba.njit(nogil=True, cache=True)
def _take_pairs(crowd, points, k, total, left, few, group, count) -> Any:  # type: ignore[no-untyped-def]
    """Take two groups at a time, until fewer than `few` are left; returns the number of groups."""
    while left >= few:
        r = farthest_row(crowd, total / left)
        _take(crowd, points, r, k, total, group, count)
        _take(crowd, points, farthest_row(crowd, points[r]), k, total, group, count + 1)
        count += 2
        left -= 2 * k
    return count


@numba.njit(nogil=True, cache=True)
def _take(crowd, points, row, k, total, group, number) -> Any:  # type: ignore[no-untyped-def]
    """Take a row and its k - 1 nearest out of the crowd and out of the total."""
    # The row itself is the first of these: it is the lowest of those as far out, and so of those in its place.
    gaps, rows = np.empty(k), np.empty(k, np.int64)
    nearest_remaining(crowd, points[row], gaps, rows)
    for member in rows:
        remove_row(crowd, member)
        group[member] = number
        for c in range(total.size):
            total[c] -= points[member, c]

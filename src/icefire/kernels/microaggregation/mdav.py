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
FEW = 512  # so few points are not put into new tiles


def standardised(table: Float) -> Float:
    """Return the table with mean 0 and standard deviation 1 in every column, rounded to a fine grid.

    Sums of grid points are exact (no sum of some of n standardised values exceeds n), so that the centroid of the
    remaining points is the same to the last digit whether it is summed anew or by subtracting those removed.
    """
    spread = table.std(axis=0)
    grid = 2.0 ** min(GRID_BITS, 51 - len(table).bit_length())
    points: Float = np.rint((table - table.mean(axis=0)) / np.where(spread > 0, spread, 1.0) * grid) / grid
    return points


def groups(points: Float, k: int) -> Int:
    """Return the group of each of at least k points on the grid (points × columns).

    While there are 3k points or more: r is the one farthest from the centroid, and it and its k - 1 nearest become a
    group; then s, the farthest of the others from r, and its nearest likewise. Of 2k or more, one more group around r.
    The rest is the last group, of up to 2k - 1 points. Ties go to the lowest row. O(n² / k) at worst.
    """
    group, count = np.full(len(points), -1, np.int64), 0
    total = points.sum(axis=0)
    left = np.arange(len(points))
    while len(left) >= 3 * k:
        # Half-empty tiles are slow: the rest is put into new tiles whenever half of the points have gone.
        few = max(3 * k, len(left) // 2 if len(left) > FEW else 0)
        count = _take_pairs(tile_points(points, left), points, k, total, len(left), few, group, count)
        left = np.flatnonzero(group < 0)
    if len(left) >= 2 * k:
        remaining = tile_points(points, left)
        _take_group(remaining, points, farthest_row(remaining, total / len(left)), k, total, group, count)
        count += 1
    group[group < 0] = count
    return group


@numba.njit(nogil=True, cache=True)
def _take_pairs(remaining, points, k, total, left, few, group, count) -> Any:  # type: ignore[no-untyped-def]
    """Form two groups at a time, until fewer than `few` points are left; returns the number of groups."""
    while left >= few:
        r = farthest_row(remaining, total / left)
        _take_group(remaining, points, r, k, total, group, count)
        _take_group(remaining, points, farthest_row(remaining, points[r]), k, total, group, count + 1)
        count += 2
        left -= 2 * k
    return count


@numba.njit(nogil=True, cache=True)
def _take_group(remaining, points, row, k, total, group, number) -> Any:  # type: ignore[no-untyped-def]
    """Remove a row and its k - 1 nearest from the remaining points and from the total."""
    # The row itself comes first: it is the lowest of those equally far out, and so of those equal to it.
    gaps, rows = np.empty(k), np.empty(k, np.int64)
    nearest_remaining(remaining, points[row], gaps, rows)
    for member in rows:
        remove_row(remaining, member)
        group[member] = number
        for c in range(total.size):
            total[c] -= points[member, c]

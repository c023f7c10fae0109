"""V-MDAV: groups of k to 2k - 1 similar points (Solanas and Martínez-Ballesté, 2006).

Ties go to the lowest row.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from icefire.kernels.microaggregation.mdav import FEW
from icefire.kernels.microaggregation.remaining_points import NO_ROW, nearest_remaining, remove_row, tile_points
from icefire.kernels.types import Float, Int


def groups(points: Float, k: int, gamma: float) -> Int:
    """Return the group of each of at least k points on the grid of `mdav.standardised` (points × columns).

    While there are k points or more: the one farthest from the centroid of all points and its k - 1 nearest become a
    group. It grows, up to 2k - 1, by the point nearest to any member, as long as their distance is less than `gamma`
    times that point's distance to the nearest of the others. Fewer than k points left over join the group of the
    nearest centroid.
    """
    group, count = np.full(len(points), -1, np.int64), 0
    queue = _outermost_first(points)
    left = np.arange(len(points))
    while len(left) >= k:
        few = max(k, len(left) // 2 if len(left) > FEW else 0)
        count = _take_groups(tile_points(points, left), points, k, gamma, queue, len(left), few, group, count)
        left = np.flatnonzero(group < 0)
    if len(left):
        _join_nearest_groups(points, left, group, count)
    return group


def _outermost_first(points: Float) -> Int:
    """Return the rows by descending distance from the centroid; ties by row."""
    gaps, centroid = np.zeros(len(points)), points.sum(axis=0) / len(points)
    for column, middle in zip(points.T, centroid, strict=True):
        gaps += (column - middle) * (column - middle)
    return np.argsort(-gaps, kind="stable")


@numba.njit(nogil=True, cache=True)
def _take_groups(remaining, points, k, gamma, queue, left, few, group, count) -> Any:  # type: ignore[no-untyped-def]
    """Form one group after another, until fewer than `few` points are left; returns the number of groups."""
    members, gaps = np.empty(2 * k - 1, np.int64), np.empty(k)
    next_out = 0
    while left >= few:
        while group[queue[next_out]] >= 0:
            next_out += 1
        nearest_remaining(remaining, points[queue[next_out]], gaps, members[:k])
        for i in range(k):
            remove_row(remaining, members[i])
        size = _grow(remaining, points, k, gamma, members)
        for i in range(size):
            group[members[i]] = count
        count += 1
        left -= size
    return count


@numba.njit(nogil=True, cache=True)
def _grow(remaining, points, k, gamma, members) -> Any:  # type: ignore[no-untyped-def]
    """Add points to the first k members while the rule allows; returns the size reached."""
    near_gap, near_row = np.empty((members.size, 1)), np.full((members.size, 1), -1, np.int64)
    for size in range(k, members.size):
        # Only members that have just joined, or whose nearest has, need a new search.
        for i in range(size):
            if near_row[i, 0] < 0 or near_row[i, 0] == members[size - 1]:
                nearest_remaining(remaining, points[members[i]], near_gap[i], near_row[i])
        gap, row = near_gap[0, 0], near_row[0, 0]
        for i in range(1, size):
            if near_gap[i, 0] < gap or (near_gap[i, 0] == gap and near_row[i, 0] < row):
                gap, row = near_gap[i, 0], near_row[i, 0]
        if row == NO_ROW or not gap < gamma * gamma * _gap_to_others(remaining, points, row):
            return size
        remove_row(remaining, row)
        members[size] = row
    return members.size


@numba.njit(nogil=True, cache=True)
def _gap_to_others(remaining, points, row) -> Any:  # type: ignore[no-untyped-def]
    """Return the squared distance of a row to the nearest other remaining row, infinite without any."""
    gaps, rows = np.empty(2), np.empty(2, np.int64)
    nearest_remaining(remaining, points[row], gaps, rows)
    return gaps[1] if rows[0] == row else gaps[0]


@numba.njit(nogil=True, cache=True)
def _join_nearest_groups(points, left, group, count) -> Any:  # type: ignore[no-untyped-def]
    """Put each row that is left into the group of the nearest centroid, ties to the first."""
    centroids, sizes = np.zeros((count, points.shape[1])), np.zeros(count)
    for row in range(group.size):
        if group[row] >= 0:
            sizes[group[row]] += 1
            for c in range(points.shape[1]):
                centroids[group[row], c] += points[row, c]
    for row in left:
        best, chosen = np.inf, 0
        for g in range(count):
            total = 0.0
            for c in range(points.shape[1]):
                gap = points[row, c] - centroids[g, c] / sizes[g]
                total += gap * gap
            if total < best:
                best, chosen = total, g
        group[row] = chosen

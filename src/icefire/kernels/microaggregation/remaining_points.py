"""Points that are removed one by one: the farthest from a place and the nearest to it, among those that remain.

Points are stored in small tiles, near ones together, column after column; each tile has a box around its remaining
points. A query measures all boxes at once and opens only the tiles that may hold a better answer, at worst all of them.
Distances are squared and summed in column order. Distances of boxes are rounded in the same way, so that every answer
equals that of a full scan.

Ties go to the lowest row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from icefire.kernels.neighbours.median_splits import median_split_order
from icefire.kernels.types import Float, Int

TILE = 64
SLACK = 1e-9  # far above all rounding errors of a distance
NO_ROW = np.iinfo(np.int64).max


class RemainingPoints(NamedTuple):
    """Points in tiles. An empty tile has a box of NaN, which no comparison finds better than anything."""

    points: Float  # tile, column, place
    rows: Int  # tile, place
    sizes: Int  # per tile: the first so many places are taken
    low: Float  # column, tile: the box
    high: Float
    lowest: Int  # per tile: its lowest row
    centre: Float  # the mean of all points when the tiles were filled
    reach: Float  # per tile: the squared distance of its farthest point from there
    tile: Int  # per row: its tile
    bounds: Float  # per tile: working memory for the distances of the boxes
    products: Float  # per tile: working memory for their products
    gaps: Float  # per place: working memory for the distances of one tile


def tile_points(table: Float, rows: Int) -> RemainingPoints:
    """Put the given rows of a table (rows × columns) into tiles; there must be at least one row."""
    halvings = max(0, int(len(rows) - 1).bit_length() - (TILE.bit_length() - 1))
    tiles, columns = 1 << halvings, table.shape[1]
    order = median_split_order(table, rows, np.array([0, len(rows)]), np.array([halvings]))
    remaining = RemainingPoints(
        np.zeros((tiles, columns, TILE)),
        np.empty((tiles, TILE), np.int64),
        np.diff(len(rows) * np.arange(tiles + 1) >> halvings),
        np.empty((columns, tiles)),
        np.empty((columns, tiles)),
        np.empty(tiles, np.int64),
        table[rows].mean(axis=0),
        np.empty(tiles),
        np.empty(len(table), np.int64),
        np.empty(tiles),
        np.empty(tiles),
        np.empty(TILE),
    )
    _fill_tiles(remaining, table, order)
    return remaining


@numba.njit(nogil=True, cache=True)
def _fill_tiles(remaining, table, order) -> Any:  # type: ignore[no-untyped-def]
    """Copy the rows into their tiles."""
    at = 0
    for t in range(remaining.sizes.size):
        for place in range(remaining.sizes[t]):
            row = order[at]
            remaining.rows[t, place], remaining.tile[row] = row, t
            for c in range(table.shape[1]):
                remaining.points[t, c, place] = table[row, c]
            at += 1
        _box(remaining, t)


@numba.njit(nogil=True, cache=True)
def _box(remaining, t) -> Any:  # type: ignore[no-untyped-def]
    """Compute the box of a tile anew."""
    for c in range(remaining.points.shape[1]):
        low, high = np.inf, -np.inf
        for place in range(remaining.sizes[t]):
            value = remaining.points[t, c, place]
            low, high = min(low, value), max(high, value)
        empty = remaining.sizes[t] == 0
        remaining.low[c, t], remaining.high[c, t] = np.nan if empty else low, np.nan if empty else high
    lowest = NO_ROW
    for place in range(remaining.sizes[t]):
        lowest = min(lowest, remaining.rows[t, place])
    remaining.lowest[t] = lowest
    _measure(remaining, remaining.centre, t)
    reach = 0.0
    for place in range(remaining.sizes[t]):
        reach = max(reach, remaining.gaps[place])
    remaining.reach[t] = reach


@numba.njit(nogil=True, cache=True)
def remove_row(remaining, row) -> Any:  # type: ignore[no-untyped-def]
    """Remove a row; the last of its tile moves into its place."""
    t = remaining.tile[row]
    place, last = 0, remaining.sizes[t] - 1
    while remaining.rows[t, place] != row:
        place += 1
    remaining.rows[t, place] = remaining.rows[t, last]
    for c in range(remaining.points.shape[1]):
        remaining.points[t, c, place] = remaining.points[t, c, last]
    remaining.sizes[t] = last
    _box(remaining, t)


@numba.njit(nogil=True, cache=True)
def farthest_row(remaining, point) -> Any:  # type: ignore[no-untyped-def]
    """Return the row farthest from a point, ties to the lowest; there must be one."""
    _far_bounds(remaining, point)
    first = 0
    for t in range(remaining.bounds.size):
        if not remaining.bounds[t] <= remaining.bounds[first]:
            first = t
    best, best_row = _open_far(remaining, point, first, -1.0, NO_ROW)
    for t in range(remaining.bounds.size):
        bound = remaining.bounds[t]
        if bound > best or (bound == best and remaining.lowest[t] < best_row):
            best, best_row = _open_far(remaining, point, t, best, best_row)
    return best_row


@numba.njit(nogil=True, cache=True)
def _open_far(remaining, point, t, best, best_row) -> Any:  # type: ignore[no-untyped-def]
    """Compare the points of a tile with the farthest one so far."""
    _measure(remaining, point, t)
    for place in range(remaining.sizes[t]):
        gap, row = remaining.gaps[place], remaining.rows[t, place]
        if gap > best or (gap == best and row < best_row):
            best, best_row = gap, row
    return best, best_row


@numba.njit(nogil=True, cache=True)
def nearest_remaining(remaining, point, gaps, rows) -> Any:  # type: ignore[no-untyped-def]
    """Write the rows nearest to a point, as many as `rows` has room for, nearest first.

    Ties go to the lowest row. Places for which no row is left hold NO_ROW at an infinite distance.

    Args:
        remaining: The remaining points.
        point: One number per column.
        gaps: Written: squared distances.
        rows: Written: rows.
    """
    gaps[:], rows[:] = np.inf, NO_ROW
    _near_bounds(remaining, point)
    first = 0
    for t in range(remaining.bounds.size):
        if not remaining.bounds[t] >= remaining.bounds[first]:
            first = t
    _open_near(remaining, point, first, gaps, rows)
    for t in range(remaining.bounds.size):
        bound = remaining.bounds[t]
        if t != first and (bound < gaps[-1] or (bound == gaps[-1] and remaining.lowest[t] < rows[-1])):
            _open_near(remaining, point, t, gaps, rows)


@numba.njit(nogil=True, cache=True)
def _open_near(remaining, point, t, gaps, rows) -> Any:  # type: ignore[no-untyped-def]
    """Insert the points of a tile into the sorted list of the nearest."""
    _measure(remaining, point, t)
    for place in range(remaining.sizes[t]):
        gap, row, at = remaining.gaps[place], remaining.rows[t, place], rows.size
        while at > 0 and (gap < gaps[at - 1] or (gap == gaps[at - 1] and row < rows[at - 1])):
            at -= 1
        if at < rows.size:
            for i in range(rows.size - 1, at, -1):
                gaps[i], rows[i] = gaps[i - 1], rows[i - 1]
            gaps[at], rows[at] = gap, row


@numba.njit(nogil=True, cache=True)
def _measure(remaining, point, t) -> Any:  # type: ignore[no-untyped-def]
    """Write the squared distances of all places of a tile, taken or not: a whole tile is one run of the vector unit."""
    points, gaps = remaining.points, remaining.gaps
    gaps[:] = 0.0
    for c in range(point.size):
        value = point[c]
        for place in range(TILE):
            gap = points[t, c, place] - value
            gaps[place] += gap * gap


@numba.njit(nogil=True, cache=True)
def _far_bounds(remaining, point) -> Any:  # type: ignore[no-untyped-def]
    """Write for each tile a squared distance that none of its points exceeds.

    It is that of the farthest corner of its box, or less: corners stick out far beyond the points. As |p - q|² = |p|² +
    |q|² - 2pq, seen from the centre, the reach of a tile and the box's least product with the point bound the distance,
    too, and most often better.
    """
    bounds, products = remaining.bounds, remaining.products
    bounds[:] = 0.0
    products[:] = 0.0
    square = 0.0
    for c in range(point.size):
        value, middle = point[c], remaining.centre[c]
        arm = value - middle
        square += arm * arm
        for t in range(bounds.size):
            under, over = value - remaining.low[c, t], remaining.high[c, t] - value
            gap = under if under > over else over
            bounds[t] += gap * gap
        side = remaining.low if arm > 0.0 else remaining.high
        for t in range(bounds.size):
            products[t] += arm * (side[c, t] - middle)
    for t in range(bounds.size):
        other = (remaining.reach[t] + square) * (1.0 + SLACK) - 2.0 * products[t]
        bounds[t] = other if other < bounds[t] else bounds[t]


@numba.njit(nogil=True, cache=True)
def _near_bounds(remaining, point) -> Any:  # type: ignore[no-untyped-def]
    """Write for each tile the squared distance of the nearest side of its box, 0 inside; NaN stays NaN."""
    remaining.bounds[:] = 0.0
    for c in range(point.size):
        value = point[c]
        for t in range(remaining.bounds.size):
            under, over = remaining.low[c, t] - value, value - remaining.high[c, t]
            gap = under if under > over else over
            gap = 0.0 if gap < 0.0 else gap
            remaining.bounds[t] += gap * gap

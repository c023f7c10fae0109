"""The k nearest rows where columns are numbers or categories, and values may be missing; exact.

Squared distances are summed over the columns in order: the squared difference of numbers; 0 or 1 for equal and unequal
categories; 0 for two missing values, 1 for a missing value and another. Ties go to the lowest row. The candidates lie
in tiles of near rows, each with its ranges of values: a tile that cannot hold a nearer row is not looked into.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from icefire.kernels.common import threads
from icefire.kernels.neighbours.median_splits import median_split_order
from icefire.kernels.types import Bool, Float, Int

TILE = 128  # most rows of a tile
TASK = 64  # least targets of a task
NO_ROW = -1


class MixedTiles(NamedTuple):
    """Rows in tiles of near ones."""

    values: Float  # tile, column, place
    rows: Int  # tile, place: the row; places at the end of a tile may be empty (-1)
    low: Float  # column, tile: smallest value
    high: Float  # column, tile: largest value
    gaps: Bool  # column, tile: whether a value is missing
    is_category: Bool  # per column


def nearest_mixed(x: Float, y: Float, is_category: Bool, k: int, own: Int | None = None) -> tuple[Float, Int]:
    """Return the k nearest rows of x for every row of y.

    Args:
        x: Candidates, rows × columns; NaN is a missing value.
        y: Targets, rows × columns.
        is_category: Which columns are categories, given as numbers that are equal where the values are.
        k: How many rows are returned.
        own: For each target a row of x that is passed over, -1 for none.

    Returns:
        Squared distances and row numbers, targets × k, nearest first; infinite and -1 where x has fewer rows.
    """
    squared, rows = np.full((len(y), k), np.inf), np.full((len(y), k), NO_ROW, np.int64)
    if len(x) == 0 or len(y) == 0:
        return squared, rows
    if x.shape[1] == 0:
        x, y, is_category = np.zeros((len(x), 1)), np.zeros((len(y), 1)), np.zeros(1, np.bool_)
    x, y = np.ascontiguousarray(x, np.float64), np.ascontiguousarray(y, np.float64)
    tiles = build_tiles(x, is_category)
    skipped = np.full(len(y), NO_ROW, np.int64) if own is None else own.astype(np.int64)
    order = _near_order(y, TASK)
    tasks = threads.spans(len(y), TASK)
    threads.starmap(_search, [(tiles, y, order, skipped, squared, rows, *span) for span in tasks])
    return squared, rows


def build_tiles(x: Float, is_category: Bool) -> MixedTiles:
    """Sort rows into tiles of near ones."""
    order = _near_order(x, TILE)
    count = 1 << _levels(len(x), TILE)
    edges = np.arange(count + 1) * len(x) // count
    width = int(np.diff(edges).max())
    places = edges[:-1, None] + np.arange(width)
    rows = np.where(places < edges[1:, None], order[np.minimum(places, len(x) - 1)], NO_ROW)
    values = np.ascontiguousarray(x[rows].transpose(0, 2, 1))
    present = (rows != NO_ROW)[:, None, :] & ~np.isnan(values)
    low = np.where(present, values, np.inf).min(axis=2).T
    high = np.where(present, values, -np.inf).max(axis=2).T
    gaps = (np.isnan(values) & (rows != NO_ROW)[:, None, :]).any(axis=2).T
    return MixedTiles(
        values,
        rows,
        np.ascontiguousarray(low),
        np.ascontiguousarray(high),
        np.ascontiguousarray(gaps),
        np.ascontiguousarray(is_category),
    )


def _levels(rows: int, most: int) -> int:
    levels = 0
    while rows > most << levels:
        levels += 1
    return levels


def _near_order(table: Float, most: int) -> Int:
    """Return the rows in an order in which near ones lie together."""
    filled = np.where(np.isnan(table), 0.0, table)
    start, depth = np.array([0, len(table)]), np.array([_levels(len(table), most)])
    return median_split_order(filled, np.arange(len(table)), start, depth)


@numba.njit(nogil=True, cache=True)
def _search(tiles, y, order, own, squared, rows, first, last):  # type: ignore[no-untyped-def]
    """Write the nearest rows of targets order[first:last]."""
    count, width = tiles.rows.shape
    bounds, distances = np.empty(count), np.empty(width)
    for i in range(first, last):
        target = order[i]
        _bounds(tiles, y, target, bounds)
        nearest = np.argmin(bounds)
        _look_into(tiles, nearest, y, target, own[target], distances, squared[target], rows[target])
        for tile in range(count):
            if tile != nearest and bounds[tile] <= squared[target, -1]:
                _look_into(tiles, tile, y, target, own[target], distances, squared[target], rows[target])


@numba.njit(nogil=True, cache=True)
def _bounds(tiles, y, target, bounds):  # type: ignore[no-untyped-def]
    """Write for each tile a squared distance that none of its rows is nearer than."""
    count = bounds.shape[0]
    bounds[:] = 0.0
    for c in range(y.shape[1]):
        value = y[target, c]
        if np.isnan(value):
            for t in range(count):
                bounds[t] += 0.0 if tiles.gaps[c, t] else 1.0
        elif tiles.is_category[c]:
            for t in range(count):
                bounds[t] += 1.0 if value < tiles.low[c, t] or value > tiles.high[c, t] else 0.0
        else:
            for t in range(count):
                under, over = tiles.low[c, t] - value, value - tiles.high[c, t]
                gap = under if under > over else over
                gap = gap if gap > 0.0 else 0.0
                square = gap * gap
                bounds[t] += 1.0 if tiles.gaps[c, t] and square > 1.0 else square


@numba.njit(nogil=True, cache=True)
def _look_into(tiles, tile, y, target, own, distances, squared, rows):  # type: ignore[no-untyped-def]
    """Insert the rows of a tile that are nearer than the last of the nearest so far."""
    width = distances.shape[0]
    for i in range(width):
        distances[i] = 0.0
    for c in range(y.shape[1]):
        value = y[target, c]
        if np.isnan(value):
            for i in range(width):
                distances[i] += 0.0 if np.isnan(tiles.values[tile, c, i]) else 1.0
        elif tiles.is_category[c]:
            for i in range(width):
                distances[i] += 0.0 if tiles.values[tile, c, i] == value else 1.0
        else:
            for i in range(width):
                gap = tiles.values[tile, c, i] - value
                square = gap * gap
                distances[i] += square if square == square else 1.0
    last = squared.shape[0] - 1
    for i in range(width):
        row, distance = tiles.rows[tile, i], distances[i]
        if row < 0 or row == own or distance > squared[last]:
            continue
        if distance == squared[last] and rows[last] >= 0 and row > rows[last]:
            continue
        place = last
        while place > 0 and (
            distance < squared[place - 1]
            or (distance == squared[place - 1] and (rows[place - 1] < 0 or row < rows[place - 1]))
        ):
            squared[place], rows[place] = squared[place - 1], rows[place - 1]
            place -= 1
        squared[place], rows[place] = distance, row

"""Search a forest of kd-trees: the nearest row, and whether anything is nearer than a bound."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from icefire.kernels.trees import ARITY, NO_ROW


@numba.njit(nogil=True, cache=True)
def search(forest, y, targets, tree, first, last, bound, found) -> Any:  # type: ignore[no-untyped-def]
    """Search targets[first:last] of y, each in its tree, and note in `found` the row."""
    gaps = np.empty(256)
    stack, heights = np.empty(ARITY * 32, np.int64), np.empty(ARITY * 32)
    for i in range(first, last):
        found[i] = _descend(forest, tree[i], y[targets[i]], bound[i], gaps, stack, heights)


@numba.njit(nogil=True, cache=True)
def _descend(forest, tree, point, bound, gaps, stack, heights) -> Any:  # type: ignore[no-untyped-def]
    hasty = bound >= 0
    best, row = (bound, np.int64(-1)) if hasty else (np.inf, NO_ROW)
    inner, width, root = forest.inner[tree], forest.width[tree], forest.first_node[tree]
    top, stack[0], heights[0] = 1, 0, 0.0
    while top > 0:
        top -= 1
        node = stack[top]
        if heights[top] > best:
            continue
        if node >= inner:
            place = forest.first_place[tree] + (node - inner) * width
            tile = forest.points[place * point.size : (place + width) * point.size].reshape(point.size, width)
            point_gaps(tile, point, gaps)
            rows = forest.rows[place : place + width]
            for i in range(width):
                if gaps[i] < best or (gaps[i] == best and rows[i] < row):
                    best, row = gaps[i], rows[i]
            if hasty and row >= 0:
                return row
        else:
            box_gaps(forest.boxes[root + node], point, gaps)
            lowest = forest.lowest[root + node]
            bottom = top
            for child in range(ARITY):
                gap = gaps[child]
                if gap < best or (gap == best and lowest[child] < row):
                    at = top
                    while at > bottom and heights[at - 1] < gap:
                        stack[at], heights[at] = stack[at - 1], heights[at - 1]
                        at -= 1
                    stack[at], heights[at] = node * ARITY + 1 + child, gap
                    top += 1
    return row


@numba.njit(nogil=True, cache=True)
def point_gaps(tile, point, gaps) -> Any:  # type: ignore[no-untyped-def]
    """Squared distances of a point to a tile of points (column, point), summed in column order."""
    width = tile.shape[1]
    gaps[:width] = 0.0
    for c in range(point.size):
        value, column = point[c], tile[c]
        for i in range(width):
            gap = column[i] - value
            gaps[i] += gap * gap


@numba.njit(nogil=True, cache=True)
def box_gaps(boxes, point, gaps) -> Any:  # type: ignore[no-untyped-def]
    """Squared distances of a point to boxes (column, lower or upper side, box), summed in column order."""
    width = boxes.shape[2]
    gaps[:width] = 0.0
    for c in range(point.size):
        value, lower, upper = point[c], boxes[c, 0], boxes[c, 1]
        for i in range(width):
            under, over = lower[i] - value, value - upper[i]
            gap = under if under > over else over
            gap = gap if gap > 0.0 else 0.0
            gaps[i] += gap * gap

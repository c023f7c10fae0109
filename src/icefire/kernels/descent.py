"""Search a forest of kd-trees: the nearest row, and whether anything is nearer than a bound.

Distances to boxes are summed over the columns in the same order as distances to points. Rounding is monotone,
so a box is never farther than a point inside it, not even by the last digit, and no tie is ever cut off. Among
boxes as near as the best point only those holding a lower row are opened, so that many equal points cost nothing.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from icefire.kernels.trees import ARITY, LEAF, NO_ROW

STACK = 24 * ARITY  # a level leaves at most ARITY nodes behind, and no tree has 24 levels


@numba.njit(nogil=True, cache=True)
def search(forest, y, y_rows, y_start, bounds, found, first, last) -> Any:  # type: ignore[no-untyped-def]
    """Put into found[row], for each row of y in y_rows[first:last], the row nearest to it.

    Tree t answers for y_rows[y_start[t]:y_start[t + 1]]. Where bounds[row] is not negative, any row strictly
    nearer than this squared distance will do, -1 if there is none.
    """
    gaps = np.empty(max(ARITY, LEAF))
    nodes, heights = np.empty(STACK, np.int64), np.empty(STACK)
    tree = 0
    for i in range(first, last):
        while y_start[tree + 1] <= i:
            tree += 1
        row = y_rows[i]
        found[row] = _descend(forest, tree, y, row, bounds[row], gaps, nodes, heights)


@numba.njit(nogil=True, cache=True)
def _descend(forest, tree, y, target, bound, gaps, nodes, heights) -> Any:  # type: ignore[no-untyped-def]
    """Visit the boxes of a tree, nearest first, as long as one can hold a better row."""
    best, best_row = (np.inf, NO_ROW) if bound < 0 else (bound, -1)
    root = forest.first_inner[tree]
    inner = forest.first_inner[tree + 1] - root
    width = (forest.first_place[tree + 1] - forest.first_place[tree]) // (
        forest.first_leaf[tree + 1] - forest.first_leaf[tree]
    )
    top, nodes[0], heights[0] = 1, 0, 0.0
    while top > 0:
        top -= 1
        node = nodes[top]
        if heights[top] > best:
            continue
        if node >= inner:
            place = forest.first_place[tree] + (node - inner) * width
            tile_gaps(forest.points, place * y.shape[1], width, y, target, gaps)
            for i in range(width):
                if gaps[i] < best or (gaps[i] == best and forest.rows[place + i] < best_row):
                    best, best_row = gaps[i], forest.rows[place + i]
            if bound >= 0 and best_row >= 0:
                return best_row
            continue
        _box_gaps(forest.boxes, root + node, y, target, gaps)
        nearest, pick = gaps[0], 0
        for child in range(1, ARITY):
            if gaps[child] < nearest:
                nearest, pick = gaps[child], child
        for child in range(ARITY):
            gap = gaps[child]
            if child != pick and (gap < best or (gap == best and forest.lowest[root + node, child] < best_row)):
                nodes[top], heights[top] = node * ARITY + 1 + child, gap
                top += 1
        nodes[top], heights[top] = node * ARITY + 1 + pick, nearest
        top += 1
    return best_row


@numba.njit(nogil=True, cache=True)
def tile_gaps(tiles, first, width, y, target, gaps) -> Any:  # type: ignore[no-untyped-def]
    """Squared distances of row `target` of y to the points of the tile at `first`, summed in column order."""
    for i in range(width):
        gaps[i] = 0.0
    for c in range(y.shape[1]):
        value, column = y[target, c], np.uint64(first + c * width)
        for i in range(width):
            gap = tiles[column + np.uint64(i)] - value
            gaps[i] += gap * gap


@numba.njit(nogil=True, cache=True)
def _box_gaps(boxes, inner, y, target, gaps) -> Any:  # type: ignore[no-untyped-def]
    """Squared distances of row `target` of y to the eight boxes below an inner node, summed in column order."""
    width = boxes.shape[3]  # not the constant: a loop of eight would be unrolled instead of vectorised
    for i in range(width):
        gaps[i] = 0.0
    for c in range(y.shape[1]):
        value = y[target, c]
        for i in range(width):
            under, over = boxes[inner, c, 0, i] - value, value - boxes[inner, c, 1, i]
            gap = under if under > over else over
            gap = gap if gap > 0.0 else 0.0
            gaps[i] += gap * gap

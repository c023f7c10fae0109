"""Search in kd-trees for the nearest row, or for any row nearer than a bound.

Distances to boxes are summed over the columns in the same order as distances to points. Rounding is monotone, so the
distance to a box never exceeds that to a point inside it, and no tie is cut off. Of boxes as near as the best point
only those with a lower row are opened, so that equal points cost nothing.

Ties go to the lowest row.

These functions take no views of shared arrays: counting references would make the threads wait for each other.
"""

from __future__ import annotations

import numba
import numpy as np

from icefire.kernels.neighbours.kd_trees import ARITY, LEAF, NO_ROW

STACK = 24 * ARITY  # a level leaves fewer than ARITY nodes behind, and no tree has 24 levels


@numba.njit(nogil=True, cache=True)
def search_forest(forest, y, y_rows, y_start, bounds, nearest, first, last):  # type: ignore[no-untyped-def]
    """Write into nearest[row], for each row of y in y_rows[first:last], the row nearest to it.

    Args:
        forest: One tree per part of X.
        y: Rows to search for, rows × columns.
        y_rows: Tree t answers for y_rows[y_start[t]:y_start[t + 1]].
        y_start: See `y_rows`.
        bounds: For each row of y a squared distance: any row strictly nearer will do, -1 if there is none. Negative:
            the nearest row is wanted.
        nearest: Result, one row of X for each row of y.
        first: First position in `y_rows`.
        last: Last position in `y_rows`, plus one.
    """
    distances = np.empty(max(ARITY, LEAF))
    nodes, heights = np.empty(STACK, np.int64), np.empty(STACK)
    tree = 0
    for i in range(first, last):
        while y_start[tree + 1] <= i:
            tree += 1
        row = y_rows[i]
        nearest[row] = _descend(forest, tree, y, row, bounds[row], distances, nodes, heights)


@numba.njit(nogil=True, cache=True)
def _descend(forest, tree, y, target, bound, distances, nodes, heights):  # type: ignore[no-untyped-def]
    """Return the nearest row of one tree: boxes are opened while they can hold a better row, nearest child first."""
    best, best_row = (np.inf, NO_ROW) if bound < 0 else (bound, -1)
    root, place = forest.first_inner[tree], forest.first_place[tree]
    inner = forest.first_inner[tree + 1] - root
    width = (forest.first_place[tree + 1] - place) // (forest.first_leaf[tree + 1] - forest.first_leaf[tree])
    top, nodes[0], heights[0] = 1, 0, 0.0
    while top > 0 and (bound < 0 or best_row < 0):
        top -= 1
        node = nodes[top]
        if heights[top] >= best and (heights[top] > best or _lowest(forest, root, node) >= best_row):
            continue
        if node >= inner:
            at = place + (node - inner) * width
            tile_distances(forest.points, at * y.shape[1], width, y, target, distances)
            for i in range(width):
                if distances[i] < best or (distances[i] == best and forest.rows[at + i] < best_row):
                    best, best_row = distances[i], forest.rows[at + i]
        else:
            _box_distances(forest.boxes, root + node, y, target, distances)
            nearest = _nearest_child(forest, root + node, distances)
            for turn in range(1, ARITY + 1):  # the nearest comes last, on top of the stack
                child = (nearest + turn) % ARITY
                if distances[child] < best or (
                    distances[child] == best and forest.lowest[root + node, child] < best_row
                ):
                    nodes[top], heights[top] = node * ARITY + 1 + child, distances[child]
                    top += 1
    return best_row


@numba.njit(nogil=True, cache=True, inline="always")
def _nearest_child(forest, inner, distances):  # type: ignore[no-untyped-def]
    """Return the nearest child of an inner node, of several the one with the lowest row."""
    least, nearest, ties = distances[0], 0, 0
    for child in range(1, ARITY):
        if distances[child] < least:
            least, nearest = distances[child], child
    for child in range(ARITY):
        ties += distances[child] == least
    if ties > 1:
        for child in range(ARITY):
            if distances[child] == least and forest.lowest[inner, child] < forest.lowest[inner, nearest]:
                nearest = child
    return nearest


@numba.njit(nogil=True, cache=True, inline="always")
def _lowest(forest, root, node):  # type: ignore[no-untyped-def]
    """Return the lowest row below a node, as its parent holds it."""
    return forest.lowest[root + (node - 1) // ARITY, (node - 1) % ARITY] if node > 0 else -1


@numba.njit(nogil=True, cache=True)
def tile_distances(tiles, first, width, y, target, distances):  # type: ignore[no-untyped-def]
    """Write the squared distances of one row of y to the points of a tile, summed in column order.

    Args:
        tiles: Coordinates, tile after tile, column after column inside a tile.
        first: Where the tile begins.
        width: Points of the tile.
        y: rows × columns.
        target: The row of y.
        distances: Written: one per point.
    """
    for i in range(width):
        distances[i] = 0.0
    for c in range(y.shape[1]):
        # Unsigned, as numbers that might be negative would be tested one by one and not vectorised.
        value, column = y[target, c], np.uint64(first + c * width)
        for i in range(width):
            gap = tiles[column + np.uint64(i)] - value
            distances[i] += gap * gap


@numba.njit(nogil=True, cache=True)
def _box_distances(boxes, inner, y, target, distances):  # type: ignore[no-untyped-def]
    """Write the squared distances of row `target` of y to the boxes below an inner node, summed in column order."""
    width = boxes.shape[3]  # not the constant: a loop of eight would be unrolled and not vectorised
    for i in range(width):
        distances[i] = 0.0
    for c in range(y.shape[1]):
        value = y[target, c]
        for i in range(width):
            under, over = boxes[inner, c, 0, i] - value, value - boxes[inner, c, 1, i]
            gap = under if under > over else over
            gap = gap if gap > 0.0 else 0.0
            distances[i] += gap * gap

"""Balanced kd-trees over parts of a table, laid out for vector units: eight children per node, small tiles as leaves.

There are no pointers: node i has the children 8i + 1 … 8i + 8, and the points of a node are a range known from its
number. The boxes of the eight children are stored side by side, column by column, and so are the points of a leaf: one
pass over the columns measures eight boxes, or a whole leaf, at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from icefire.kernels.common import threads
from icefire.kernels.common.ranges import offsets
from icefire.kernels.neighbours.median_splits import median_split_order
from icefire.kernels.types import Float, Int

ARITY_BITS = 3
ARITY = 1 << ARITY_BITS
LEAF = 48  # most points of a leaf; where a tree has several, each has more than LEAF / ARITY - 1
NO_ROW = np.iinfo(np.int64).max  # the row of an empty place: it loses every tie


class KDForest(NamedTuple):
    """Trees over parts of one table, in flat arrays. Leaves, places for points and inner nodes count over all trees."""

    first_leaf: Int  # per tree, and one more for the end
    first_place: Int  # likewise
    first_inner: Int  # likewise
    points: Float  # leaf after leaf; inside a leaf column after column
    rows: Int  # per place: the row of the table, or NO_ROW
    boxes: Float  # inner node, column, lower or upper side, child
    lowest: Int  # inner node, child: the lowest row under it


def build_forest(x: Float, rows: Int, start: Int) -> KDForest:
    """Build one tree over each part rows[start[t]:start[t + 1]] of the table x (rows × columns); no part may be empty.

    O(n log n) on average. Memory: some two copies of the table.
    """
    sizes = np.diff(start)
    levels = np.zeros(len(sizes), np.int64)
    while np.any(crowded := sizes > LEAF << (ARITY_BITS * levels)):
        levels[crowded] += 1
    order = median_split_order(x, rows, start, ARITY_BITS * levels)
    leaves = 1 << (ARITY_BITS * levels)
    places, inner = offsets(leaves * -(-sizes // leaves)), offsets((leaves - 1) // (ARITY - 1))
    forest = KDForest(
        offsets(leaves),
        places,
        inner,
        np.empty(places[-1] * x.shape[1]),
        np.empty(places[-1], np.int64),
        np.empty((inner[-1], x.shape[1], 2, ARITY)),
        np.empty((inner[-1], ARITY), np.int64),
    )
    threads.starmap(_fill_leaves, [(x, order, start, forest, *span) for span in threads.spans(int(leaves.sum()), 64)])
    _box_inner_nodes(forest)
    return forest


@numba.njit(nogil=True, cache=True)
def _fill_leaves(x, order, start, forest, first, last):  # type: ignore[no-untyped-def]
    """Copy the points of leaves first … last - 1 into their places, and set the boxes of the leaves."""
    t = 0
    for leaf in range(first, last):
        while leaf >= forest.first_leaf[t + 1]:
            t += 1
        leaves, size = forest.first_leaf[t + 1] - forest.first_leaf[t], start[t + 1] - start[t]
        j = leaf - forest.first_leaf[t]
        low, high = start[t] + size * j // leaves, start[t] + size * (j + 1) // leaves
        width = -(-size // leaves)
        place = forest.first_place[t] + width * j
        lowest = NO_ROW
        for i in range(width):
            row = order[low + i] if low + i < high else NO_ROW
            forest.rows[place + i] = row
            lowest = min(lowest, row)
        for c in range(x.shape[1]):
            at, lower, upper = place * x.shape[1] + width * c, np.inf, -np.inf
            for i in range(width):
                forest.points[at + i] = np.inf
            for i in range(high - low):
                value = x[order[low + i], c]
                forest.points[at + i] = value
                lower, upper = min(lower, value), max(upper, value)
            if leaves > 1:
                parent = forest.first_inner[t + 1] + (j - leaves) // ARITY  # the last inner nodes
                forest.boxes[parent, c, 0, j % ARITY] = lower
                forest.boxes[parent, c, 1, j % ARITY] = upper
                forest.lowest[parent, j % ARITY] = lowest


def _box_inner_nodes(forest: KDForest) -> None:
    """Set the boxes of the inner nodes of all trees, level by level upwards."""
    tree = np.repeat(np.arange(len(forest.first_inner) - 1), np.diff(forest.first_inner))
    node = np.arange(len(tree)) - forest.first_inner[tree]
    level = np.searchsorted(ARITY ** np.arange(1, 20) // (ARITY - 1), node, side="right")
    for deepest in range(level.max(initial=0), 0, -1):
        at = np.flatnonzero(level == deepest)
        parent, child = forest.first_inner[tree[at]] + (node[at] - 1) // ARITY, (node[at] - 1) % ARITY
        forest.boxes[parent, :, 0, child] = forest.boxes[at, :, 0].min(axis=2)
        forest.boxes[parent, :, 1, child] = forest.boxes[at, :, 1].max(axis=2)
        forest.lowest[parent, child] = forest.lowest[at].min(axis=1)

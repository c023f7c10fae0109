"""Distance of a class from the table where values form a tree: the hierarchical earth mover's distance of t-closeness.

The surplus of a subtree is moved to its siblings first, and only the rest higher up. A node has no surplus unless the
class has rows below it, so that only the ancestors of the class's own values are visited.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import compiled_if_worth
from icefire.kernels.grouping.class_statistics import class_spans
from icefire.kernels.types import Float, Int, Int32


@njit(nogil=True, cache=True)
def _rows_below(totals, parents, first):  # type: ignore[no-untyped-def]
    """Return how many rows of the table lie below each node; the root is the last one."""
    below = np.zeros(len(parents) + 1, np.int64)
    for leaf in range(len(totals)):
        below[leaf] = totals[leaf]
    for level in range(len(first) - 1):
        for node in range(first[level], first[level + 1]):
            below[first[level + 1] + parents[node]] += below[node]
    return below


@njit(nogil=True, cache=True)
def _moved_mass(nodes, count, counts, surplus, below, parents, first, size, n):  # type: ignore[no-untyped-def]
    """Sum over the nodes above the class: height times the mass that passes through them and no higher.

    `nodes` holds the leaves of the class, `counts` the rows of the class at each; `surplus` is all 0. Both are cleared.
    """
    total = 0.0
    for level in range(len(first) - 1):
        above = 0
        for i in range(count):
            node = nodes[i]
            extra = counts[node] * n - below[node] * size
            parent = first[level + 1] + parents[node]
            if counts[parent] == 0:
                # Parents are no more than children, so that they overwrite only nodes already read.
                nodes[above] = parent
                above += 1
            counts[parent] += counts[node]
            surplus[parent] += max(extra, 0)
            counts[node] = 0
        count = above
        for i in range(count):
            node = nodes[i]
            # The surplus of its children is moved to those with a deficit, as far as that goes.
            lack = surplus[node] - (counts[node] * n - below[node] * size)
            total += (level + 1) * float(min(surplus[node], lack))
            surplus[node] = 0
    counts[len(parents)] = 0
    return total / (len(first) - 1)


@njit(nogil=True, cache=True)
def _tree_distances(codes, rows, start, below, parents, first, out, begin, end):  # type: ignore[no-untyped-def]
    """Write the distances of classes begin … end - 1."""
    n = below[-1]
    counts, surplus = np.zeros(len(below), np.int64), np.zeros(len(below), np.int64)
    nodes = np.empty(first[1], np.int64)
    for block in range(begin, end):
        size = start[block + 1] - start[block]
        if size == 0:
            continue
        leaves = np.int64(0)  # of a fixed type, or `_moved_mass` would be compiled for the constant, too
        for i in range(start[block], start[block + 1]):
            leaf = codes[rows[i]]
            if counts[leaf] == 0:
                nodes[leaves] = leaf
                leaves += 1
            counts[leaf] += 1
        out[block] = _moved_mass(nodes, leaves, counts, surplus, below, parents, first, size, n) / size / n


def tree_distances(codes: Int32, totals: Int, rows: Int, start: Int, parents: Int, first: Int) -> Float:
    """Return the hierarchical earth mover's distance of every class from the table; 0 for an empty class.

    Args:
        codes: For each row of the table its leaf, numbered from 0.
        totals: For each leaf how many rows of the table have it.
        rows: The rows sorted by class.
        start: Where each class begins in `rows`, and one more for the end.
        parents: For every node but the root, level by level from the leaves up, the number of its parent within the
            level above.
        first: Where each level begins among all nodes, and the number of the root.

    Returns:
        One distance from 0 to 1 per class.
    """
    out = np.zeros(len(start) - 1)
    below = compiled_if_worth(_rows_below, len(parents))(totals, parents, first)
    calls = [(codes, rows, start, below, parents, first, out, *cut) for cut in class_spans(start)]
    threads.starmap(compiled_if_worth(_tree_distances, len(rows) * 2 * len(first)), calls)
    return out

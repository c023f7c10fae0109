"""A binary tree over original rows that lets a search leave most of them out.

Each node restricts one column to one half of its levels. The column is the one that leaves fewest rows to visit: for
sampled released rows, a half counts as much as its highest ratio is near the highest of the whole column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.linkage.level_trees import LevelTrees, Peaks
from icefire.kernels.types import Bool, Float, Int32

LEAF = 32
"""Rows that are not divided further."""
TOGETHER = 4096
"""More rows than this that the dividing columns leave together are divided by the other columns."""
COUNTED = 128
"""Rows of a node that are counted to choose its column."""
LEAST_GAIN = 0.02
"""Least share of visits that dividing a node must save."""
TOLERANCE = 2.0
"""A half whose highest score is lower by this much is visited exp(-1) times as often."""


class RowTree(NamedTuple):
    """Nodes of the tree; node 0 is the root, and the children of node v are child[v] and child[v] + 1."""

    order: Int32
    """Original rows in the order of the leaves."""
    first: Int32
    """Node v holds order[first[v]:last[v]]."""
    last: Int32
    child: Int32
    """-1 for a leaf."""
    column: Int32
    """The column that divides the node."""
    inside: Int32
    """Nodes × columns: the node of each column's levels that the rows belong to."""


def expected_visits(trees: LevelTrees, table: Peaks, y_sample: Int32) -> list[Float]:
    """Return for every column how often each node of its levels is visited for sampled released rows.

    Args:
        trees: Trees of the columns' levels.
        table: Highest log ratios of their nodes.
        y_sample: Levels of some released rows: rows × columns.
    """
    visits = [np.zeros(count) for count in trees.nodes]
    for c, line in enumerate(visits):
        _add_visits(table.entries, table.base[c], trees.roots[c], y_sample[:, c].copy(), line)
    return visits


@njit(nogil=True, cache=True)
def _add_visits(entries, base, root, levels, visits):  # type: ignore[no-untyped-def]
    for level in levels:
        offset = base + level * visits.size
        for v in range(visits.size):
            visits[v] += np.exp((entries[offset + v] - entries[offset + root]) / TOLERANCE)


def row_tree(trees: LevelTrees, visits: list[Float], x_rows: np.ndarray, dividing: Bool) -> RowTree:
    """Build the tree.

    Args:
        trees: Trees of the columns' levels.
        visits: See `expected_visits`.
        x_rows: Levels of the original rows: rows × columns (uint16).
        dividing: Which columns divide nodes; the others divide what these leave together, if it is much.
    """
    n, columns = x_rows.shape
    bound = 4 * (n // LEAF + 1) + 8
    order = np.arange(n, dtype=np.int32)
    first, last, child, column = (np.zeros(bound, np.int32) for _ in range(4))
    nodes = (first, last, child, column, np.zeros((bound, columns), np.int32))
    places = np.cumsum(np.append(0, trees.nodes))[:-1]
    count = _grow(*trees, trees.roots, places, np.concatenate(visits), x_rows, dividing, order, *nodes)
    return RowTree(order, *(array[:count].copy() for array in nodes))


@njit(nogil=True, cache=True)
def _grow(  # type: ignore[no-untyped-def]
    levels, start, left, right, cut, roots, places, visits, x_rows, dividing, order, first, last, child, column, inside
):
    n, columns = x_rows.shape
    scratch = np.empty(n, np.int32)
    first[0], last[0] = 0, n
    for c in range(columns):
        inside[0, c] = roots[c]
    count, node = 1, 0
    while node < count:
        a, b = first[node], last[node]
        child[node] = -1
        chosen = -1
        if b - a > LEAF and count + 2 <= first.size:
            for turn in range(2):
                if chosen < 0 and (turn == 0 or b - a > TOGETHER):
                    chosen = _dividing_column(
                        levels, start, left, right, cut, places, visits, x_rows, dividing == (turn == 0), order, a, b,
                        inside[node],
                    )  # fmt: skip
        if chosen >= 0:
            at = start[chosen] + inside[node, chosen] - levels[chosen]
            middle = _divide(order, scratch, x_rows, chosen, cut[at], a, b)
            child[node], column[node] = count, chosen
            for side in range(2):
                new = count + side
                first[new], last[new] = (a, middle) if side == 0 else (middle, b)
                inside[new] = inside[node]
                inside[new, chosen] = left[at] if side == 0 else right[at]
            count += 2
        node += 1
    return count


@njit(nogil=True, cache=True)
def _dividing_column(  # type: ignore[no-untyped-def]
    levels, start, left, right, cut, places, visits, x_rows, allowed, order, a, b, inside
):
    """Return the column that leaves fewest rows of a node to visit; -1 if none saves enough."""
    best, chosen = 1.0 - LEAST_GAIN, -1
    step = max(1, (b - a) // COUNTED)
    for c in range(x_rows.shape[1]):
        v = inside[c]
        if v < levels[c] or not allowed[c]:
            continue
        at = start[c] + v - levels[c]
        below, seen = 0, 0
        for i in range(a, b, step):
            below += x_rows[order[i], c] < cut[at]
            seen += 1
        if below == 0 or below == seen:
            continue
        share = below / seen
        kept = share * visits[places[c] + left[at]] + (1.0 - share) * visits[places[c] + right[at]]
        kept /= visits[places[c] + v]
        if kept < best:
            best, chosen = kept, c
    return chosen


@njit(nogil=True, cache=True)
def _divide(order, scratch, x_rows, c, cut, a, b):  # type: ignore[no-untyped-def]
    """Put rows below the cut first; both parts keep their order."""
    middle, behind = a, 0
    for i in range(a, b):
        row = order[i]
        if x_rows[row, c] < cut:
            order[middle] = row
            middle += 1
        else:
            scratch[behind] = row
            behind += 1
    for i in range(behind):
        order[middle + i] = scratch[i]
    return middle

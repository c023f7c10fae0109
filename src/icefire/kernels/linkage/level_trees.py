"""Binary trees over the levels of each column, and the highest score inside every node of them.

A node is a range of original levels. Nodes 0 to levels - 1 are single levels; then come inner nodes, the root first.
`peaks` holds for every released level the highest log ratio of every node: whatever original level of the node a row
has, it cannot score more in this column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.types import Float, Int, Int32


class LevelTrees(NamedTuple):
    """The trees of all columns, one after the other."""

    levels: Int
    """Number of original levels of each column."""
    start: Int
    """Where the inner nodes of each column start; node v of column c is entry start[c] + v - levels[c]."""
    left: Int32
    right: Int32
    cut: Int32
    """Lowest level of the right child."""

    @property
    def nodes(self) -> Int:
        """Number of nodes of each column."""
        return 2 * self.levels - 1

    @property
    def roots(self) -> Int:
        """Root of each column; of a column with one level this level."""
        return np.where(self.levels > 1, self.levels, 0)


def level_trees(shares: Sequence[Float]) -> LevelTrees:
    """Cut the levels of each column in two, and so on, each time as near to equal frequency as possible."""
    levels = np.array([len(share) for share in shares], np.int64)
    start = np.cumsum(np.append(0, levels - 1))
    left, right, cut = (np.zeros(start[-1], np.int32) for _ in range(3))
    for c, share in enumerate(shares):
        inner = slice(start[c], start[c + 1])
        # Levels of equal, also of no frequency are cut in the middle.
        sums = np.cumsum(np.append(0.0, share + 1e-9))
        _tree(sums, left[inner], right[inner], cut[inner])
    return LevelTrees(levels, start[:-1], left, right, cut)


@njit(nogil=True, cache=True)
def _tree(sums, left, right, cut):  # type: ignore[no-untyped-def]
    levels = sums.size - 1
    low, high = np.empty(levels, np.int64), np.empty(levels, np.int64)
    if levels > 1:
        low[0], high[0] = 0, levels
    nodes = 1
    for at in range(levels - 1):
        a, b = low[at], high[at]
        half = 0.5 * (sums[a] + sums[b])
        middle = np.searchsorted(sums[a : b + 1], half) + a
        if middle > a + 1 and half - sums[middle - 1] < sums[middle] - half:
            middle -= 1
        middle = min(max(middle, a + 1), b - 1)
        cut[at] = middle
        left[at], right[at] = a, middle
        if middle - a > 1:
            left[at], low[nodes], high[nodes] = levels + nodes, a, middle
            nodes += 1
        if b - middle > 1:
            right[at], low[nodes], high[nodes] = levels + nodes, middle, b
            nodes += 1


class Peaks(NamedTuple):
    """Highest log ratios: entry of column c, released level b and node v is entries[base[c] + b * nodes[c] + v]."""

    entries: np.ndarray
    base: Int


def peaks(trees: LevelTrees, ratios: Sequence[Float]) -> Peaks:
    """Return the highest log ratio of every released level in every node, as float32.

    Args:
        trees: The trees of the columns.
        ratios: Their tables of ratios, released × original levels.
    """
    sizes = np.array([len(table) for table in ratios], np.int64) * trees.nodes
    base = np.cumsum(np.append(0, sizes))
    entries = np.empty(base[-1], np.float32)
    calls = []
    for c, table in enumerate(ratios):
        inner = slice(trees.start[c], trees.start[c] + trees.levels[c] - 1)
        rows = entries[base[c] : base[c + 1]].reshape(len(table), -1)
        calls += [
            (table, trees.left[inner], trees.right[inner], rows, a, b) for a, b in threads.spans(len(table), 256, 16)
        ]
    threads.starmap(_peaks, calls)
    return Peaks(entries, base[:-1])


@njit(nogil=True, cache=True)
def _peaks(ratios, left, right, rows, start, stop):  # type: ignore[no-untyped-def]
    levels = ratios.shape[1]
    for b in range(start, stop):
        for a in range(levels):
            rows[b, a] = np.log(ratios[b, a])
        for at in range(levels - 2, -1, -1):
            rows[b, levels + at] = max(rows[b, left[at]], rows[b, right[at]])

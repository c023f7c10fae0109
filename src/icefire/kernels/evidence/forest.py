"""Random regression and classification trees over columns in few levels; each leaf keeps the rows that fell into it.

The rows in the leaves of a target are its neighbours by the columns that tell something about the response.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.random_draws import random_below
from icefire.kernels.types import Float, Int, UInt8

DEPTH = 14
SMALLEST_LEAF = 5


class Response(NamedTuple):
    """What the trees are to explain: a class per row, or a number."""

    code: Int
    """The class of each row, -1 for a row that takes no part; without classes all 0."""
    number: Float
    classes: int
    """0 for numbers."""


@njit(nogil=True, cache=True)
def _gains(response, levels, rows, begin, end, column, size, counts, sums, best):  # type: ignore[no-untyped-def]
    """Find the best cut of a column: levels up to it go left. Writes gain, column and cut into `best` if it is better.

    The gain is the reduction of the sum of squares, of the number or of the indicators of the classes.
    """
    k = max(1, response.classes)
    counts[:size, :k] = 0
    sums[:size] = 0
    for i in range(begin, end):
        level = levels[rows[i], column]
        if response.classes:
            counts[level, response.code[rows[i]]] += 1
        else:
            counts[level, 0] += 1
            sums[level] += response.number[rows[i]]
    total = counts[:size, :k].sum(axis=0) if size > 0 else np.zeros(k, np.int64)
    whole, all_sum = end - begin, sums[:size].sum()
    left, n_left, left_sum = np.zeros(k, np.int64), 0, 0.0
    for cut in range(size - 1):
        for c in range(k):
            left[c] += counts[cut, c]
            n_left += counts[cut, c]
        left_sum += sums[cut]
        n_right = whole - n_left
        if n_left < SMALLEST_LEAF or n_right < SMALLEST_LEAF:
            continue
        gain = 0.0
        if response.classes:
            for c in range(k):
                right = total[c] - left[c]
                gain += left[c] * left[c] / n_left + right * right / n_right - total[c] * total[c] / whole
        else:
            right_sum = all_sum - left_sum
            gain = left_sum**2 / n_left + right_sum**2 / n_right - all_sum**2 / whole
        if gain > best[0] + 1e-9:
            best[0], best[1], best[2] = gain, column, cut


@njit(nogil=True, cache=True)
def _split(rows, begin, end, levels, column, cut):  # type: ignore[no-untyped-def]
    """Bring the rows that go left to the front; returns where the others begin."""
    front = begin
    for i in range(begin, end):
        if levels[rows[i], column] <= cut:
            rows[front], rows[i] = rows[i], rows[front]
            front += 1
    return front


@njit(nogil=True, cache=True)
def _grow(response, levels, sizes, tried, seed):  # type: ignore[no-untyped-def]
    """Grow one tree; returns its nodes (column or -1, cut, children, begin, end) and the rows in their order."""
    state = np.array([np.uint64(seed)])
    rows = np.flatnonzero(response.code >= 0)
    most = 2 * max(1, len(rows) // SMALLEST_LEAF) + 1
    nodes = np.full((most, 6), -1)
    nodes[0, 4], nodes[0, 5] = 0, len(rows)
    depth = np.zeros(most, np.int64)
    widest = sizes.max()
    counts = np.zeros((widest, max(1, response.classes)), np.int64)
    sums, best = np.zeros(widest), np.empty(3)
    columns = np.arange(levels.shape[1])
    used, node = 1, 0
    while node < used:
        begin, end = nodes[node, 4], nodes[node, 5]
        if depth[node] < DEPTH and end - begin >= 2 * SMALLEST_LEAF and used + 2 <= most:
            best[0] = 0.0
            for i in range(tried):
                other = i + random_below(state, len(columns) - i)
                columns[i], columns[other] = columns[other], columns[i]
                _gains(response, levels, rows, begin, end, columns[i], sizes[columns[i]], counts, sums, best)
            if best[0] > 0:
                column, cut = int(best[1]), int(best[2])
                middle = _split(rows, begin, end, levels, column, cut)
                nodes[node, 0], nodes[node, 1], nodes[node, 2], nodes[node, 3] = column, cut, used, used + 1
                nodes[used, 4], nodes[used, 5] = begin, middle
                nodes[used + 1, 4], nodes[used + 1, 5] = middle, end
                depth[used], depth[used + 1] = depth[node] + 1, depth[node] + 1
                used += 2
        node += 1
    return nodes[:used], rows


@njit(nogil=True, cache=True)
def _draw_rows(response, levels, targets, sizes, tried, seed, order, wanted, out, tree):  # type: ignore[no-untyped-def]
    """Grow a tree on reordered levels and write, for each target, rows of its leaf: evenly spaced, cyclic if few."""
    own, asked = np.empty_like(levels), np.empty_like(targets)
    for c in range(levels.shape[1]):
        own[:, c], asked[:, c] = order[c][levels[:, c]], order[c][targets[:, c]]
    nodes, rows = _grow(response, own, sizes, tried, seed)
    for i in range(len(targets)):
        node = 0
        while nodes[node, 0] >= 0:
            node = nodes[node, 2] if asked[i, nodes[node, 0]] <= nodes[node, 1] else nodes[node, 3]
        begin, size = nodes[node, 4], nodes[node, 5] - nodes[node, 4]
        for j in range(wanted):
            out[i, tree * wanted + j] = rows[begin + (j * size // wanted if size >= wanted else j % size)]


def leaf_rows(
    response: Response, levels: UInt8, targets: UInt8, sizes: Int, orders: list[UInt8], seeds: Int, wanted: int
) -> Int:
    """Return rows from the leaves of each target in all trees.

    Args:
        response: What the trees explain; at least one row takes part.
        levels: rows × columns: levels from 0, as few as `sizes` says.
        targets: The same of the targets.
        sizes: Number of levels of each column.
        orders: For each tree, the new number of every level: columns × levels.
        seeds: One per tree.
        wanted: Rows taken from each leaf; a smaller leaf repeats its rows.

    Returns:
        targets × (trees · wanted) rows.
    """
    tried = max(1, round(levels.shape[1] ** 0.5 + 1))
    tried = min(tried, levels.shape[1])
    out = np.empty((len(targets), len(seeds) * wanted), np.int64)
    calls = [
        (response, levels, targets, sizes, tried, int(seed), order, wanted, out, tree)
        for tree, (seed, order) in enumerate(zip(seeds, orders, strict=True))
    ]
    threads.starmap(_draw_rows, calls)
    return out

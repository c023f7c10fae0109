"""Forests of kd-trees laid out for vector units: every node has eight children, every leaf is a small tile.

A tree is balanced and has no pointers: node i has children 8i+1 … 8i+8, and the points of a node are a range
known from its number alone. The boxes of the eight children lie side by side, column by column, as do the
points of a leaf, so that one pass over the columns measures eight boxes, or a whole leaf, at once.

Distances to boxes are summed over the columns in the same order as distances to points. Rounding is monotone,
so a box is never farther than a point inside it, not even by the last digit, and no tie is ever cut off.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from icefire.kernels import threads

ARITY_BITS = 3
ARITY = 1 << ARITY_BITS
LEAF = 48  # most points of a leaf; a leaf has more than LEAF / ARITY
BIG = 1 << 15  # points from which one tree is built by all threads
SHARED_LEVELS = 5  # levels of halving before a big tree is dealt out: 32 parts
NO_ROW = np.iinfo(np.int64).max  # the row of an empty place: it loses every tie


class Forest(NamedTuple):
    """Trees over parts of one table, in flat arrays. Places are numbered over all trees, and so are inner nodes."""

    first_place: NDArray[np.int64]  # per tree: the place of its first leaf
    first_node: NDArray[np.int64]  # per tree: its root among the inner nodes
    inner: NDArray[np.int64]  # per tree: how many inner nodes
    width: NDArray[np.int64]  # per tree: places of a leaf
    points: NDArray[np.float64]  # leaf after leaf; inside a leaf column after column
    rows: NDArray[np.int64]  # per place: the row of the table, or NO_ROW
    boxes: NDArray[np.float64]  # inner node, column, lower or upper side, child
    lowest: NDArray[np.int64]  # inner node, child: the lowest row under it


def plant(x: NDArray[np.float64], rows: NDArray[np.int64], start: NDArray[np.int64]) -> Forest:
    """Build one tree over each part rows[start[t]:start[t + 1]] of the table; no part may be empty."""
    sizes = np.diff(start)
    levels = np.zeros(len(sizes), np.int64)
    while np.any(crowded := sizes > LEAF << (ARITY_BITS * levels)):
        levels[crowded] += 1
    leaves = 1 << (ARITY_BITS * levels)
    inner = (leaves - 1) // (ARITY - 1)
    width = -(-sizes // leaves)
    places, nodes = _starts(leaves * width), _starts(inner)
    forest = Forest(
        places[:-1],
        nodes[:-1],
        inner,
        width,
        np.empty(places[-1] * x.shape[1]),
        np.empty(places[-1], np.int64),
        np.empty((nodes[-1], x.shape[1], 2, ARITY)),
        np.empty((nodes[-1], ARITY), np.int64),
    )
    order = rows.copy()
    _sort_into_leaves(x, order, start, ARITY_BITS * levels, forest)
    _close(forest)
    return forest


def _starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def _sort_into_leaves(
    x: NDArray[np.float64],
    order: NDArray[np.int64],
    start: NDArray[np.int64],
    depth: NDArray[np.int64],
    forest: Forest,
) -> None:
    """Halve every part until it is a leaf: small trees whole, big ones level by level and then part by part."""
    keys = np.empty(len(order))
    common = (x, order, keys, start, depth)
    sizes = np.diff(start)
    big = np.flatnonzero(sizes > BIG)
    for level in range(SHARED_LEVELS):
        threads.run(_halve, [(*common, t, t + 1, level, j, level + 1) for t in big for j in range(1 << level)])
    parts = [(t, t + 1, SHARED_LEVELS, j) for t in big for j in range(1 << SHARED_LEVELS)]
    edges = [-1, *big.tolist(), len(sizes)]
    for before, after in zip(edges[:-1], edges[1:], strict=True):
        parts += [
            (before + 1 + a, before + 1 + b, 0, 0) for a, b in threads.spans(after - before - 1, smallest=8)
        ]
    threads.run(_fill, [(*common, *part, forest) for part in parts])


@numba.njit(nogil=True, cache=True)
def _halve(x, order, keys, start, depth, first, last, level, index, until) -> Any:  # type: ignore[no-untyped-def]
    """Split part `index` of `level` of the given trees by medians, down to level `until` or to the leaves."""
    for t in range(first, last):
        size = start[t + 1] - start[t]
        for step in range(min(until, depth[t]) - level):
            now = level + step
            for j in range(index << step, (index + 1) << step):
                low = start[t] + (size * j >> now)
                high = start[t] + (size * (j + 1) >> now)
                middle = start[t] + (size * (2 * j + 1) >> (now + 1))
                column = _widest(x, order[low:high])
                for i in range(low, high):
                    keys[i] = x[order[i], column]
                _select(keys[low:high], order[low:high], middle - low)


@numba.njit(nogil=True, cache=True)
def _widest(x, rows) -> Any:  # type: ignore[no-untyped-def]
    """Return the column in which a sample of the rows spreads most."""
    step = max(1, rows.size >> 7)
    best, widest = 0, -1.0
    for c in range(x.shape[1]):
        total, count, spread = 0.0, 0, 0.0
        for i in range(0, rows.size, step):
            total += x[rows[i], c]
            count += 1
        for i in range(0, rows.size, step):
            spread += abs(x[rows[i], c] - total / count)
        if spread > widest:
            best, widest = c, spread
    return best


@numba.njit(nogil=True, cache=True)
def _select(keys, rows, middle) -> Any:  # type: ignore[no-untyped-def]
    """Reorder keys, and rows with them, so that no key before `middle` is above one after it (quickselect)."""
    low, high = 0, keys.size - 1
    while low < high:
        a, b, c = keys[low], keys[(low + high) >> 1], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while pivot < keys[j]:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                rows[i], rows[j] = rows[j], rows[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@numba.njit(nogil=True, cache=True)
def _fill(x, order, keys, start, depth, first, last, level, index, forest) -> Any:  # type: ignore[no-untyped-def]
    """Finish part `index` of `level` of the given trees: halve it to leaves, copy their points, box them."""
    _halve(x, order, keys, start, depth, first, last, level, index, 62)
    for t in range(first, last):
        below = depth[t] - level
        for leaf in range(index << below, (index + 1) << below):
            low = start[t] + ((start[t + 1] - start[t]) * leaf >> depth[t])
            high = start[t] + ((start[t + 1] - start[t]) * (leaf + 1) >> depth[t])
            place = forest.first_place[t] + leaf * forest.width[t]
            lowest = NO_ROW
            for i in range(forest.width[t]):
                row = order[low + i] if low + i < high else NO_ROW
                forest.rows[place + i] = row
                lowest = min(lowest, row)
            node = forest.inner[t] + leaf
            for c in range(x.shape[1]):
                a, b = np.inf, -np.inf
                at = place * x.shape[1] + c * forest.width[t]
                for i in range(high - low):
                    value = x[order[low + i], c]
                    forest.points[at + i] = value
                    a, b = min(a, value), max(b, value)
                for i in range(high - low, forest.width[t]):
                    forest.points[at + i] = np.inf
                if node > 0:
                    _box(forest, t, node, c, a, b, lowest)


@numba.njit(nogil=True, cache=True)
def _box(forest, t, node, c, a, b, lowest) -> Any:  # type: ignore[no-untyped-def]
    """Write one column of a node's box into its parent."""
    parent, child = forest.first_node[t] + (node - 1) // ARITY, (node - 1) % ARITY
    forest.boxes[parent, c, 0, child] = a
    forest.boxes[parent, c, 1, child] = b
    forest.lowest[parent, child] = lowest


@numba.njit(nogil=True, cache=True)
def _close(forest) -> Any:  # type: ignore[no-untyped-def]
    """Box the inner nodes, from the last to the root."""
    for t in range(forest.inner.size):
        for node in range(forest.inner[t] - 1, 0, -1):
            mine = forest.first_node[t] + node
            lowest = NO_ROW
            for child in range(ARITY):
                lowest = min(lowest, forest.lowest[mine, child])
            for c in range(forest.boxes.shape[1]):
                a, b = np.inf, -np.inf
                for child in range(ARITY):
                    a = min(a, forest.boxes[mine, c, 0, child])
                    b = max(b, forest.boxes[mine, c, 1, child])
                _box(forest, t, node, c, a, b, lowest)

"""Random regression and classification trees over columns in few levels; each leaf keeps the rows that fell into it.

The rows in the leaves of a target are its neighbours by the columns that tell something about the response.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.inner import njit_inner
from icefire.kernels.common.interpreted import BY_NUMPY, SLOW_TO_COMPILE, compiled_if_worth
from icefire.kernels.common.random_draws import random_below, random_numbers_below
from icefire.kernels.types import Bool, Float, Int, UInt8

DEPTH = 14
SMALLEST_LEAF = 5
STEPS_PER_CUT = 16
"""Steps of plain Python that take as long as numpy takes for the best cut of a column in one node, however small."""


class Response(NamedTuple):
    """What the trees are to explain: a class per row, or a number."""

    code: Int
    """The class of each row, -1 for a row that takes no part; without classes all 0."""
    number: Float
    classes: int
    """0 for numbers."""


@njit_inner
def _tally(code, number, classes, levels, rows, begin, end, columns, tried, sizes, counts, sums):  # type: ignore[no-untyped-def]
    """Count the rows of a node by the levels of the columns tried, and by class, or sum up their numbers.

    `number` stands in the order of `rows`. All columns are read in one pass: they stand side by side in a row.
    """
    for t in range(tried):
        for level in range(sizes[columns[t]]):
            for c in range(max(1, classes)):
                counts[t, level, c] = 0
            sums[t, level] = 0.0
    for i in range(begin, end):
        row = rows[i]
        if classes:
            c = code[row]
            for t in range(tried):
                counts[t, levels[row, columns[t]], c] += 1
        else:
            value = number[i]
            for t in range(tried):
                level = levels[row, columns[t]]
                counts[t, level, 0] += 1
                sums[t, level] += value


@njit_inner
def _gains(classes, column, size, counts, sums, whole, best):  # type: ignore[no-untyped-def]
    """Find the best cut of a column: levels up to it go left. Writes gain, column and cut into `best` if it is better.

    The gain is the reduction of the sum of squares, of the number or of the indicators of the classes. The last two
    lines of `counts` are for the sums of all levels and of those that go left.
    """
    k = max(1, classes)
    total, left = counts.shape[0] - 2, counts.shape[0] - 1
    for c in range(k):
        counts[total, c] = counts[left, c] = 0
    all_sum = 0.0
    for level in range(size):
        for c in range(k):
            counts[total, c] += counts[level, c]
        all_sum += sums[level]
    n_left, left_sum, before = 0, 0.0, 0
    for cut in range(size - 1):
        for c in range(k):
            counts[left, c] += counts[cut, c]
            n_left += counts[cut, c]
        left_sum += sums[cut]
        n_right = whole - n_left
        if n_right < SMALLEST_LEAF:
            return
        # A level without rows gains what the cut before it does.
        if n_left < SMALLEST_LEAF or n_left == before:
            continue
        before = n_left
        gain = 0.0
        if classes:
            for c in range(k):
                here, there = counts[left, c], counts[total, c] - counts[left, c]
                gain += here * here / n_left + there * there / n_right - counts[total, c] * counts[total, c] / whole
        else:
            right_sum = all_sum - left_sum
            gain = left_sum * left_sum / n_left + right_sum * right_sum / n_right - all_sum * all_sum / whole
        if gain > best[0] + 1e-9:
            best[0], best[1], best[2] = gain, column, cut


@njit_inner
def _divide_rows(levels, rows, number, begin, end, column, cut):  # type: ignore[no-untyped-def]
    """Bring the rows that go left to the front, their numbers with them, and return the place after them.

    Rows are exchanged with themselves where they stay: no processor could foresee which ones do.
    """
    middle = begin
    for i in range(begin, end):
        goes_left = levels[rows[i], column] <= cut
        row, other = rows[i], rows[middle]
        rows[middle] = row if goes_left else other
        rows[i] = other if goes_left else row
        value, other_value = number[i], number[middle]
        number[middle] = value if goes_left else other_value
        number[i] = other_value if goes_left else value
        middle += np.int64(goes_left)
    return middle


@njit(nogil=True, cache=True)
def _grow(code, number, classes, levels, sizes, tried, state, rows, nodes, columns, counts, sums, best):  # type: ignore[no-untyped-def]
    """Grow one tree; writes its nodes (column or -1, cut, children, begin, end, depth) and brings the rows in order.

    `number` belongs to `rows`, and is brought in order with them.
    """
    used, node = 1, 0
    while node < used:
        begin, end = nodes[node, 4], nodes[node, 5]
        if nodes[node, 6] < DEPTH and end - begin >= 2 * SMALLEST_LEAF and used + 2 <= nodes.shape[0]:
            for i in range(tried):
                other = i + random_below(state, columns.size - i)
                columns[i], columns[other] = columns[other], columns[i]
            best[0] = 0.0
            _tally(code, number, classes, levels, rows, begin, end, columns, tried, sizes, counts, sums)
            for t in range(tried):
                _gains(classes, columns[t], sizes[columns[t]], counts[t], sums[t], end - begin, best)
            if best[0] > 0:
                column, cut = np.int64(best[1]), np.int64(best[2])
                middle = _divide_rows(levels, rows, number, begin, end, column, cut)
                nodes[node, 0], nodes[node, 1], nodes[node, 2], nodes[node, 3] = column, cut, used, used + 1
                nodes[used, 4], nodes[used, 5] = begin, middle
                nodes[used + 1, 4], nodes[used + 1, 5] = middle, end
                nodes[used, 6] = nodes[used + 1, 6] = nodes[node, 6] + 1
                used += 2
        node += 1


def _grow_by_numpy(
    code: Int,
    number: Float,
    classes: int,
    levels: UInt8,
    sizes: Int,
    tried: int,
    state: np.ndarray,
    rows: Int,
    nodes: Int,
    columns: Int,
    counts: Int,
    _: Float,
    best: Float,
) -> None:
    """Do what `_grow` does: the same sums in the same order, for all cuts of the columns of a node at once."""
    draws = random_numbers_below(int(state[0]))
    order, of_row = columns.tolist(), code if classes else np.zeros(len(code), np.int64)
    number_of_row = np.zeros(len(code))
    number_of_row[rows] = number
    used = node = 0
    while node <= used:
        _, _, _, _, begin, end, depth = nodes[node].tolist()
        if depth < DEPTH and end - begin >= 2 * SMALLEST_LEAF and used + 3 <= len(nodes):
            for i in range(tried):
                other = i + draws(len(order) - i)
                order[i], order[other] = order[other], order[i]
            here, names = rows[begin:end], order[:tried]
            split = _best_split(of_row[here], number_of_row[here], classes, levels[here][:, names], counts.shape[1] - 2)
            if split is not None:
                column, cut = names[split[0]], split[1]
                middle = begin + _divide(here, levels[here, column] <= cut)
                nodes[node, :4] = column, cut, used + 1, used + 2
                nodes[used + 1, 4:], nodes[used + 2, 4:] = (begin, middle, depth + 1), (middle, end, depth + 1)
                used += 2
        node += 1


def _best_split(code: Int, number: Float, classes: int, levels: UInt8, size: int) -> tuple[int, int] | None:
    """Do what `_gains` does for the rows of a node and some columns; levels that no row has make no difference.

    Returns:
        The place of the column and the cut; None if no cut gains anything.
    """
    k, (whole, tried) = max(1, classes), levels.shape
    places = levels + np.arange(tried) * size
    left = np.bincount((places * k + code[:, None]).ravel(), minlength=tried * size * k).reshape(tried, size, k)
    left = left.cumsum(axis=1)
    total, n_left = left[:, -1], left.sum(axis=2)
    # The last level leaves nothing on the right: it is no cut.
    column, cut = ((n_left >= SMALLEST_LEAF) & (n_left <= whole - SMALLEST_LEAF)).nonzero()
    if not len(cut):
        return None
    here, n = left[column, cut], n_left[column, cut]
    if classes:
        there, every = total[column] - here, total[column]
        parts = here * here / n[:, None] + there * there / (whole - n)[:, None] - every * every / whole
        gains = np.add.accumulate(parts, axis=1)[:, -1]
    else:
        sums = np.bincount(places.ravel(), np.repeat(number, tried), tried * size).reshape(tried, size).cumsum(axis=1)
        left_sum, all_sum = sums[column, cut], sums[column, -1]
        right_sum = all_sum - left_sum
        gains = left_sum * left_sum / n + right_sum * right_sum / (whole - n) - all_sum * all_sum / whole
    best, place = 0.0, -1
    for i, gain in enumerate(gains.tolist()):
        if gain > best + 1e-9:
            best, place = gain, i
    return None if place < 0 else (int(column[place]), int(cut[place]))


def _divide(rows: Int, is_left: Bool) -> int:
    """Bring the rows that go left to the front, in the order of `_grow`, and return how many they are."""
    order, middle = rows.tolist(), 0
    for i, goes_left in enumerate(is_left.tolist()):
        if goes_left:
            order[middle], order[i] = order[i], order[middle]
            middle += 1
    rows[:] = order
    return middle


def _reordered(order: UInt8, levels: UInt8) -> UInt8:
    """Give every level its new number."""
    out = np.empty_like(levels)
    for c in range(levels.shape[1]):
        out[:, c] = order[c][levels[:, c]]
    return out


class _Columns(NamedTuple):
    """What the trees divide by: the levels of rows and of targets, and the number of levels of each column."""

    levels: UInt8
    targets: UInt8
    sizes: Int

    def reordered(self, order: UInt8) -> _Columns:
        """Return the same with new numbers for the levels."""
        return _Columns(_reordered(order, self.levels), _reordered(order, self.targets), self.sizes)


def _draw_rows(response: Response, known: _Columns, order: UInt8 | None, seed: int, wanted: int, out: Int) -> None:
    """Grow a tree on reordered levels and write, for each target, rows of its leaf: evenly spaced, cyclic if few."""
    levels, targets, sizes = known if order is None else known.reordered(order)
    columns = np.arange(levels.shape[1])
    rows = np.flatnonzero(response.code >= 0)
    nodes = np.full((2 * max(1, len(rows) // SMALLEST_LEAF) + 1, 7), -1)
    nodes[0, 4:] = 0, len(rows), 0
    state, tried = np.array([seed]).view(np.uint64), min(round(len(columns) ** 0.5 + 1), len(columns))
    counts = np.empty((tried, sizes.max() + 2, max(1, response.classes)), np.int64)
    working = (state, rows, nodes, columns.copy(), counts, np.empty((tried, sizes.max())), np.empty(3))
    steps = len(rows) // SMALLEST_LEAF * tried * STEPS_PER_CUT * BY_NUMPY
    grow = compiled_if_worth(_grow, steps, _grow_by_numpy, SLOW_TO_COMPILE)
    grow(response.code, response.number[rows], response.classes, levels, sizes, tried, *working)
    leaf = np.zeros(len(targets), np.int64)
    inner = np.flatnonzero(nodes[leaf, 0] >= 0)
    while len(inner):
        node = nodes[leaf[inner]]
        leaf[inner] = np.where(targets[inner, node[:, 0]] <= node[:, 1], node[:, 2], node[:, 3])
        inner = inner[nodes[leaf[inner], 0] >= 0]
    begin, size, place = nodes[leaf, 4][:, None], (nodes[leaf, 5] - nodes[leaf, 4])[:, None], np.arange(wanted)
    out[:] = rows[begin + np.where(size >= wanted, place * size // wanted, place % size)]


def leaf_rows(
    response: Response,
    levels: UInt8,
    targets: UInt8,
    sizes: Int,
    orders: list[UInt8] | UInt8,
    seeds: Int,
    wanted: int,
) -> Int:
    """Return rows from the leaves of each target in all trees.

    Args:
        response: What the trees explain; at least one row takes part.
        levels: rows × columns: levels from 0, as few as `sizes` says.
        targets: The same of the targets.
        sizes: Number of levels of each column.
        orders: For each tree, or for all, the new number of every level: columns × levels.
        seeds: One per tree.
        wanted: Rows taken from each leaf; a smaller leaf repeats its rows.

    Returns:
        targets × (trees · wanted) rows.
    """
    out = np.empty((len(targets), len(seeds), wanted), np.int64)
    known = _Columns(levels, targets, sizes)
    each: list[UInt8 | None] = [None] * len(seeds)
    if isinstance(orders, list):
        each = list(orders)
    else:
        known = known.reordered(orders)
    calls = [
        (response, known, order, int(seed), wanted, out[:, tree])
        for tree, (seed, order) in enumerate(zip(seeds, each, strict=True))
    ]
    threads.starmap(_draw_rows, calls)
    return out.reshape(len(targets), -1)

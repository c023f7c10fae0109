"""Greedy growth of classes of k rows: from a seed, always the row that makes the class lose least is added.

Classes are grown one after the other; rows left over join the class where they cost least.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common.inner import njit_inner
from icefire.kernels.recoding.value_trees import add_row, class_cost, common_level, joint_cost


@njit_inner
def column_offsets(forest):  # type: ignore[no-untyped-def]
    """Return where the table of each column begins, and working memory for all tables."""
    begin = np.zeros(len(forest.size), np.int64)
    total = 0
    for c in range(len(forest.size)):
        begin[c] = total
        total += forest.size[c]
    return begin, np.empty(total)


@njit_inner
def tabulate_losses(forest, c, rep, level, tables, begin):  # type: ignore[no-untyped-def]
    """Write what column c would lose with each of its leaves in a class.

    Args:
        forest: The trees.
        c: The column.
        rep: Leaf of the class.
        level: Level of the class.
        tables: Written from `begin` on: one loss per leaf.
        begin: See `tables`.
    """
    size, first = forest.size[c], forest.first[c]
    for leaf in range(size):
        h = common_level(forest, c, rep, level, leaf)
        tables[begin + leaf] = forest.loss[forest.path[first + h * size + leaf]]


@njit_inner
def _search(tables, begin, codes, rows, label, start, count, now, best, cheapest):  # type: ignore[no-untyped-def]
    """Look from `start` for a free row that costs the class nothing; note the cheapest other one on the way."""
    for i in range(start, count):
        total = 0.0
        for c in range(codes.shape[1]):
            total += tables[begin[c] + codes[i, c]]
        if total < best and label[rows[i]] < 0:
            if total <= now:
                return i, best, cheapest
            best, cheapest = total, i
    return -1, best, cheapest


@njit_inner
def _fill(forest, tables, begin, codes, rows, count, label, a, k, reps, levels):  # type: ignore[no-untyped-def]
    """Add k - 1 rows to class a, which holds its seed."""
    columns = codes.shape[1]
    for c in range(columns):
        tabulate_losses(forest, c, reps[a, c], 0, tables, begin[c])
    now, best, cheapest, start = 0.0, np.inf, -1, 0
    for _ in range(k - 1):
        free, best, cheapest = _search(tables, begin, codes, rows, label, start, count, now, best, cheapest)
        if free >= 0:
            label[rows[free]] = a
            start = free + 1
            continue
        label[rows[cheapest]] = a
        for c in range(columns):
            h = common_level(forest, c, reps[a, c], levels[a, c], codes[cheapest, c])
            if h > levels[a, c]:
                levels[a, c] = h
                tabulate_losses(forest, c, reps[a, c], h, tables, begin[c])
        now, best, cheapest, start = best, np.inf, -1, 0


@njit_inner
def _compact(codes, rows, label, count):  # type: ignore[no-untyped-def]
    """Move the free rows to the front, in order; returns their number."""
    kept = 0
    for i in range(count):
        if label[rows[i]] < 0:
            rows[kept] = rows[i]
            for c in range(codes.shape[1]):
                codes[kept, c] = codes[i, c]
            kept += 1
    return kept


@njit_inner
def _cheapest_class(forest, codes, alone, row, reps, levels, sizes, count):  # type: ignore[no-untyped-def]
    """Return the class that a row joins at the least total loss."""
    best, cheapest = np.inf, -1
    for a in range(count):
        more = (sizes[a] + 1) * joint_cost(forest, reps, levels, a, codes, row, alone)
        more -= sizes[a] * class_cost(forest, reps, levels, a)
        if more < best:
            best, cheapest = more, a
    return cheapest


@njit_inner
def _place_rest(forest, codes, label, reps, levels, sizes, count):  # type: ignore[no-untyped-def]
    """Add each row still free to the class where it costs least; returns the loss of all classes."""
    alone = np.zeros(codes.shape, np.int32)
    for row in range(len(codes)):
        if label[row] < 0:
            a = _cheapest_class(forest, codes, alone, row, reps, levels, sizes, count)
            add_row(forest, reps, levels, a, codes, row)
            label[row] = a
            sizes[a] += 1
    lost = 0.0
    for a in range(count):
        lost += sizes[a] * class_cost(forest, reps, levels, a)
    return lost


@njit(nogil=True, cache=True)
def grow_classes(forest, codes, seeds, k):  # type: ignore[no-untyped-def]
    """Divide rows into classes of k, up to 2k - 1 where rows are left over.

    Seeds are tried in the order given; those beyond the rows are passed over. Ties go to the first row.

    Args:
        forest: The trees.
        codes: rows × columns.
        seeds: Rows to start classes from.
        k: Size of a class.

    Returns:
        Class of each row, number of classes, and loss of all rows. O(rows² · columns / k) at worst.
    """
    n, columns = codes.shape
    begin, tables = column_offsets(forest)
    label, rows, free = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(codes.shape, np.int32)
    for row in range(n):
        label[row], rows[row] = -1, row
        for c in range(columns):
            free[row, c] = codes[row, c]
    reps, levels = np.zeros((n // k, columns), np.int32), np.zeros((n // k, columns), np.int32)
    count, left, classes = n, n, 0
    for seed in seeds:
        if left < k:
            break
        if seed >= n or label[seed] >= 0:
            continue
        label[seed] = classes
        for c in range(columns):
            reps[classes, c] = codes[seed, c]
        _fill(forest, tables, begin, free, rows, count, label, classes, k, reps, levels)
        classes += 1
        left -= k
        if left < count - count // 8:
            count = _compact(free, rows, label, count)
    sizes = np.zeros(classes, np.int64)
    for a in range(classes):
        sizes[a] = k
    lost = _place_rest(forest, codes, label, reps, levels, sizes, classes)
    return label, classes, lost

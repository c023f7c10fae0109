"""Greedy growth of classes of k rows: from a seed, always the row that makes the class lose least is added.

Classes are grown one after the other; rows left over join the class where they cost least.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.recoding.value_trees import add_row, class_cost, common_level, joint_cost, njit_inner


@njit_inner
def column_offsets(forest):  # type: ignore[no-untyped-def]
    """Return where the table of each column begins, and room for all tables."""
    begin = np.zeros(len(forest.size), np.int64)
    total = 0
    for c in range(len(forest.size)):
        begin[c] = total
        total += forest.size[c]
    return begin, np.empty(total)


@njit_inner
def tabulate_losses(forest, c, rep, level, tables, begin):  # type: ignore[no-untyped-def]
    """Write down what column c would lose with each of its leaves in the class."""
    size, first = forest.size[c], forest.first[c]
    for leaf in range(size):
        h = common_level(forest, c, rep, level, leaf)
        tables[begin + leaf] = forest.loss[forest.path[first + h * size + leaf]]


@njit_inner
def _search(tables, begin, codes, rows, label, start, count, now, best, found):  # type: ignore[no-untyped-def]
    """Look from `start` for a free row that costs the class nothing; keep the cheapest other one on the way."""
    for i in range(start, count):
        total = 0.0
        for c in range(codes.shape[1]):
            total += tables[begin[c] + codes[i, c]]
        if total < best and label[rows[i]] < 0:
            if total <= now:
                return i, best, found
            best, found = total, i
    return -1, best, found


@njit_inner
def _fill(forest, tables, begin, codes, rows, count, label, a, k, reps, levels):  # type: ignore[no-untyped-def]
    """Add k - 1 rows to class a, which holds its seed."""
    columns = codes.shape[1]
    for c in range(columns):
        tabulate_losses(forest, c, reps[a, c], 0, tables, begin[c])
    now, best, found, start = 0.0, np.inf, -1, 0
    for _ in range(k - 1):
        free, best, found = _search(tables, begin, codes, rows, label, start, count, now, best, found)
        if free >= 0:
            label[rows[free]] = a
            start = free + 1
            continue
        label[rows[found]] = a
        for c in range(columns):
            h = common_level(forest, c, reps[a, c], levels[a, c], codes[found, c])
            if h > levels[a, c]:
                levels[a, c] = h
                tabulate_losses(forest, c, reps[a, c], h, tables, begin[c])
        now, best, found, start = best, np.inf, -1, 0


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
def _cheapest(forest, codes, alone, row, reps, levels, sizes, count):  # type: ignore[no-untyped-def]
    """Return the class that a row joins at the least loss in all."""
    best, found = np.inf, -1
    for a in range(count):
        more = (sizes[a] + 1) * joint_cost(forest, reps, levels, a, codes, row, alone)
        more -= sizes[a] * class_cost(forest, reps, levels, a)
        if more < best:
            best, found = more, a
    return found


@njit_inner
def _place_rest(forest, codes, label, reps, levels, sizes, count):  # type: ignore[no-untyped-def]
    """Put each row still free where it costs least; returns what all classes lose."""
    alone = np.zeros(codes.shape, np.int32)
    for row in range(len(codes)):
        if label[row] < 0:
            a = _cheapest(forest, codes, alone, row, reps, levels, sizes, count)
            add_row(forest, reps, levels, a, codes, row)
            label[row] = a
            sizes[a] += 1
    lost = 0.0
    for a in range(count):
        lost += sizes[a] * class_cost(forest, reps, levels, a)
    return lost


@njit(nogil=True, cache=True)
def grow_classes(forest, codes, seeds, k):  # type: ignore[no-untyped-def]
    """Cut rows into classes of k, up to 2k - 1 where rows are left over; returns labels, classes and the loss of all.

    Seeds are tried in the order given (those beyond the rows are passed over); among equals the first row is taken.
    """
    n, columns = codes.shape
    begin, tables = column_offsets(forest)
    label, rows, free = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(codes.shape, np.int32)
    for row in range(n):
        label[row], rows[row] = -1, row
        for c in range(columns):
            free[row, c] = codes[row, c]
    reps, levels = np.zeros((n // k, columns), np.int32), np.zeros((n // k, columns), np.int32)
    count, left, made = n, n, 0
    for seed in seeds:
        if left < k:
            break
        if seed >= n or label[seed] >= 0:
            continue
        label[seed] = made
        for c in range(columns):
            reps[made, c] = codes[seed, c]
        _fill(forest, tables, begin, free, rows, count, label, made, k, reps, levels)
        made += 1
        left -= k
        if left < count - count // 8:
            count = _compact(free, rows, label, count)
    sizes = np.zeros(made, np.int64)
    for a in range(made):
        sizes[a] = k
    lost = _place_rest(forest, codes, label, reps, levels, sizes, made)
    return label, made, lost

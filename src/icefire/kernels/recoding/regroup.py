"""Improve classes: each is pooled with its nearest and grown again; the result is kept if it loses less."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common.inner import njit_inner
from icefire.kernels.recoding.grow import column_offsets, grow_classes, tabulate_losses
from icefire.kernels.recoding.value_trees import (
    ValueForest,
    add_row,
    class_cost,
    class_costs,
    restrict_forest,
    summarise_classes,
)
from icefire.kernels.types import Float, Int, Int32

LOSS_DISCOUNT = 0.35
"""Neighbours that lose much count as nearer, by this share of their loss: regrouping can improve them most."""


class _ResizableClasses(NamedTuple):
    """Classes that change, with room for more: class a has the rows members[a, :sizes[a]]."""

    members: Int
    sizes: Int
    reps: Int32
    levels: Int32
    lost: Float
    """What a row of each class loses."""


@njit_inner
def _neighbours(forest, tables, begin, classes, a, count, ids, gaps):  # type: ignore[no-untyped-def]
    """Write class a and the classes whose first rows it could take in at least loss into `ids`."""
    columns, last = classes.reps.shape[1], len(ids) - 1
    for c in range(columns):
        tabulate_losses(forest, c, classes.reps[a, c], classes.levels[a, c], tables, begin[c])
    for j in range(len(gaps)):
        gaps[j] = np.inf
    ids[0] = a
    for b in range(count):
        gap = -LOSS_DISCOUNT * classes.lost[b]
        for c in range(columns):
            gap += tables[begin[c] + classes.reps[b, c]]
        if gap < gaps[last] and b != a:
            j = last
            while j > 1 and gaps[j - 1] > gap:
                gaps[j], ids[j] = gaps[j - 1], ids[j - 1]
                j -= 1
            gaps[j], ids[j] = gap, b


@njit_inner
def _pool(codes, classes, ids, rows, pooled):  # type: ignore[no-untyped-def]
    """Put the rows of some classes together; returns how many there are and what they lose."""
    total, lost = 0, 0.0
    for b in ids:
        lost += classes.sizes[b] * classes.lost[b]
        for i in range(classes.sizes[b]):
            rows[total] = classes.members[b, i]
            for c in range(codes.shape[1]):
                pooled[total, c] = codes[rows[total], c]
            total += 1
    return total, lost


@njit_inner
def _best(forest, pooled, orders, k, lost):  # type: ignore[no-untyped-def]
    """Grow the pool from several orders of seeds; returns the best labels, and 0 classes if none beats `lost`."""
    forest, codes = restrict_forest(forest, pooled)
    best, classes = np.empty(0, np.int64), 0
    for t in range(len(orders)):
        label, count, total = grow_classes(forest, codes, orders[t], k)
        # By more than rounding, or two equal results would replace each other for ever.
        if total < lost - 1e-9:
            best, classes, lost = label, count, total
    return best, classes


@njit_inner
def _adopt(forest, codes, rows, label, ids, classes):  # type: ignore[no-untyped-def]
    """Replace the pooled classes by the new ones."""
    for b in ids:
        classes.sizes[b] = 0
    for i in range(len(label)):
        b, row = ids[label[i]], rows[i]
        if classes.sizes[b] == 0:
            for c in range(codes.shape[1]):
                classes.reps[b, c], classes.levels[b, c] = codes[row, c], 0
        else:
            add_row(forest, classes.reps, classes.levels, b, codes, row)
        classes.members[b, classes.sizes[b]] = row
        classes.sizes[b] += 1
    for b in ids:
        classes.lost[b] = class_cost(forest, classes.reps, classes.levels, b)


@njit(nogil=True, cache=True)
def _regroup_classes(forest, codes, classes, count, visit, k, near, orders):  # type: ignore[no-untyped-def]
    """Visit classes in order and regroup each with its neighbours; returns the number of classes."""
    begin, tables = column_offsets(forest)
    widest = near * classes.members.shape[1]
    ids, gaps = np.zeros(2 * near, np.int64), np.zeros(near)
    rows, pooled = np.zeros(widest, np.int64), np.zeros((widest, codes.shape[1]), np.int32)
    for a in visit:
        if classes.lost[a] == 0.0:
            continue
        _neighbours(forest, tables, begin, classes, a, count, ids[:near], gaps)
        total, lost = _pool(codes, classes, ids[:near], rows, pooled)
        label, grown = _best(forest, pooled[:total], orders, k, lost)
        if grown:
            for extra in range(near, grown):
                ids[extra] = count
                count += 1
            _adopt(forest, codes, rows, label, ids[:grown], classes)
    return count


def regroup_classes(forest: ValueForest, codes: Int32, start: Int, k: int, near: int, orders: Int) -> tuple[Int, int]:
    """Regroup each class with its nearest where that loses less, those that lose most first.

    Args:
        forest: The trees.
        codes: rows × columns, sorted by class.
        start: Where each class of k to 2k - 1 rows begins, and one more for the end.
        k: Least size of a class.
        near: Classes in a pool.
        orders: orders × rows of a pool: the seeds from which each pool is grown.

    Returns:
        The new class of every row, and the number of classes.
    """
    forest, codes = restrict_forest(forest, codes)
    count = len(start) - 1
    classes = _resizable(forest, codes, start, k)
    visit = np.argsort(-classes.lost[:count], kind="stable")
    count = _regroup_classes(forest, codes, classes, count, visit, k, min(near, count), orders)
    label = np.empty(len(codes), np.int64)
    filled = np.arange(2 * k - 1) < classes.sizes[:, None]
    label[classes.members[filled]] = np.repeat(np.arange(len(classes.sizes)), classes.sizes)
    return label, count


def _resizable(forest: ValueForest, codes: Int32, start: Int, k: int) -> _ResizableClasses:
    """Copy classes so that each may grow to 2k - 1 rows, with room for as many more as the rows allow."""
    most, count = len(codes) // k, len(start) - 1
    sizes, members = np.zeros(most, np.int64), np.zeros((most, 2 * k - 1), np.int64)
    sizes[:count] = np.diff(start)
    members[np.arange(2 * k - 1) < sizes[:, None]] = np.arange(len(codes))
    reps, levels = np.zeros((most, codes.shape[1]), np.int32), np.zeros((most, codes.shape[1]), np.int32)
    reps[:count], levels[:count] = summarise_classes(forest, codes, start)
    return _ResizableClasses(members, sizes, reps, levels, class_costs(forest, reps, levels))

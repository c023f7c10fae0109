"""The cheapest partner for every class that has to be merged with another.

Classes are described as in `value_trees`: by a leaf and a level per column.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.recoding.value_trees import ValueForest, class_cost, joint_cost
from icefire.kernels.types import Bool, Float, Int, Int32


@njit(nogil=True, cache=True)
def _pair(forest, reps, levels, sizes, weak, reach, partner, more):  # type: ignore[no-untyped-def]
    """Find the partners of weak classes, in order."""
    count = len(sizes)
    for a in range(count):
        if not weak[a] or partner[a] >= 0:
            continue
        own = class_cost(forest, reps, levels, a)
        best = np.inf
        for b in range(max(0, a - reach), min(count, a + reach + 1)):
            if b == a or partner[b] >= 0:
                continue
            both = joint_cost(forest, reps, levels, a, reps, b, levels)
            lost = sizes[a] * (both - own) + sizes[b] * (both - class_cost(forest, reps, levels, b))
            if lost < best:
                best, partner[a] = lost, b
        if partner[a] >= 0:
            partner[partner[a]] = a
            more[a] = more[partner[a]] = best


def merge_partners(
    forest: ValueForest, reps: Int32, levels: Int32, sizes: Int, weak: Bool, reach: int
) -> tuple[Int, Float]:
    """Find for every weak class the one it joins at the least total loss, among the `reach` before and after it.

    No class gets two partners. Classes are visited in order; ties go to the first.

    Args:
        forest: The trees.
        reps: classes × columns: a leaf of each class.
        levels: classes × columns: the levels of each class.
        sizes: Rows of each class.
        weak: Marks the classes that must be merged.
        reach: How far away a partner may be, in classes.

    Returns:
        The partner of each class, -1 for none, and what the rows of both then lose more, infinite without one.
    """
    partner, more = np.full(len(sizes), -1, np.int64), np.full(len(sizes), np.inf)
    _pair(forest, reps, levels, sizes, weak, reach, partner, more)
    return partner, more

"""The cheapest partner for every class that has to be merged with another.

Classes are described as in `value_trees`: by a leaf and a level per column.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.recoding.value_trees import ValueForest, class_cost, joint_cost
from icefire.kernels.types import Float, Int, Int32


@njit(nogil=True, cache=True)
def _pair(forest, reps, levels, sizes, weak, reach, found, more):  # type: ignore[no-untyped-def]
    count = len(sizes)
    for a in range(count):
        if not weak[a] or found[a] >= 0:
            continue
        own = class_cost(forest, reps, levels, a)
        best = np.inf
        for b in range(max(0, a - reach), min(count, a + reach + 1)):
            if b == a or found[b] >= 0:
                continue
            both = joint_cost(forest, reps, levels, a, reps, b, levels)
            lost = sizes[a] * (both - own) + sizes[b] * (both - class_cost(forest, reps, levels, b))
            if lost < best:
                best, found[a] = lost, b
        if found[a] >= 0:
            found[found[a]] = a
            more[a] = more[found[a]] = best


def merge_partners(
    forest: ValueForest, reps: Int32, levels: Int32, sizes: Int, weak: NDArray[np.bool_], reach: int
) -> tuple[Int, Float]:
    """Find for every weak class the one it joins at the least loss in all, among the `reach` before and after it.

    No class gets two mates; a weak one that finds all taken has none (-1), as has one that nobody chose. Returned with
    what the rows of both then lose more, infinite without a mate.
    """
    found, more = np.full(len(sizes), -1, np.int64), np.full(len(sizes), np.inf)
    _pair(forest, reps, levels, sizes, weak, reach, found, more)
    return found, more

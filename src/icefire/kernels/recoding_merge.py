"""Which classes to put together when one alone is not enough."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.recoding_tree import Codes, Forest, Int, cost, cost_with


@njit(nogil=True, cache=True)
def _mates(forest, reps, levels, sizes, weak, reach, mates):  # type: ignore[no-untyped-def]
    count = len(sizes)
    for a in range(count):
        if not weak[a] or mates[a] >= 0:
            continue
        best, found = np.inf, -1
        for b in range(max(0, a - reach), min(count, a + reach + 1)):
            if b == a or mates[b] >= 0:
                continue
            more = (sizes[a] + sizes[b]) * cost_with(forest, reps, levels, a, reps, b, levels)
            more -= sizes[a] * cost(forest, reps, levels, a) + sizes[b] * cost(forest, reps, levels, b)
            if more < best:
                best, found = more, b
        if found >= 0:
            mates[a], mates[found] = found, a


def mates(forest: Forest, reps: Codes, levels: Codes, sizes: Int, weak: NDArray[np.bool_], reach: int) -> Int:
    """Find for every weak class the one it joins at the least loss, among the `reach` before and after it.

    No class gets two mates; a weak one that finds all taken has none (-1), as has one that nobody chose.
    """
    found = np.full(len(sizes), -1, np.int64)
    _mates(forest, reps, levels, sizes, weak, reach, found)
    return found

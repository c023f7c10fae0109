"""Which classes to put together when one alone is not enough."""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.recoding_tree import Codes, Forest, Int, cost, cost_with


@njit(nogil=True, cache=True)
def _nearest(forest, reps, levels, sizes, wanted, reach, found, gaps):  # type: ignore[no-untyped-def]
    last = found.shape[1] - 1
    for i in range(len(wanted)):
        a = wanted[i]
        own = cost(forest, reps, levels, a)
        for b in range(max(0, a - reach), min(len(sizes), a + reach + 1)):
            if b == a:
                continue
            both = cost_with(forest, reps, levels, a, reps, b, levels)
            gap = sizes[a] * (both - own) + sizes[b] * (both - cost(forest, reps, levels, b))
            if gap < gaps[i, last]:
                j = last
                while j > 0 and gaps[i, j - 1] > gap:
                    gaps[i, j], found[i, j] = gaps[i, j - 1], found[i, j - 1]
                    j -= 1
                gaps[i, j], found[i, j] = gap, b


def nearest(forest: Forest, reps: Codes, levels: Codes, sizes: Int, wanted: Int, reach: int, most: int) -> Int:
    """Find for every class wanted those it could join at the least loss in all, up to `most`, the cheapest first.

    Only the `reach` classes before and after it are looked at; where there are too few, -1 fills the row.
    """
    found = np.full((len(wanted), most), -1, np.int64)
    _nearest(forest, reps, levels, sizes, wanted, reach, found, np.full(found.shape, np.inf))
    return found

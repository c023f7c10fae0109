"""Is a row among a target's candidates?"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.common import threads
from icefire.kernels.types import Int


@njit(nogil=True, cache=True)
def _contains(rows, start, stop, wanted, found, begin, end):  # type: ignore[no-untyped-def]
    for j in range(begin, end):
        low, high = start[j], stop[j]
        while low < high:
            middle = (low + high) >> 1
            if rows[middle] < wanted[j]:
                low = middle + 1
            else:
                high = middle
        found[j] = low < stop[j] and rows[low] == wanted[j]


def contains(rows: Int, start: Int, stop: Int, wanted: Int) -> NDArray[np.bool_]:
    """For each target tell whether `wanted` is among its candidates rows[start:stop], which ascend."""
    found = np.empty(len(wanted), np.bool_)
    calls = [(rows, start, stop, wanted, found, a, b) for a, b in threads.spans(len(wanted), 1 << 14)]
    threads.starmap(_contains, calls)
    return found

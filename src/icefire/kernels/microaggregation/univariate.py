"""Optimal groups of one column: at least k values adjacent in rank, with the least sum of squares inside groups."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from icefire.kernels.types import Float, Int


def groups(values: Float, k: int) -> Int:
    """Return the group of each of at least k values (Hansen and Mukherjee, 2003).

    Some best grouping consists of runs of k to 2k - 1 values in ascending order (a longer run is no worse cut in two),
    so it is a shortest path: best[e], the least sum of squares of the first e values, follows from some best[e - size].
    Equal values are in the order of their rows; of equally good paths the one with the shortest last run is taken. O(n
    · k).
    """
    order = np.argsort(values, kind="stable")
    group = np.empty(len(values), np.int64)
    group[order] = _runs(_last_sizes(values[order], k))
    return group


@numba.njit(nogil=True, cache=True)
def _last_sizes(values, k) -> Any:  # type: ignore[no-untyped-def]
    """Return for each number of values from the lowest up the size of the last run of the best grouping."""
    best, sizes = np.full(values.size + 1, np.inf), np.zeros(values.size + 1, np.int64)
    best[0] = 0.0
    for end in range(k, values.size + 1):
        # Mean and squares grow value by value (Welford): differences of sums over the whole column would cancel.
        mean, squares = 0.0, 0.0
        for size in range(1, min(2 * k, end + 1)):
            value = values[end - size]
            gap = value - mean
            mean += gap / size
            squares += gap * (value - mean)
            if size >= k and best[end - size] + squares < best[end]:
                best[end], sizes[end] = best[end - size] + squares, size
    return sizes


@numba.njit(nogil=True, cache=True)
def _runs(sizes) -> Any:  # type: ignore[no-untyped-def]
    """Number the runs from the last to the first."""
    group, end, count = np.empty(sizes.size - 1, np.int64), sizes.size - 1, 0
    while end > 0:
        group[end - sizes[end] : end] = count
        end -= sizes[end]
        count += 1
    return group

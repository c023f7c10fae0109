"""Sorted arrays: positions by binary search, whether a value is among others, how many values two arrays share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.types import Bool, Int


@njit(nogil=True, cache=True)
def lower_bound(values, low, high, wanted) -> Any:  # type: ignore[no-untyped-def]
    """Return the first position in values[low:high] whose value is not below the one wanted, or `high`.

    Args:
        values: Ascending from `low` to `high`.
        low: First position.
        high: Last position, plus one.
        wanted: Value to look for.
    """
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@njit(nogil=True, cache=True)
def is_among(values, low, high, wanted) -> Any:  # type: ignore[no-untyped-def]
    """Tell whether values[low:high] holds the value wanted.

    Args:
        values: Ascending from `low` to `high`.
        low: First position.
        high: Last position, plus one.
        wanted: Value to look for.
    """
    at = lower_bound(values, low, high, wanted)
    return at < high and values[at] == wanted


@njit(nogil=True, cache=True)
def count_common(x, i, i_end, y, j, j_end) -> Any:  # type: ignore[no-untyped-def]
    """Return how many values x[i:i_end] and y[j:j_end] share; repeated values count as in multisets.

    Args:
        x: Ascending from `i` to `i_end`.
        i: First position in x.
        i_end: Last position in x, plus one.
        y: Ascending from `j` to `j_end`.
        j: First position in y.
        j_end: Last position in y, plus one.
    """
    common = 0
    while i < i_end and j < j_end:
        if x[i] == y[j]:
            common += 1
            i += 1
            j += 1
        elif x[i] < y[j]:
            i += 1
        else:
            j += 1
    return common


@njit(nogil=True, cache=True)
def _contains(rows, start, stop, wanted, inside, begin, end):  # type: ignore[no-untyped-def]
    for j in range(begin, end):
        inside[j] = is_among(rows, start[j], stop[j], wanted[j])


def contains(rows: Int, start: Int, stop: Int, wanted: Int) -> Bool:
    """Tell for each target whether a row is among its candidates.

    Args:
        rows: Target j has the candidates rows[start[j]:stop[j]], ascending.
        start: See `rows`.
        stop: See `rows`.
        wanted: The row to look for, one per target.
    """
    inside = np.empty(len(wanted), np.bool_)
    calls = [(rows, start, stop, wanted, inside, a, b) for a, b in threads.spans(len(wanted), 1 << 14)]
    threads.starmap(_contains, calls)
    return inside

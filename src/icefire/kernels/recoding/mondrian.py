"""Mondrian: a table cut into regions of at least k rows, always across the widest column that allows it."""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common.interpreted import compiled_if_worth
from icefire.kernels.types import Int


@njit(nogil=True, cache=True)
def _widths(codes, rows, low, high, spans):  # type: ignore[no-untyped-def]
    """Return the range of each column inside the region, as a share of its range in the whole table."""
    out = np.zeros(codes.shape[1])
    for c in range(codes.shape[1]):
        least = most = codes[rows[low], c]
        for i in range(low + 1, high):
            value = codes[rows[i], c]
            least, most = min(least, value), max(most, value)
        if spans[c] > 0:
            out[c] = (most - least) / spans[c]
    return out


@njit(nogil=True, cache=True)
def _cut(codes, rows, low, high, column, k):  # type: ignore[no-untyped-def]
    """Sort the region by a column and return the cut nearest the middle between unequal values, or -1."""
    part = rows[low:high].copy()
    values = np.empty(high - low, np.int64)
    for i in range(high - low):
        values[i] = codes[part[i], column]
    order = np.argsort(values, kind="mergesort")
    middle, best = (high - low) // 2, -1
    for i in range(k, high - low - k + 1):
        if values[order[i - 1]] != values[order[i]] and (best < 0 or abs(i - middle) < abs(best - middle)):
            best = i
    if best < 0:
        return -1
    for i in range(high - low):
        rows[low + i] = part[order[i]]
    return low + best


@njit(nogil=True, cache=True)
def _regions(codes, k, spans):  # type: ignore[no-untyped-def]
    """Return the rows sorted by region, and marks where regions end."""
    n = codes.shape[0]
    rows = np.arange(n)
    ends = np.zeros(n + 1, np.bool_)
    stack = [(0, n)]
    while stack:
        low, high = stack.pop()
        cut = -1
        if high - low >= 2 * k:
            widths = _widths(codes, rows, low, high, spans)
            for _ in range(widths.size):
                column = widths.argmax()
                if widths[column] == 0:
                    break
                cut = _cut(codes, rows, low, high, column, k)
                if cut >= 0:
                    break
                widths[column] = 0.0
        if cut < 0:
            ends[high] = True
        else:
            stack.append((low, cut))
            stack.append((cut, high))
    return rows, ends


def regions(codes: Int, k: int) -> tuple[Int, Int]:
    """Return the rows sorted by region, and where each region begins (and one more for the end).

    Every region has at least k rows. Columns of equal width are tried in their order.
    """
    spans = codes.max(axis=0) - codes.min(axis=0)
    # Every halving of the regions looks at all cells.
    steps = codes.size * max(1, (len(codes) // k).bit_length())
    rows, ends = compiled_if_worth(_regions, steps)(codes, k, spans)
    return rows, np.concatenate([[0], np.flatnonzero(ends)])

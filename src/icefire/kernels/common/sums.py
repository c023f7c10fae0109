"""Means by cell and sums of absolute changes over many rows, in one pass.

Partial sums depend on the data alone, so that the number of threads does not change a digit.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import compiled_if_worth
from icefire.kernels.types import Float, Int

PARTS = 8


@njit(nogil=True, cache=True)
def sum_by_cell(values, cells, sums, counts, start, stop):  # type: ignore[no-untyped-def]
    """Add values start … stop - 1 to the sums and counts of their cells."""
    for i in range(start, stop):
        value = values[i]
        if value == value:  # a missing value (NaN) belongs to no sum
            sums[cells[i]] += value
            counts[cells[i]] += 1


def mean_by_cell(values: Float, cells: Int, size: int) -> Float:
    """Return the mean of the values in each cell 0 … size - 1; NaN where a cell has none. NaN values are left out."""
    spans = threads.spans(len(values), 1 << 16, PARTS)
    sums, counts = np.zeros((len(spans), size)), np.zeros((len(spans), size), np.int64)
    calls = [(values, cells, sums[p], counts[p], start, stop) for p, (start, stop) in enumerate(spans)]
    threads.starmap(compiled_if_worth(sum_by_cell, len(values)), calls)
    total = counts.sum(axis=0)
    return np.where(total > 0, sums.sum(axis=0) / np.maximum(total, 1), np.nan)


@njit(nogil=True, cache=True)
def _absolute_change(x, y, rows, changed):  # type: ignore[no-untyped-def]
    """Sum |x - y|; `changed` is added where no distance is defined."""
    total = 0.0
    for j in range(rows.size):
        a, b = x[rows[j]], y[j]
        gap = abs(a - b)
        if gap == gap:  # neither is missing
            total += gap
        elif a != b and (a == a or b == b):
            total += changed
    return total


@njit(nogil=True, cache=True)
def _relative_change(x, y, rows, changed):  # type: ignore[no-untyped-def]
    """Sum |x - y| / |x|; `changed` is added where no distance is defined."""
    total = 0.0
    for j in range(rows.size):
        a, b = x[rows[j]], y[j]
        if a == b or (a != a and b != b):
            continue
        if a != a or b != b or a == 0:
            total += changed
        else:
            total += abs(a - b) / abs(a)
    return total


def absolute_change(x: Float, y: Float, rows: Int, relative: bool = False, changed: float = 1.0) -> float:
    """Return the sum over j of |x[rows[j]] - y[j]|.

    Args:
        x: Original values; NaN is missing.
        y: Released values; NaN is missing.
        rows: For each value of y its position in x.
        relative: Divide every difference by |x|.
        changed: What counts where only one of the two is missing, or where x is 0 and the difference relative.

    Returns:
        The sum. Two missing values are equal.
    """
    spans = threads.spans(len(y), 1 << 16, PARTS)
    change = compiled_if_worth(_relative_change if relative else _absolute_change, len(y))
    return float(sum(threads.starmap(change, [(x, y[a:b], rows[a:b], changed) for a, b in spans])))

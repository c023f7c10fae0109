"""The standard deviation of every column of a table, without copies of the table.

The sums run down each column from the first row to the last, as those of numpy do, and give the same bytes.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import is_little
from icefire.kernels.types import Float

SMALL = 1 << 15
"""Up to so many numbers numpy is as fast."""


def column_spread(table: Float) -> Float:
    """Return the standard deviation of each column of a table, rows × columns.

    Args:
        table: The numbers, row after row.

    Returns:
        The same as `table.std(axis=0)`.
    """
    rows, columns = table.shape
    if columns < 2 or not table.flags.c_contiguous or is_little(table.size, SMALL):
        return np.asarray(table.std(axis=0))  # a single column numpy adds up in another order
    means, squares = np.empty(columns), np.empty(columns)
    halves = [(0, columns // 2), (columns // 2, columns)]
    threads.starmap(_sum_columns, [(table, *half, means) for half in halves])
    means /= rows
    threads.starmap(_sum_squares, [(table, *half, means, squares) for half in halves])
    spread: Float = np.sqrt(squares / rows)
    return spread


@njit(nogil=True, cache=True)
def _sum_columns(table, first, last, out):  # type: ignore[no-untyped-def]
    sums = np.zeros(last - first)
    for row in range(len(table)):
        for column in range(first, last):
            sums[column - first] += table[row, column]
    out[first:last] = sums


@njit(nogil=True, cache=True)
def _sum_squares(table, first, last, means, out):  # type: ignore[no-untyped-def]
    sums = np.zeros(last - first)
    for row in range(len(table)):
        for column in range(first, last):
            gap = table[row, column] - means[column]
            sums[column - first] += gap * gap
    out[first:last] = sums

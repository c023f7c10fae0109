"""Rows and means of numbers in the cells of a cross table, in one pass: the cell of a row is never written to memory.

Partial sums depend on the data alone, so that the number of threads does not change a digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import compiled_if_worth
from icefire.kernels.common.sums import PARTS, sum_by_cell
from icefire.kernels.grouping.packed_keys import Digit, append_digits
from icefire.kernels.types import Float, Int

TILE = 1 << 17
"""Rows whose cells stay in the processor's cache while all columns are summed."""
MOST_SUMS = 1 << 24
"""Sums that are held at once; of more cells fewer parts are summed side by side."""


def cell_means(digits: Sequence[Digit], columns: Sequence[NDArray[Any]], rows: int, size: int) -> tuple[Int, Float]:
    """Count the rows of each cell and average columns in it.

    Args:
        digits: The columns that are crossed; a cell is the number that they make, the first digit leading.
        columns: Numbers of any type to average, one per row; NaN is missing and left out.
        rows: Number of rows.
        size: Number of cells, the product of the sizes of the digits.

    Returns:
        The number of rows in each cell, and for each column the mean in each cell; NaN where a cell has no value.
    """
    parts = max(1, min(PARTS, MOST_SUMS // max(1, size * (len(columns) + 1))))
    spans = threads.spans(rows, 1 << 16, parts)
    results = threads.starmap(_sum_part, [(digits, columns, size, *span) for span in spans])
    held, sums, counts = (np.sum(side, axis=0) for side in zip(*results, strict=True))
    return held, np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _sum_part(
    digits: Sequence[Digit], columns: Sequence[NDArray[Any]], size: int, start: int, stop: int
) -> tuple[Int, Float, Int]:
    """Return rows by cell, and sums and numbers of values by column and cell, of rows start … stop - 1."""
    held = np.zeros(size, np.int64)
    sums, counts = np.zeros((len(columns), size)), np.zeros((len(columns), size), np.int64)
    count, add = (compiled_if_worth(kernel, stop - start) for kernel in (_count_by_cell, sum_by_cell))
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        cells = np.zeros(last - first, np.int64)
        append_digits(cells, [Digit(values[first:last], lowest, radix) for values, lowest, radix in digits])
        count(cells, held)
        for place, values in enumerate(columns):
            add(values[first:last].astype(np.float64, copy=False), cells, sums[place], counts[place], 0, last - first)
    return held, sums, counts


@njit(nogil=True, cache=True)
def _count_by_cell(cells, held):  # type: ignore[no-untyped-def]
    """Add one to the rows of every cell named."""
    for cell in cells:
        held[cell] += 1

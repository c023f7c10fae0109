"""Counts of the joint table of a few coded columns."""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common.interpreted import is_little
from icefire.kernels.types import Int, Int32

SMALL = 4096
"""Up to so many rows numpy counts."""


def joint_counts(codes: Int32, columns: Int, sizes: Int) -> Int:
    """Count the rows in every cell of the joint table of some columns.

    Args:
        codes: The code of every row in every column, columns × rows.
        columns: The columns of the table.
        sizes: Number of codes of each of them; their product is the number of cells.

    Returns:
        The count of each cell; the last column's code varies fastest.
    """
    used = [codes[column] for column in columns.tolist()]
    if is_little(codes.shape[1], SMALL):
        return _small_counts(used, sizes, codes.shape[1])
    counts = np.zeros(int(np.prod(sizes)), np.int64)
    if len(used) == 2:
        _count_two(used[0], used[1], sizes[1], counts)
    elif len(used) == 3:
        _count_three(used[0], used[1], used[2], sizes[1], sizes[2], counts)
    else:
        _count(codes, columns, sizes, counts)
    return counts


def _small_counts(used: list[Int32], sizes: Int, rows: int) -> Int:
    """Count a few rows by numpy, which needs no compiling."""
    cells = np.zeros(rows, np.int64)
    for codes, size in zip(used, sizes.tolist(), strict=True):
        cells *= size
        cells += codes
    return np.bincount(cells, minlength=int(np.prod(sizes)))


@njit(nogil=True, cache=True)
def _count_two(a, b, width, counts):  # type: ignore[no-untyped-def]
    for row in range(len(a)):
        counts[np.uint64(a[row] * width + b[row])] += 1


@njit(nogil=True, cache=True)
def _count_three(a, b, c, width, depth, counts):  # type: ignore[no-untyped-def]
    for row in range(len(a)):
        counts[np.uint64((a[row] * width + b[row]) * depth + c[row])] += 1


@njit(nogil=True, cache=True)
def _count(codes, columns, sizes, counts):  # type: ignore[no-untyped-def]
    for row in range(codes.shape[1]):
        cell = 0
        for place in range(len(columns)):
            cell = cell * sizes[place] + codes[columns[place], row]
        counts[cell] += 1

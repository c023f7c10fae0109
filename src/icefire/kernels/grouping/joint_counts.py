"""Counts of the joint table of a few coded columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.common.interpreted import is_little
from icefire.kernels.common.value_counts import count_values
from icefire.kernels.types import Int

SMALL = 4096
"""Up to so many rows numpy counts."""


def joint_counts(codes: Sequence[NDArray[np.integer[Any]]], sizes: Int) -> Int:
    """Count the rows in every cell of the joint table of some columns.

    Args:
        codes: For each column of the table the code of every row; all of one type.
        sizes: Number of codes of each column; their product is the number of cells.

    Returns:
        The count of each cell; the last column's code varies fastest.
    """
    rows = len(codes[0]) if len(codes) else 0
    if is_little(rows, SMALL):
        return _small_counts(codes, sizes, rows)
    if len(codes) == 1:
        return count_values(codes[0], 0, int(sizes[0]))
    counts = np.zeros(int(np.prod(sizes)), np.int64)
    if len(codes) == 2:
        _count_two(codes[0], codes[1], sizes[1], counts)
    elif len(codes) == 3:
        _count_three(codes[0], codes[1], codes[2], sizes[1], sizes[2], counts)
    else:
        _count(np.stack(codes), sizes, counts)
    return counts


def _small_counts(codes: Sequence[NDArray[np.integer[Any]]], sizes: Int, rows: int) -> Int:
    """Count a few rows by numpy, which needs no compiling."""
    cells = np.zeros(rows, np.int64)
    for column, size in zip(codes, sizes.tolist(), strict=True):
        cells *= size
        cells += column
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
def _count(codes, sizes, counts):  # type: ignore[no-untyped-def]
    for row in range(codes.shape[1]):
        cell = 0
        for place in range(codes.shape[0]):
            cell = cell * sizes[place] + codes[place, row]
        counts[cell] += 1

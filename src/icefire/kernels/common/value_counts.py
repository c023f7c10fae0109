"""How often each whole number of a small range occurs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import is_little
from icefire.kernels.types import Int

SMALL = 1 << 14
"""Up to so many values numpy counts."""
MOST_SHARED = 1 << 16
"""Counts of a wider range are not made side by side: adding them up would take as long."""
PARTS = 8


def count_values(values: NDArray[np.integer[Any]], lowest: int, size: int) -> Int:
    """Count how often lowest, lowest + 1, … lowest + size - 1 occur; all values are among them.

    Args:
        values: Whole numbers of any type.
        lowest: The smallest value there may be.
        size: So many values there may be.

    Returns:
        One count per value.
    """
    if is_little(len(values), SMALL):
        return np.bincount(values.astype(np.int64) - lowest, minlength=size)
    values = _signed(values)
    spans = threads.spans(len(values), 1 << 17, PARTS if size <= MOST_SHARED else 1)
    counts = np.zeros((len(spans), size), np.int64)
    threads.starmap(_count, [(values[a:b], lowest, counts[place]) for place, (a, b) in enumerate(spans)])
    total: Int = counts.sum(axis=0)
    return total


@njit(nogil=True, cache=True)
def _count(values, lowest, counts):  # type: ignore[no-untyped-def]
    for i in range(values.size):
        counts[np.uint64(values[i] - lowest)] += 1


def look_up(values: NDArray[np.integer[Any]], lowest: int, table: NDArray[Any]) -> NDArray[Any]:
    """Return of every value what stands in a table for it: table[value - lowest], without copies of the values.

    Args:
        values: Whole numbers of any type.
        lowest: The value that the table begins with.
        table: One entry per value.

    Returns:
        One entry of the table per value.
    """
    if is_little(len(values), SMALL):
        few: NDArray[Any] = table[values.astype(np.int64) - lowest]
        return few
    values, entries = _signed(values), np.empty(len(values), table.dtype)
    threads.starmap(
        _look_up, [(values[a:b], lowest, table, entries[a:b]) for a, b in threads.spans(len(values), 1 << 17)]
    )
    return entries


def _signed(values: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """Return the longest unsigned numbers as signed ones: the difference of both kinds would be a decimal."""
    return values.astype(np.int64) if values.dtype == np.uint64 else values


@njit(nogil=True, cache=True)
def _look_up(values, lowest, table, entries):  # type: ignore[no-untyped-def]
    for i in range(values.size):
        entries[i] = table[np.uint64(values[i] - lowest)]


def narrowest(size: int) -> type[np.integer[Any]]:
    """Return the narrower type that holds the numbers 0 … size - 1."""
    return np.uint8 if size <= 1 << 8 else np.int32

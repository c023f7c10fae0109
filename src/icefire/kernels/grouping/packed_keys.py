"""Rows with equal keys: mixed-radix keys built digit by digit, the sizes of the groups, and the rows of each."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.common import threads
from icefire.kernels.types import Int

TABLE_LIMIT = 1 << 22
"""Keys below this are counted in a table; above it, sorting reads memory in a better order."""


@njit(nogil=True, cache=True)
def _append_digit(values, lowest, size, key, start, stop):  # type: ignore[no-untyped-def]
    for i in range(start, stop):
        key[i] = key[i] * size + (values[i] - lowest)


def append_digit(key: Int, values: NDArray[np.integer], lowest: int, size: int) -> None:
    """Append a digit to every mixed-radix key, in place: key · size + (value - lowest).

    Args:
        key: One key per row; changed in place. Zeros to begin with.
        values: Whole numbers from `lowest` to `lowest` + `size` - 1, one per row.
        lowest: The value that becomes digit 0.
        size: Radix of the digit. The caller sees to it that keys stay below 2^63.
    """
    calls = [(values, lowest, size, key, start, stop) for start, stop in threads.spans(len(key), 1 << 16)]
    threads.starmap(_append_digit, calls)


def group_sizes(keys: Int, size: int) -> Int:
    """Return how often each key that occurs does so, in ascending order of the keys, which lie below `size`.

    Up to TABLE_LIMIT possible keys are counted in an array, more are sorted in two halves.
    """
    if size <= TABLE_LIMIT:
        counts = np.bincount(keys, minlength=1)
        return counts[counts > 0].astype(np.int64)
    narrow = keys.astype(np.uint32) if size <= 1 << 32 else keys.copy()
    halves = np.array_split(narrow, 2)
    threads.starmap(np.ndarray.sort, [(half,) for half in halves])
    lengths: Int = _merged_runs(halves[0], halves[1])
    return lengths


@njit(nogil=True, cache=True)
def _merged_runs(a, b):  # type: ignore[no-untyped-def]
    """Return the lengths of the runs of equal values in the union of two sorted arrays."""
    counts = np.empty(len(a) + len(b), np.int64)
    i = j = runs = 0
    while i < len(a) or j < len(b):
        key = b[j] if i == len(a) or (j < len(b) and b[j] < a[i]) else a[i]
        begun = i + j
        while i < len(a) and a[i] == key:
            i += 1
        while j < len(b) and b[j] == key:
            j += 1
        counts[runs] = i + j - begun
        runs += 1
    return counts[:runs].copy()


def group_rows(keys: Int, size: int, n: int) -> tuple[Int, Int, Int, Int]:
    """Group the first n keys (table X) and the rest (table Y) by equal key.

    Args:
        keys: One key per row, X first.
        size: All keys lie below it.
        n: Number of rows of X.

    Returns:
        x_rows, x_start, y_rows, y_start: the rows of each table sorted by key and then by row, and where the rows
        of each key begin, with one more for the end. Both tables list the same keys, so that either may have an empty
        range.
    """
    bits = max(1, len(keys).bit_length())
    if size.bit_length() + bits > 63:
        keys = np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
    packed = keys << bits
    packed |= np.arange(len(keys), dtype=np.int64)
    packed.sort()
    grouped: tuple[Int, Int, Int, Int] = _group_sorted(packed, bits, n)
    return grouped


@njit(nogil=True, cache=True)
def _group_sorted(packed, bits, n):  # type: ignore[no-untyped-def]
    """Split sorted (key, row) pairs into the four arrays of `group_rows`."""
    mask = (np.int64(1) << bits) - 1
    x_rows = np.empty(n, np.int64)
    y_rows = np.empty(len(packed) - n, np.int64)
    x_start = np.empty(len(packed) + 1, np.int64)
    y_start = np.empty(len(packed) + 1, np.int64)
    x = y = runs = 0
    last = np.int64(-1)
    for item in packed:
        key = item >> bits
        if key != last:
            x_start[runs] = x
            y_start[runs] = y
            runs += 1
            last = key
        row = item & mask
        if row < n:
            x_rows[x] = row
            x += 1
        else:
            y_rows[y] = row - n
            y += 1
    x_start[runs] = x
    y_start[runs] = y
    return x_rows, x_start[: runs + 1].copy(), y_rows, y_start[: runs + 1].copy()

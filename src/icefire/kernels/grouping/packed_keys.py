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
    """Make `values` the next, lowest digit of the mixed-radix key, in place."""
    calls = [(values, lowest, size, key, start, stop) for start, stop in threads.spans(len(key), 1 << 16)]
    threads.starmap(_append_digit, calls)


def group_sizes(keys: Int, size: int) -> Int:
    """Return how often each key that occurs occurs, in ascending order of the keys; keys lie below `size`."""
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
    """Walk two sorted arrays at once and count the runs of their union."""
    counts = np.empty(len(a) + len(b), np.int64)
    i = j = found = 0
    while i < len(a) or j < len(b):
        key = b[j] if i == len(a) or (j < len(b) and b[j] < a[i]) else a[i]
        begun = i + j
        while i < len(a) and a[i] == key:
            i += 1
        while j < len(b) and b[j] == key:
            j += 1
        counts[found] = i + j - begun
        found += 1
    return counts[:found].copy()


def group_rows(keys: Int, size: int, n: int) -> tuple[Int, Int, Int, Int]:
    """Group the first n keys (X) and the rest (Y) by equal key.

    Returns x_rows, x_start, y_rows, y_start: the rows of each side sorted by key and then by row number, and
    where each key's rows begin; both sides count the same keys, so either may have an empty stretch.
    """
    bits = max(1, len(keys).bit_length())
    if size.bit_length() + bits > 63:
        keys = np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
    packed = keys << bits
    packed |= np.arange(len(keys), dtype=np.int64)
    packed.sort()
    found: tuple[Int, Int, Int, Int] = _group_sorted(packed, bits, n)
    return found


@njit(nogil=True, cache=True)
def _group_sorted(packed, bits, n):  # type: ignore[no-untyped-def]
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

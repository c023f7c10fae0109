"""Rows with equal keys: mixed-radix keys built digit by digit, the sizes of the groups, and the rows of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import compiled_if_worth, is_little
from icefire.kernels.types import Int

TABLE_LIMIT = 1 << 22
"""Keys below this are counted in a table; above it, sorting reads memory in a better order."""

SMALL = 1 << 14
"""Up to so many keys numpy appends digits."""
HASHED = 1 << 17
"""From so many rows on keys are counted by hash; fewer are sorted at once."""
SLOT_BITS = 19
"""Places for hashed keys, as a power of two: they stay in the processor's cache. Half of them are used at most."""
TILE = 1 << 16
"""Keys that get all their digits before the next ones do: few enough for the processor's cache, and so many that
threads seldom wait for one another between two calls."""


@njit(nogil=True, cache=True)
def _append_digit(values, lowest, size, key):  # type: ignore[no-untyped-def]
    # From 0: numbers that might be negative would be tested one by one and not vectorised.
    for i in range(key.size):
        key[i] = key[i] * size + (values[i] - lowest)


class Digit(NamedTuple):
    """A digit of mixed-radix keys."""

    values: NDArray[np.integer]
    """Whole numbers from `lowest` to `lowest` + `size` - 1, one per row."""
    lowest: int
    """The value that becomes digit 0."""
    size: int
    """Radix of the digit."""


def append_digits(key: NDArray[np.integer], digits: Sequence[Digit]) -> None:
    """Append digits to every mixed-radix key, in place, one after the other: key · size + (value - lowest).

    All digits of some rows are appended before the next rows: those keys stay in the processor's cache.

    Args:
        key: One key per row; changed in place. Zeros to begin with.
        digits: The digits. The caller sees to it that keys stay below what their type holds.
    """
    if is_little(len(key), SMALL):  # numpy is as fast, and the function need not be compiled for the type of the values
        for values, lowest, size in digits:
            key *= size
            np.add(key, values.astype(np.int64) - lowest, out=key, casting="unsafe")
        return
    threads.starmap(_append_to_rows, [(digits, key, *span) for span in threads.spans(len(key), 1 << 16)])


def _append_to_rows(digits: Sequence[Digit], key: NDArray[np.integer], start: int, stop: int) -> None:
    """Append all digits to the keys of rows start … stop - 1."""
    for first in range(start, stop, TILE):
        for values, lowest, size in digits:
            last = min(first + TILE, stop)
            _append_digit(values[first:last], lowest, size, key[first:last])


def group_sizes(keys: NDArray[np.integer], size: int, overwrite: bool = False) -> Int:
    """Return how often each key that occurs does so, in ascending order of the keys, which lie below `size`.

    Up to TABLE_LIMIT possible keys are counted in an array. Of more, many rows are counted by hash as long as few keys
    occur, and otherwise sorted; both in two halves.

    Args:
        keys: The keys.
        size: All keys lie below it.
        overwrite: The keys may be sorted where they are.
    """
    if size <= TABLE_LIMIT:
        counts = np.bincount(keys, minlength=1)
        return counts[counts > 0].astype(np.int64)
    narrow = keys.astype(np.uint32 if size <= 1 << 32 else np.int64, copy=not overwrite)
    halves = np.array_split(narrow, 2)
    if len(keys) >= HASHED:
        counted = threads.starmap(_hashed, [(half,) for half in halves])
        if None not in counted:
            return _added(counted)
    threads.starmap(np.ndarray.sort, [(half,) for half in halves])
    lengths: Int = compiled_if_worth(_merged_runs, 2 * len(keys))(halves[0], halves[1])
    return lengths


def class_sizes(digits: Sequence[Digit], rows: int, size: int) -> Int:
    """Return how often each key that digits make occurs, in ascending order of the keys; see `group_sizes`.

    As long as few keys occur in many rows, they are counted while they are made, and never written to memory: two
    threads that write to new memory wait for each other.

    Args:
        digits: The digits of the keys.
        rows: Number of rows.
        size: All keys lie below it; at most 2³².
    """
    if size > TABLE_LIMIT and rows >= HASHED:
        counted = threads.starmap(_count_rows, [(digits, *span) for span in threads.spans(rows, HASHED // 2, 2)])
        if None not in counted:
            return _added(counted)
    keys = np.zeros(rows, np.uint32)
    append_digits(keys, digits)
    return group_sizes(keys, size, overwrite=True)


def _count_rows(digits: Sequence[Digit], start: int, stop: int) -> tuple[NDArray[np.integer], Int] | None:
    """Return the keys that occur in rows start … stop - 1, and how often each does; None where they are too many."""
    held, counts = np.empty(1 << SLOT_BITS, np.uint32), np.zeros(1 << SLOT_BITS, np.int64)
    tile, free = np.empty(TILE, np.uint32), len(held) // 2
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        keys = tile[: last - first]
        keys.fill(0)
        for values, lowest, size in digits:
            _append_digit(values[first:last], lowest, size, keys)
        free = _count_by_hash(keys, held, counts, np.uint64(64 - SLOT_BITS), free)
        if free < 0:
            return None
    there = np.flatnonzero(counts)
    return held[there], counts[there]


def _hashed(keys: NDArray[np.integer]) -> tuple[NDArray[np.integer], Int] | None:
    """Return the keys that occur, in no particular order, and how often each does; None where they are too many."""
    held, counts = np.empty(1 << SLOT_BITS, keys.dtype), np.zeros(1 << SLOT_BITS, np.int64)
    if _count_by_hash(keys, held, counts, np.uint64(64 - SLOT_BITS), len(held) // 2) < 0:
        return None
    there = np.flatnonzero(counts)
    return held[there], counts[there]


@njit(nogil=True, cache=True)
def _count_by_hash(keys, held, counts, shift, free):  # type: ignore[no-untyped-def]
    """Count keys at the place of their hash or the next free one.

    `free` says how many keys may be new. Returns how many still may, or -1 where there were more.
    """
    last = held.size - 1
    for i in range(keys.size):
        key = keys[i]
        place = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> shift)
        while counts[place] != 0 and held[place] != key:
            place = (place + 1) & last
        if counts[place] == 0:
            if free == 0:
                return -1
            held[place] = key
            free -= 1
        counts[place] += 1
    return free


def _added(counted: list[tuple[NDArray[np.integer], Int]]) -> Int:
    """Add the counts of equal keys, in ascending order of the keys."""
    keys, counts = (np.concatenate(parts) for parts in zip(*counted, strict=True))
    order = np.argsort(keys, kind="stable")
    first = np.flatnonzero(np.append(True, np.diff(keys[order]) != 0))
    sums: Int = np.add.reduceat(counts[order], first)
    return sums


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
    grouped: tuple[Int, Int, Int, Int] = compiled_if_worth(_group_sorted, 2 * len(packed))(packed, bits, n)
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

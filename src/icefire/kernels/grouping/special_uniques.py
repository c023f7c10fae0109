"""Minimal sets of columns on which a row is unique (special uniques).

A row that is unique on some columns is unique on every superset of them, and no other row has its values there. So it
takes no further part in the search over the supersets, neither as a row that may be unique nor as another row's equal:
whatever is found later is minimal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import is_little
from icefire.kernels.types import Bool, Int, Int32, UInt8

LEAST_TABLE = 1 << 16
KEY_LIMIT = 1 << 63
SMALL = 2048
"""Up to so many rows numpy searches."""
MINIMAL, ALREADY_UNIQUE = 1, 2
"""Marks of a row: unique on these columns but on no fewer of them; unique already on fewer."""


@dataclass(frozen=True, slots=True)
class MinimalUniqueSets:
    """Minimal sets of columns on which rows are unique."""

    counts: Int32
    """Rows × sizes."""
    rows_by_set: dict[tuple[int, ...], int]


def minimal_unique_sets(codes: Int32, sizes: Int, many: Bool, most: int) -> MinimalUniqueSets:
    """Find for every row the minimal sets of at most `most` columns on which it is unique.

    Args:
        codes: columns × rows; values of column c lie below sizes[c].
        sizes: Number of values of each column.
        many: Marks rows that stand for several equal ones: they are never unique, and no row equal to them is.
        most: Largest size of a set.

    Returns:
        For every row how many minimal sets of each size it has, and for every set how many rows are unique on it. Time
        and memory grow with rows × number of sets.
    """
    columns, rows = codes.shape
    counts = np.zeros((rows, most), np.int32)
    rows_by_set: dict[tuple[int, ...], int] = {}
    smaller, places = np.zeros((0, rows), np.uint8), dict[tuple[int, ...], int]()
    for size in range(1, most + 1):
        sets = list(combinations(range(columns), size))
        # Marks of the largest size are not used again and need no room.
        kept = np.empty((len(sets) if size < most else 0, rows), np.uint8)
        stripes = [
            range(first, len(sets), threads.thread_count()) for first in range(min(threads.thread_count(), len(sets)))
        ]
        shared = (codes, sizes, many, smaller, places, kept, sets)
        for counted, rows_found in threads.starmap(_try_sets, [(*shared, stripe) for stripe in stripes]):
            counts[:, size - 1] += counted
            rows_by_set |= rows_found
        smaller, places = kept, {chosen: place for place, chosen in enumerate(sets)}
    return MinimalUniqueSets(counts, rows_by_set)


def _try_sets(
    codes: Int32,
    sizes: Int,
    many: Bool,
    smaller: UInt8,
    places: dict[tuple[int, ...], int],
    kept: UInt8,
    sets: list[tuple[int, ...]],
    stripe: range,
) -> tuple[Int32, dict[tuple[int, ...], int]]:
    """Try some of the sets of one size, with working memory of its own; returns counts per row and rows per set."""
    rows = len(many)
    room = max(LEAST_TABLE, 4 * rows)
    owner, keys = np.empty(room, np.int32), np.empty(rows, np.int64)
    counted, scratch = np.zeros(rows, np.int32), np.empty(rows, np.uint8)
    rows_by_set = {}
    for place in stripe:
        chosen = sets[place]
        alone = kept[place] if len(kept) else scratch
        parts = combinations(chosen, len(chosen) - 1) if len(chosen) > 1 else ()
        columns = np.array(chosen, np.int64)
        below = np.array([places[part] for part in parts], np.int64)
        product = math.prod(int(sizes[column]) for column in chosen)
        if is_little(rows, SMALL) and product <= KEY_LIMIT:
            alone[:] = _marks_of_few_rows(codes[columns], sizes[columns], many, smaller[below])
            counted += alone == MINIMAL
            rows_by_set[chosen] = int(np.count_nonzero(alone == MINIMAL))
            continue
        _prepare(codes, columns, sizes, keys, smaller, below, alone)
        if product <= room:
            _mark_by_key(keys, many, owner[:product], alone)
        else:
            bits = (2 * rows).bit_length()
            doubtful = columns if product > KEY_LIMIT else columns[:0]
            _mark_by_hash(codes, doubtful, keys, many, owner[: 1 << bits], np.uint64(64 - bits), alone)
        rows_by_set[chosen] = int(_count(alone, counted))
    return counted, rows_by_set


def _marks_of_few_rows(codes: Int32, sizes: Int, many: Bool, smaller: UInt8) -> UInt8:
    """Return the marks of all rows for one set of columns, by numpy, which needs no compiling."""
    keys = np.zeros(len(many), np.int64)
    for line, size in zip(codes, sizes.tolist(), strict=True):
        keys *= size
        keys += line
    already = smaller.any(axis=0)
    _, key, times = np.unique(keys[~already], return_inverse=True, return_counts=True)
    marks = np.where(already, ALREADY_UNIQUE, 0).astype(np.uint8)
    marks[~already] = np.where((times[key] == 1) & ~many[~already], MINIMAL, 0)
    return marks


@njit(nogil=True, cache=True)
def _prepare(codes, columns, sizes, keys, smaller, below, alone):  # type: ignore[no-untyped-def]
    """Write the mixed-radix keys of the columns, and mark rows that are unique already on fewer of them."""
    keys[:] = 0
    for column in columns:
        line, size = codes[column], sizes[column]
        for i in range(keys.size):
            keys[i] = keys[i] * size + line[i]
    alone[:] = 0
    for place in below:
        marked = smaller[place]
        for i in range(keys.size):
            alone[i] |= marked[i]
    for i in range(keys.size):
        if alone[i] != 0:
            alone[i] = ALREADY_UNIQUE


@njit(nogil=True, cache=True)
def _mark_by_key(keys, many, owner, alone):  # type: ignore[no-untyped-def]
    """Mark unique rows where there is room for every key: the place of a key holds the first row with it."""
    owner[:] = -1
    for i in range(keys.size):
        if alone[i] == ALREADY_UNIQUE:
            continue
        other = owner[keys[i]]
        if other >= 0:
            alone[other] = 0
        else:
            owner[keys[i]] = i
            alone[i] = 0 if many[i] else MINIMAL


@njit(nogil=True, cache=True)
def _mark_by_hash(codes, columns, keys, many, owner, shift, alone):  # type: ignore[no-untyped-def]
    """Mark unique rows where there are too many keys: a row is stored at a hash of its key or at the next free place.

    Where keys exceeded 63 bits and wrapped around, equal keys are not enough: `columns` are compared, too.
    """
    owner[:] = -1
    for i in range(keys.size):
        if alone[i] == ALREADY_UNIQUE:
            continue
        place = np.int64((np.uint64(keys[i]) * np.uint64(0x9E3779B97F4A7C15)) >> shift)
        while True:
            other = owner[place]
            if other < 0:
                owner[place] = i
                alone[i] = 0 if many[i] else MINIMAL
                break
            same = keys[i] == keys[other]
            for column in columns:
                same = same and codes[column, i] == codes[column, other]
            if same:
                alone[other] = 0
                break
            place = (place + 1) & (owner.size - 1)


@njit(nogil=True, cache=True)
def _count(alone, counted):  # type: ignore[no-untyped-def]
    """Count the rows for which the set is minimal, and add one to each of them."""
    fresh = 0
    for i in range(alone.size):
        if alone[i] == MINIMAL:
            counted[i] += 1
            fresh += 1
    return fresh

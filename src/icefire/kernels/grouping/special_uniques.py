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
from numpy.typing import NDArray

from icefire.kernels.common import threads
from icefire.kernels.types import Int, UInt8

LEAST_TABLE = 1 << 16
KEY_LIMIT = 1 << 63
MINIMAL, ALREADY_UNIQUE = 1, 2
"""Alone on these columns but on no fewer of them; alone already on fewer."""


@dataclass(frozen=True, slots=True)
class MinimalUniqueSets:
    """Minimal sets found: of every row how many of each size, and of every set how many rows are alone by it."""

    counts: NDArray[np.int32]
    """Rows × sizes."""
    rows_by_set: dict[tuple[int, ...], int]


def minimal_unique_sets(codes: NDArray[np.int32], sizes: Int, many: NDArray[np.bool_], most: int) -> MinimalUniqueSets:
    """Find for every row the minimal sets of at most `most` columns by which it is alone.

    `codes` holds one line per column, values below its entry in `sizes`. A row marked in `many` stands for several
    equal ones: it is never alone, but others are not alone beside it.
    """
    columns, rows = codes.shape
    counts = np.zeros((rows, most), np.int32)
    rows_by_set: dict[tuple[int, ...], int] = {}
    smaller, places = np.zeros((0, rows), np.uint8), dict[tuple[int, ...], int]()
    for size in range(1, most + 1):
        sets = list(combinations(range(columns), size))
        # The last sizes' answers are not asked again, so they are written over.
        kept = np.empty((len(sets) if size < most else 0, rows), np.uint8)
        stripes = [
            range(first, len(sets), threads.thread_count()) for first in range(min(threads.thread_count(), len(sets)))
        ]
        shared = (codes, sizes, many, smaller, places, kept, sets)
        for counted, found in threads.starmap(_try_sets, [(*shared, stripe) for stripe in stripes]):
            counts[:, size - 1] += counted
            rows_by_set |= found
        smaller, places = kept, {chosen: place for place, chosen in enumerate(sets)}
    return MinimalUniqueSets(counts, rows_by_set)


def _try_sets(
    codes: NDArray[np.int32],
    sizes: Int,
    many: NDArray[np.bool_],
    smaller: UInt8,
    places: dict[tuple[int, ...], int],
    kept: UInt8,
    sets: list[tuple[int, ...]],
    stripe: range,
) -> tuple[NDArray[np.int32], dict[tuple[int, ...], int]]:
    """Try some of the sets of one size, one after the other, with room of its own."""
    rows = len(many)
    room = max(LEAST_TABLE, 4 * rows)
    owner, keys = np.empty(room, np.int32), np.empty(rows, np.int64)
    counted, scratch = np.zeros(rows, np.int32), np.empty(rows, np.uint8)
    found = {}
    for place in stripe:
        chosen = sets[place]
        alone = kept[place] if len(kept) else scratch
        parts = combinations(chosen, len(chosen) - 1) if len(chosen) > 1 else ()
        columns = np.array(chosen, np.int64)
        _prepare(codes, columns, sizes, keys, smaller, np.array([places[part] for part in parts], np.int64), alone)
        product = math.prod(int(sizes[column]) for column in chosen)
        if product <= room:
            _mark_by_key(keys, many, owner[:product], alone)
        else:
            bits = (2 * rows).bit_length()
            doubtful = columns if product > KEY_LIMIT else columns[:0]
            _mark_by_hash(codes, doubtful, keys, many, owner[: 1 << bits], np.uint64(64 - bits), alone)
        found[chosen] = int(_count(alone, counted))
    return counted, found


@njit(nogil=True, cache=True)
def _prepare(codes, columns, sizes, keys, smaller, below, alone):  # type: ignore[no-untyped-def]
    """Make the mixed-radix key of the columns, and mark who is alone already on fewer of them."""
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
    """Mark who is alone; there is a place for every key, which holds the first row met with it."""
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
    """Do the same where there are too many keys: rows stand at a hash of theirs or at the next free place.

    Where keys outgrew 63 bits and wrapped around, equal keys are not enough: `columns` are compared, too.
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
    """Count the rows that are alone for the first time; adds one to each of theirs."""
    fresh = 0
    for i in range(alone.size):
        if alone[i] == MINIMAL:
            counted[i] += 1
            fresh += 1
    return fresh

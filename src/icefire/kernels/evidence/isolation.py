"""Predicates that single a person out: values of few columns that exactly one released row and one person satisfy.

A predicate is made of a released row's own labels. Sets of rows and of people are bits of 64-bit words.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.inner import njit_inner
from icefire.kernels.common.interpreted import SLOW_TO_COMPILE, compiled_if_worth
from icefire.kernels.types import Bool, Int, Int32

NONE = -1


class LabelTable(NamedTuple):
    """Released rows and people by column; labels of all columns are numbered through."""

    labels: Int32
    """columns × released rows."""
    places: Int32
    """columns × people."""
    stretch: Int
    low: Int
    high: Int
    """Label l covers the places from low[s] up to high[s], not included, for s from stretch[l] to stretch[l + 1]."""
    first: Int
    last: Int
    """The first place of each label and the end of its last; for a label that covers none, 0 and 0."""


@njit_inner
def _fill_bits(labels, places, stretch, low, high, first, last, column, label, rows, people):  # type: ignore[no-untyped-def]
    """Set the bits of the released rows whose label is this one or lies inside it, and of the people whom it covers."""
    for word in range(rows.shape[1]):
        rows[column, word] = 0
    for word in range(people.shape[1]):
        people[column, word] = 0
    for r in range(labels.shape[1]):
        other = labels[column, r]
        inside = other == label
        if not inside and last[other] > first[other]:
            for s in range(stretch[label], stretch[label + 1]):
                inside |= low[s] <= first[other] and last[other] <= high[s]
        if inside:
            rows[column, r >> 6] |= np.uint64(1) << np.uint64(r & 63)
    for s in range(stretch[label], stretch[label + 1]):
        for i in range(places.shape[1]):
            if low[s] <= places[column, i] < high[s]:
                people[column, i >> 6] |= np.uint64(1) << np.uint64(i & 63)


@njit_inner
def _is_single(sets, a, b, c):  # type: ignore[no-untyped-def]
    """Tell whether three of the sets have exactly one member in common."""
    seen = False
    for word in range(sets.shape[1]):
        both = sets[a, word] & sets[b, word] & sets[c, word]
        if both:
            if seen or both & (both - np.uint64(1)):
                return False
            seen = True
    return seen


@njit_inner
def _smallest_predicate(rows, people, columns, count, size, out, t):  # type: ignore[no-untyped-def]
    """Write the first predicate of so many columns that singles out; the target satisfies the first `count` columns.

    A set that is intersected with itself stays what it is, so that smaller predicates repeat their last column.
    """
    for i in range(count):
        for j in range(i, count):
            if (j == i) != (size == 1):
                continue
            for k in range(j, count):
                if (k == j) != (size < 3):
                    continue
                a, b, c = columns[i], columns[j], columns[k]
                if _is_single(rows, a, b, c) and _is_single(people, a, b, c):
                    out[t, 0] = a
                    if size > 1:
                        out[t, 1] = b
                    if size > 2:
                        out[t, 2] = c
                    return True
    return False


@njit(nogil=True, cache=True)
def _single_out(  # type: ignore[no-untyped-def]
    labels, places, stretch, low, high, first, last, targets, origin, most, rows, people, columns, out, begin, end
):
    """Write the predicate of targets begin … end - 1."""
    for t in range(begin, end):
        # Of a fixed type, or `_smallest_predicate` would be compiled for the constant, too.
        row, person, count = targets[t], origin[targets[t]], np.int64(0)
        for c in range(labels.shape[0]):
            _fill_bits(labels, places, stretch, low, high, first, last, c, labels[c, row], rows, people)
            if person < 0 or people[c, person >> 6] >> np.uint64(person & 63) & np.uint64(1) != 0:
                columns[count] = c
                count += 1
        for size in range(1, most + 1):
            if _smallest_predicate(rows, people, columns, count, size, out, t):
                break


def _single_out_by_numpy(
    labels: Int32,
    places: Int32,
    stretch: Int,
    low: Int,
    high: Int,
    first: Int,
    last: Int,
    targets: Int,
    origin: Int,
    most: int,
    _rows: np.ndarray,
    _people: np.ndarray,
    _columns: Int,
    out: Int,
    begin: int,
    end: int,
) -> None:
    """Do what `_single_out` does, with sets as the bits of one number each."""
    sets: dict[tuple[int, int], tuple[int, int]] = {}

    def members(column: int, label: int) -> tuple[int, int]:
        """Return the released rows whose label is this one or lies inside it, and the people whom it covers."""
        if (column, label) not in sets:
            others, people = labels[column], np.zeros(places.shape[1], np.bool_)
            inside = others == label
            for s in range(stretch[label], stretch[label + 1]):
                within = (low[s] <= first[others]) & (last[others] <= high[s])
                inside |= within & (last[others] > first[others])
                people |= (low[s] <= places[column]) & (places[column] < high[s])
            sets[column, label] = _bits(inside), _bits(people)
        return sets[column, label]

    for t in range(begin, end):
        row, person = int(targets[t]), int(origin[targets[t]])
        both = {c: members(c, int(labels[c, row])) for c in range(len(labels))}
        columns = [c for c, (_, people) in both.items() if person < 0 or people >> person & 1]
        for size in range(1, most + 1):
            located = next((some for some in combinations(columns, size) if _all_single(both, some)), None)
            if located is not None:
                out[t, :size] = located
                break


def _bits(members: Bool) -> int:
    return int.from_bytes(np.packbits(members, bitorder="little").tobytes(), "little")


def _all_single(sets: dict[int, tuple[int, int]], columns: tuple[int, ...]) -> bool:
    """Tell whether the sets of rows, and those of people, have exactly one member in common."""
    for side in range(2):
        both = sets[columns[0]][side]
        for column in columns[1:]:
            both &= sets[column][side]
        if not both or both & (both - 1):
            return False
    return True


def isolating_predicates(table: LabelTable, targets: Int, origin: Int, most: int) -> Int:
    """Return for each target the columns of a predicate that singles its person out.

    Exactly one released row, the target, has the target's labels in these columns, or labels inside them, and of the
    people exactly one, the one it was made from, is covered by them.

    Args:
        table: Released rows and people.
        targets: The released rows asked about.
        origin: The person of each released row; -1 where it comes from nobody in particular: then whoever is isolated
            counts.
        most: Largest number of columns, 1 to 3.

    Returns:
        targets × 3 columns, -1 for none; the fewest columns, and of those the first.
    """
    out = np.full((len(targets), 3), NONE, np.int64)
    columns, released = table.labels.shape
    calls = []
    for span in threads.spans(len(targets), 16):
        rows = np.empty((columns, (released + 63) >> 6), np.uint64)
        people = np.empty((columns, (table.places.shape[1] + 63) >> 6), np.uint64)
        calls.append((*table, targets, origin, most, rows, people, np.empty(columns, np.int64), out, *span))
    steps = len(targets) * (released + table.places.shape[1]) * columns
    threads.starmap(compiled_if_worth(_single_out, steps, _single_out_by_numpy, SLOW_TO_COMPILE // 4), calls)
    return out

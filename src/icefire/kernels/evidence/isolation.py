"""Predicates that single a person out: values of few columns that exactly one released row and one person satisfy.

A predicate is made of a released row's own labels. Sets of rows and of people are bits of 64-bit words.
"""

from __future__ import annotations

import threading
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
    """Released rows and people by column."""

    labels: Int32
    """columns × released rows; label l of column c has the number bounds[c] + l among those of all columns."""
    places: Int32
    """columns × people."""
    stretch: Int
    low: Int
    high: Int
    """Label l covers the places from low[s] up to high[s], not included, for s from stretch[l] to stretch[l + 1]."""
    first: Int
    last: Int
    """The first place of each label and the end of its last; for a label that covers none, 0 and 0."""
    bounds: Int
    """Column c has the labels from bounds[c] up to bounds[c + 1], not included."""


TOGETHER = 8
"""Targets whose sets are filled in one pass over the rows: one bit of a byte each."""


@njit_inner
def _mark_labels(stretch, low, high, first, last, begin, end, label, bit, of_label, of_place):  # type: ignore[no-untyped-def]
    """Set a bit for the labels begin … end - 1 that are this one or lie inside it, and for the places it covers."""
    of_label[label - begin] |= bit
    for s in range(stretch[label], stretch[label + 1]):
        for place in range(low[s], high[s]):
            of_place[place] |= bit
        for other in range(begin, end):
            if last[other] > first[other] and low[s] <= first[other] and last[other] <= high[s]:
                of_label[other - begin] |= bit


@njit_inner
def _fill_bits(marks, values, eights, bits):  # type: ignore[no-untyped-def]
    """Write for each target the set of rows whose value has its mark: targets × words.

    `eights` is room for the marks of 64 rows, eight to a word. A product brings one bit of each of eight bytes
    together.
    """
    ones, together = np.uint64(0x0101010101010101), np.uint64(0x0102040810204080)
    for word in range(bits.shape[1]):
        begin = word << 6
        some = np.uint64(0)
        for eight in range(8):
            packed = np.uint64(0)
            for r in range(begin + 8 * eight, min(begin + 8 * eight + 8, len(values))):
                packed |= np.uint64(marks[values[r]]) << np.uint64(8 * (r & 7))
            eights[eight] = packed
            some |= packed
        for t in range(bits.shape[0]):
            bits[t, word] = 0
            if not some & ones << np.uint64(t):
                continue
            for eight in range(8):
                chosen = (eights[eight] >> np.uint64(t) & ones) * together >> np.uint64(56)
                bits[t, word] |= chosen << np.uint64(8 * eight)


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
    labels, places, stretch, low, high, first, last, bounds, size, targets, origin, most, rows, people, out, begin, end
):
    """Write the predicate of targets begin … end - 1.

    The labels of column c are those from bounds[c] up to bounds[c + 1], not included; no place reaches `size`. `rows`
    and `people` are room for sets: targets × columns × words.
    """
    of_place, columns = np.empty(size, np.uint8), np.empty(labels.shape[0], np.int64)
    of_label, eights = np.empty(max(1, bounds[-1]), np.uint8), np.empty(8, np.uint64)
    for start in range(begin, end, rows.shape[0]):
        together = min(rows.shape[0], end - start)
        for c in range(labels.shape[0]):
            of_place[:] = 0
            of_label[:] = 0
            for t in range(together):
                label, bit = bounds[c] + labels[c, targets[start + t]], np.uint8(1 << t)
                _mark_labels(stretch, low, high, first, last, bounds[c], bounds[c + 1], label, bit, of_label, of_place)
            _fill_bits(of_label, labels[c], eights, rows[:together, c])
            _fill_bits(of_place, places[c], eights, people[:together, c])
        for t in range(together):
            # Of a fixed type, or `_smallest_predicate` would be compiled for the constant, too.
            person, count = origin[targets[start + t]], np.int64(0)
            for c in range(labels.shape[0]):
                if person < 0 or people[t, c, person >> 6] >> np.uint64(person & 63) & np.uint64(1) != 0:
                    columns[count] = c
                    count += 1
            for columns_used in range(1, most + 1):
                if _smallest_predicate(rows[t], people[t], columns, count, columns_used, out, start + t):
                    break


def _single_out_by_numpy(
    labels: Int32,
    places: Int32,
    stretch: Int,
    low: Int,
    high: Int,
    first: Int,
    last: Int,
    bounds: Int,
    _size: int,
    targets: Int,
    origin: Int,
    most: int,
    _rows: np.ndarray,
    _people: np.ndarray,
    out: Int,
    begin: int,
    end: int,
) -> None:
    """Do what `_single_out` does, with sets as the bits of one number each."""
    sets: dict[tuple[int, int], tuple[int, int]] = {}

    def members(column: int, label: int) -> tuple[int, int]:
        """Return the released rows whose label is this one or lies inside it, and the people whom it covers."""
        if (column, label) not in sets:
            others, people = bounds[column] + labels[column], np.zeros(places.shape[1], np.bool_)
            inside = others == label
            for s in range(stretch[label], stretch[label + 1]):
                within = (low[s] <= first[others]) & (last[others] <= high[s])
                inside |= within & (last[others] > first[others])
                people |= (low[s] <= places[column]) & (places[column] < high[s])
            sets[column, label] = _bits(inside), _bits(people)
        return sets[column, label]

    for t in range(begin, end):
        row, person = int(targets[t]), int(origin[targets[t]])
        both = {c: members(c, int(bounds[c] + labels[c, row])) for c in range(len(labels))}
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
    size = max(1, int(table.places.max(initial=0)) + 1, int(table.high.max(initial=0)))
    steps = len(targets) * (released + table.places.shape[1]) * columns
    write = compiled_if_worth(_single_out, steps, _single_out_by_numpy, SLOW_TO_COMPILE // 4)

    room = threading.local()

    def single_out(begin: int, end: int) -> None:
        if not hasattr(room, "rows"):
            # Each thread fills its room again and again: new memory costs as much as filling it does.
            room.rows = np.empty((TOGETHER, columns, (released + 63) >> 6), np.uint64)
            room.people = np.empty((TOGETHER, columns, (table.places.shape[1] + 63) >> 6), np.uint64)
        sets = room.rows[: end - begin], room.people[: end - begin]
        write(*table, size, targets, origin, most, *sets, out, begin, end)

    threads.starmap(single_out, [(i, min(i + TOGETHER, len(targets))) for i in range(0, len(targets), TOGETHER)])
    return out

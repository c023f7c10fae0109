"""Predicates that single a person out: values of few columns that exactly one released row and one person satisfy.

A predicate is made of a released row's own labels. Sets of rows and of people are bits of 64-bit words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.types import Int, Int32

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


@njit(nogil=True, cache=True)
def _fill_bits(table, column, label, rows, people):  # type: ignore[no-untyped-def]
    """Set the bits of the released rows whose label is this one or lies inside it, and of the people whom it covers."""
    rows[:], people[:] = 0, 0
    for r in range(table.labels.shape[1]):
        other = table.labels[column, r]
        inside = other == label
        if not inside and table.last[other] > table.first[other]:
            for s in range(table.stretch[label], table.stretch[label + 1]):
                inside |= table.low[s] <= table.first[other] and table.last[other] <= table.high[s]
        if inside:
            rows[r >> 6] |= np.uint64(1) << np.uint64(r & 63)
    for s in range(table.stretch[label], table.stretch[label + 1]):
        low, high = table.low[s], table.high[s]
        for i in range(table.places.shape[1]):
            if low <= table.places[column, i] < high:
                people[i >> 6] |= np.uint64(1) << np.uint64(i & 63)


@njit(nogil=True, cache=True)
def _is_single(one, other):  # type: ignore[no-untyped-def]
    """Tell whether two sets have exactly one member in common."""
    seen = False
    for word in range(len(one)):
        both = one[word] & other[word]
        if both:
            if seen or both & (both - np.uint64(1)):
                return False
            seen = True
    return seen


@njit(nogil=True, cache=True)
def _smallest_predicate(rows, people, usable, most, out):  # type: ignore[no-untyped-def]
    """Write the first predicate of fewest columns that singles out; the target satisfies every usable column."""
    columns = np.flatnonzero(usable)
    count = len(columns)
    for a in columns:
        if _is_single(rows[a], rows[a]) and _is_single(people[a], people[a]):
            out[0] = a
            return True
    if most < 2:
        return False
    for i in range(count):
        for j in range(i + 1, count):
            a, b = columns[i], columns[j]
            if _is_single(rows[a], rows[b]) and _is_single(people[a], people[b]):
                out[0], out[1] = a, b
                return True
    if most < 3:
        return False
    both_rows, both_people = np.empty_like(rows[0]), np.empty_like(people[0])
    for i in range(count):
        for j in range(i + 1, count):
            both_rows[:] = rows[columns[i]] & rows[columns[j]]
            both_people[:] = people[columns[i]] & people[columns[j]]
            for k in range(j + 1, count):
                c = columns[k]
                if _is_single(both_rows, rows[c]) and _is_single(both_people, people[c]):
                    out[0], out[1], out[2] = columns[i], columns[j], c
                    return True
    return False


@njit(nogil=True, cache=True)
def _single_out(table, targets, origin, most, out, begin, end):  # type: ignore[no-untyped-def]
    """Write the predicate of targets begin … end - 1."""
    columns, released = table.labels.shape
    rows = np.empty((columns, (released + 63) >> 6), np.uint64)
    people = np.empty((columns, (table.places.shape[1] + 63) >> 6), np.uint64)
    usable = np.empty(columns, np.bool_)
    for t in range(begin, end):
        row, person = targets[t], origin[targets[t]]
        for c in range(columns):
            _fill_bits(table, c, table.labels[c, row], rows[c], people[c])
            usable[c] = person < 0
            if person >= 0:
                usable[c] = people[c, person >> 6] >> np.uint64(person & 63) & np.uint64(1) != 0
        _smallest_predicate(rows, people, usable, most, out[t])


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
    calls = [(table, targets, origin, most, out, *span) for span in threads.spans(len(targets), 16)]
    threads.starmap(_single_out, calls)
    return out

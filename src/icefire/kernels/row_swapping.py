"""Swap rows with candidates, those that have fewest first; where all are taken, copy one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.candidates import counts, fits
from icefire.kernels.records import Records
from icefire.kernels.strips import cut, lead, places, reach_of, reached

Int = NDArray[np.int64]

DARTS = 12
"""Places drawn at random for a row before its candidates are counted."""
EVERY = 1 << 62


def swapped(records: Records, limit: float, rng: np.random.Generator) -> tuple[Int, Int]:
    """Return for each row the row whose values it takes, and how many candidates it had.

    In the order of their number of candidates (ties: lowest row) each row that has not been swapped yet swaps with one
    of its candidates that have not either, drawn at random. If all of them are taken, it takes a copy of one, drawn at
    random. A row without candidates stays as it is.
    """
    found = counts(records, records, limit, np.arange(len(records.numbers)))
    source = np.arange(len(found))
    order = np.argsort(found, kind="stable")
    strips = cut(records, limit)
    leads = np.stack([lead(records, 0), lead(records, 1)], axis=1)
    draws = rng.random((len(found), DARTS + 1))
    _swap(records, leads, strips, *reach_of(limit), found, order, draws, source)
    return source, found


@njit(nogil=True, cache=True)
def _swap(records, leads, strips, reach, most, found, order, draws, source):  # type: ignore[no-untyped-def]
    # By place in the index instead of row: candidates of a row then lie close together.
    done, place = np.zeros(source.size, np.bool_), np.empty(source.size, np.int64)
    place[strips.rows] = np.arange(source.size)
    nobody = np.zeros(source.size, np.bool_)
    for row in order:
        if done[place[row]] or not found[row]:
            continue
        done[place[row]] = True
        at = _drawn(records, leads[row], row, strips, reach, most, done, draws[row])
        if at >= 0:
            done[at] = True
            source[row], source[strips.rows[at]] = strips.rows[at], row
        else:
            nobody[place[row]] = True
            at = _walk(records, leads[row], row, strips, reach, most, nobody, int(draws[row, DARTS] * found[row]))
            nobody[place[row]] = False
            source[row] = strips.rows[at]


@njit(nogil=True, cache=True)
def _drawn(records, leads, row, strips, reach, most, done, draws) -> Any:  # type: ignore[no-untyped-def]
    """Return the place of a candidate that is not done, each with the same chance, or -1 if there is none.

    Most are found by throwing darts at the places within reach; after that they are counted.
    """
    numbers, words, tops = records.numbers, records.words, records.tops
    low, high = reached(strips.lowest, strips.highest, leads[0], reach)
    width = 0
    for strip in range(low, high):
        begin, end = places(strips.second, strips.start[strip], strips.start[strip + 1], leads[1], reach)
        width += end - begin
    for dart in range(DARTS):
        at = int(draws[dart] * width)
        for strip in range(low, high):
            begin, end = places(strips.second, strips.start[strip], strips.start[strip + 1], leads[1], reach)
            if at < end - begin:
                at += begin
                break
            at -= end - begin
        if not done[at] and fits(numbers, words, row, strips.numbers, strips.words, at, tops, reach, most):
            return at
    free = _walk(records, leads, row, strips, reach, most, done, EVERY)
    return _walk(records, leads, row, strips, reach, most, done, int(draws[DARTS] * free)) if free else -1


@njit(nogil=True, cache=True)
def _walk(records, leads, row, strips, reach, most, done, wanted) -> Any:  # type: ignore[no-untyped-def]
    """Walk over the candidates that are not done to the one wanted and return its place, or how many there are."""
    numbers, words, tops, seen = records.numbers, records.words, records.tops, 0
    low, high = reached(strips.lowest, strips.highest, leads[0], reach)
    for strip in range(low, high):
        begin, end = places(strips.second, strips.start[strip], strips.start[strip + 1], leads[1], reach)
        for p in range(begin, end):
            if not done[p] and fits(numbers, words, row, strips.numbers, strips.words, p, tops, reach, most):
                if seen == wanted:
                    return p
                seen += 1
    return seen

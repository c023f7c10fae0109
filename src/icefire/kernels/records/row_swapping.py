"""Random swaps of rows with their candidates, rows with the fewest candidates first; where all are taken, a copy.

Candidates are the rows within a limit of loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.common.random_draws import random_fraction
from icefire.kernels.records.candidates import counts, fits
from icefire.kernels.records.loss import Records
from icefire.kernels.records.strip_index import (
    build_index,
    leading_column,
    places_in_reach,
    strips_in_reach,
    tolerances,
)
from icefire.kernels.types import Int

RANDOM_TRIES = 16
"""So many places are drawn, plus one for every so many within reach, before free candidates are counted."""
EVERY = 1 << 62


def swap_rows(records: Records, limit: float, rng: np.random.Generator) -> tuple[Int, Int]:
    """Return for each row the row whose values it takes, and how many candidates it had.

    In the order of their number of candidates (ties: lowest row), each row that has not been swapped yet swaps with one
    of its candidates that have not either, drawn at random. If all are taken, it gets a copy of one, drawn at random. A
    row without candidates stays as it is.
    """
    candidates = counts(records, records, limit, np.arange(len(records.numbers)))
    source = np.arange(len(candidates))
    order = np.argsort(candidates, kind="stable")
    leads = np.stack([leading_column(records, 0), leading_column(records, 1)], axis=1)
    state = rng.integers(0, 1 << 63, 1).astype(np.uint64)
    _swap(records, leads, build_index(records, limit), *tolerances(limit), candidates, order, state, source)
    return source, candidates


@njit(nogil=True, cache=True)
def _swap(records, leads, strips, reach, most, candidates, order, state, source):  # type: ignore[no-untyped-def]
    """Swap or copy rows in order; writes for each row the row whose values it takes."""
    # By place in the index instead of row: candidates of a row then lie close together.
    done, place = np.zeros(source.size, np.bool_), np.empty(source.size, np.int64)
    place[strips.rows] = np.arange(source.size)
    nobody = np.zeros(source.size, np.bool_)
    begin, width = np.empty(strips.start.size, np.int64), np.empty(strips.start.size, np.int64)
    for row in order:
        if done[place[row]] or not candidates[row]:
            continue
        done[place[row]] = True
        parts = _windows(strips, leads[row], reach, begin, width)
        at = _random_candidate(records, row, strips, reach, most, begin[:parts], width[:parts], done, state)
        if at >= 0:
            done[at] = True
            source[row], source[strips.rows[at]] = strips.rows[at], row
        else:
            nobody[place[row]] = True
            wanted = int(random_fraction(state) * candidates[row])
            at = _candidate_at(records, row, strips, reach, most, begin[:parts], width[:parts], nobody, wanted)
            nobody[place[row]] = False
            source[row] = strips.rows[at]


@njit(nogil=True, cache=True)
def _windows(strips, leads, reach, begin, width) -> Any:  # type: ignore[no-untyped-def]
    """Write where the places within reach begin in each strip, and how many they are; returns the number of strips."""
    low, high = strips_in_reach(strips.lowest, strips.highest, leads[0], reach)
    for part in range(high - low):
        start, end = strips.start[low + part], strips.start[low + part + 1]
        begin[part], stop = places_in_reach(strips.second, start, end, leads[1], reach)
        width[part] = stop - begin[part]
    return high - low


@njit(nogil=True, cache=True)
def _random_candidate(records, row, strips, reach, most, begin, width, done, state) -> Any:  # type: ignore[no-untyped-def]
    """Return the place of a random candidate that is not done, or -1 if there is none.

    Places within reach are drawn at random; if none of them is a free candidate, the free candidates are counted.
    """
    numbers, words, tops = records.numbers, records.words, records.tops
    total = width.sum()
    for _ in range(RANDOM_TRIES + total // RANDOM_TRIES):
        at, part = int(random_fraction(state) * total), 0
        while at >= width[part]:
            at -= width[part]
            part += 1
        at += begin[part]
        if not done[at] and fits(numbers, words, row, strips.numbers, strips.words, at, tops, reach, most):
            return at
    free = _candidate_at(records, row, strips, reach, most, begin, width, done, EVERY)
    if not free:
        return -1
    return _candidate_at(records, row, strips, reach, most, begin, width, done, int(random_fraction(state) * free))


@njit(nogil=True, cache=True)
def _candidate_at(records, row, strips, reach, most, begin, width, done, wanted) -> Any:  # type: ignore[no-untyped-def]
    """Return the place of the candidate number `wanted` among those not done, or how many there are."""
    numbers, words, tops, seen = records.numbers, records.words, records.tops, 0
    for part in range(begin.size):
        for p in range(begin[part], begin[part] + width[part]):
            if not done[p] and fits(numbers, words, row, strips.numbers, strips.words, p, tops, reach, most):
                if seen == wanted:
                    return p
                seen += 1
    return seen

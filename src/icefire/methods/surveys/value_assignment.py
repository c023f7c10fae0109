"""Assign values to people: each its own, within a limit, and none that an attacker would name first."""

from __future__ import annotations

import numpy as np

from icefire.kernels.assignment import matching, random_exchanges
from icefire.kernels.records import candidates, conspicuous_candidates
from icefire.kernels.records.loss import Records
from icefire.kernels.types import Float, Int, Int32

LISTED = 1 << 22
"""Candidates listed in all: of each person's so many at random, where they are more than these."""
FEWEST, MOST = 64, 256
"""But not fewer of each than this, nor more than that."""
STIRS = 40
"""Exchanges tried for each person."""


def assigned_values(
    known: Records, people: Int, values: Int, limit: float, tries: int, rng: np.random.Generator
) -> Int:
    """Return for each of the people one of the values (both are rows), or the person where there is no other.

    As many as possible get a value of their own that would not be among the first so many `tries` of an attacker; then
    as many as possible one of their own; the others a copy. Which of all such ways it becomes is left to chance.
    """
    mine, theirs = known.take(people), known.take(values)
    place = np.full(len(known.numbers), -1, np.int64)
    place[values] = np.arange(len(values))
    cap = min(MOST, max(FEWEST, LISTED // max(len(people), 1)))
    start, listed = candidates.lists(mine, theirs, limit, cap, rng.random(len(people)), place[people])
    plain = _plain(mine, theirs, start, listed, limit, tries, rng)
    draws = rng.random(len(people))
    given = matching.maximum_matching(*plain, len(values), draws)
    given = matching.maximum_matching(start, listed, len(values), draws, given)
    given = random_exchanges.exchange_at_random(*plain, len(values), given, STIRS * len(people), rng)
    return _completed(people, values, start, listed, given, rng.random(len(people)))


def _plain(
    mine: Records, theirs: Records, start: Int, listed: Int32, limit: float, tries: int, rng: np.random.Generator
) -> tuple[Int, Int32]:
    """Return the lists without what stands out; neighbours and demand are what an attacker sees in the release."""
    around = candidates.counts(theirs, theirs, limit).astype(np.float64)
    crowds = around, candidates.sums(theirs, theirs, np.reciprocal(around), limit)
    plain = conspicuous_candidates.inconspicuous(mine, theirs, start, listed, crowds, tries, rng.random(len(start) - 1))
    return np.concatenate([[0], np.cumsum(plain)])[start], listed[plain]


def _completed(people: Int, values: Int, start: Int, listed: Int32, given: Int, draws: Float) -> Int:
    """Copy a candidate for whoever got nothing; whoever has no candidate keeps the own values."""
    size = np.diff(start)
    lacking = (given < 0) & (size > 0)
    given = given.copy()
    given[lacking] = listed[(start[:-1] + (draws * size).astype(np.int64))[lacking]]
    return np.where(given < 0, people, values[given])

"""Columns that identify people by themselves: whoever knows this one value of a person finds their row.

One column alone shows nobody whether it was shuffled, so an attacker who weighs all columns may pass it over. One who
knows or supposes how this column was made does not: dates moved by a constant, amounts times a secret factor, texts in
which words were changed.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.attacks.tables.link.columns import readable
from icefire.audit import judge
from icefire.audit.obstacles.distinct_values import distinct_originals
from icefire.core import align, formatting
from icefire.core.release import Comparison
from icefire.core.schema import Role
from icefire.core.scorecard import Reason
from icefire.hierarchy.fitting import number
from icefire.kernels.common import threads
from icefire.kernels.types import Int
from icefire.words import said, t

BY_VALUE, BY_ORDER, BY_REVERSED_ORDER = "by its values", "by its order", "by its order, reversed"
DRAWN = ", one drawn of the people with the same value"
"""Added where most of the people are not found for sure, but by a draw among those who share their value."""
MOST_NAMED = 5
"""So many columns are named in the reason, the most telling first; the evidence lists all."""
WAYS = 3
CHANCE = 0.01
"""How probably one column of a table or more may seem to identify people if all are shuffled."""


@dataclass(frozen=True, slots=True)
class _Found:
    """How many people one way of reading a column finds."""

    people: float
    """Expected, where one is drawn of several with the same value."""
    alone: float
    """Those of them who share their value with nobody."""


def columns_that_identify(
    comparison: Comparison, limit: float, known_columns: Collection[str] | None = None
) -> list[Reason]:
    """Refuse columns that identify more people by themselves than may be.

    A person is found by their own value, or the one that resembles it most, where nobody else has it; or by the place
    of the value in the order of all. Values that were exchanged sometimes return to their owner by chance, so a column
    counts where the share is clearly larger, and where more people are found than in any column of a shuffled table.
    Columns that no attacker knows (`known_columns`, None for all) do not count.
    """
    x, y = comparison.original.frame, comparison.released.frame
    hidden = comparison.original.schema.named(Role.ID)
    names = [name for name in y.columns if name in x.columns and name not in hidden]
    names = [name for name in names if known_columns is None or name in known_columns]
    people = len(comparison.truth)
    by_chance = most_by_chance(WAYS * len(names))
    shares, how = {}, {}
    names = _with_enough_values(comparison, names, max(by_chance, limit * people))
    asked = [(x[name], y[name], comparison.truth.rows) for name in names]
    for name, ways in zip(names, threads.starmap(_identified_by, asked), strict=True):
        way = max(ways, key=lambda each: ways[each].people)
        identified = ways[way]
        if identified.people > by_chance and judge.wilson(identified.people, people)[0] > limit:
            shares[name] = identified.people / people
            how[name] = way if identified.alone >= identified.people / 2 else f"{way}{DRAWN}"
    if not shares:
        return []
    telling = sorted(shares, key=lambda name: -shares[name])
    words = [f"{name} ({formatting.percent(shares[name])}, {said(how[name])})" for name in telling[:MOST_NAMED]]
    if len(telling) > MOST_NAMED:
        text = t("verdict.reason.many_columns_identify", n=len(telling), columns=", ".join([*words, "…"]))
    else:
        text = t("verdict.reason.columns_identify", columns=", ".join(words))
    evidence = {"columns": {name: shares[name] for name in telling}, "by": how, "limit": limit}
    return [Reason("verbatim", text, evidence)]


def _with_enough_values(comparison: Comparison, names: list[str], most: float) -> list[str]:
    """Leave out the columns that cannot identify more people than these.

    Whoever is found is one of those who share a value, so nobody finds more people than a column has values, where
    everybody is released once at most.
    """
    originals = np.bincount(comparison.truth.rows, minlength=comparison.original.height)
    if originals.max() > 1:
        return names
    return [name for name in names if distinct_originals(comparison.case, name) > most]


def _identified_by(x: pl.Series, y: pl.Series, truth: Int) -> dict[str, _Found]:
    return people_identified(*readable(x, y), truth)


def most_by_chance(trials: int) -> int:
    """Return how many people one of so many shuffled columns finds at most; each finds one on average."""
    most, tail = 0, 1.0 - math.exp(-1.0)
    while trials * tail > CHANCE:
        most += 1
        tail -= math.exp(-1.0) / math.factorial(most)
    return most


def people_identified(x: pl.Series, y: pl.Series, truth: Int) -> dict[str, _Found]:
    """Return how many people are expected to be found by this column alone, by each way of reading it."""
    numeric = x.dtype.is_numeric() and y.dtype.is_numeric()
    if not numeric:
        x, y = align.as_text(x), align.as_text(y)
    known = _counted(x)
    own = known.codes[truth]
    ways = {BY_VALUE: _own_unique_values(known, own, x, y, truth)}
    if numeric:
        shown = _counted(y)
        ways[BY_ORDER] = _found_by_place(known, own, shown.codes, shown.counts)
        backwards = np.append(np.arange(len(shown.counts))[::-1], len(shown.counts))
        ways[BY_REVERSED_ORDER] = _found_by_place(known, own, backwards[shown.codes], shown.counts[::-1])
    return ways


@dataclass(frozen=True, slots=True)
class _Counted:
    """A column as numbers of its distinct values in ascending order, and how many rows have each.

    Missing values have the number after the last.
    """

    codes: NDArray[np.integer]
    counts: Int


def _counted(column: pl.Series) -> _Counted:
    codes, distinct = number(column.fill_nan(None) if column.dtype.is_float() else column)
    counts = np.bincount(codes, minlength=len(distinct))
    return _Counted(codes, counts[: len(distinct) - distinct.null_count()])


def _own_unique_values(known: _Counted, own: NDArray[np.integer], x: pl.Series, y: pl.Series, truth: Int) -> _Found:
    alone = np.flatnonzero(np.append(known.counts == 1, False)[own])
    people = float((x.gather(truth[alone]) == y.gather(alone)).sum())
    return _Found(people, people)


def _found_by_place(known: _Counted, own: NDArray[np.integer], shown: NDArray[np.integer], rows: Int) -> _Found:
    """Return how many people are expected to be found if the value of the same place in the order is taken.

    Of several people with that value one is taken at random.

    Args:
        known: The values of the people.
        own: For each released row the number of its person's value.
        shown: The place of its released value among the distinct ones; after the last for a missing one.
        rows: How many rows have each of the released values.
    """
    if not len(known.counts) or not len(rows):
        return _Found(0.0, 0.0)
    below, last = np.cumsum(known.counts), np.cumsum(rows)
    place = (2 * last - rows) * below[-1] // (2 * last[-1])
    guess = np.searchsorted(below, np.minimum(place, below[-1] - 1), "right")
    people = known.counts[guess]
    right = np.append(guess, -1)[shown] == own
    places = shown[right]
    return _Found(float((1 / people[places]).sum()), float((people[places] == 1).sum()))

"""Choose the people and the values that scatter_rows leaves out, against an attacker who has a few guesses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from icefire.core.errors import ParameterError
from icefire.kernels.records import candidates
from icefire.kernels.records.loss import Records
from icefire.kernels.types import Float, Int
from icefire.methods.surveys.averages import Averages, without

LITTLE = 0.65
"""Values that less than so many people would take, were each to draw among its candidates, give their holder away."""


@dataclass(frozen=True, slots=True)
class CandidateCounts:
    """All rows, how many candidates each has, and classes of which few people may be alone in one."""

    records: Records
    limit: float
    counts: Int
    classes: Int
    alone: int
    """So many rows at most may be alone in their class."""

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.counts)

    def alone_in_class(self, rows: Int) -> Int:
        """Return those of the rows that are alone in their class."""
        classes = self.classes[rows]
        alone: Int = rows[np.bincount(classes)[classes] == 1]
        return alone


def people_left_out(known: CandidateCounts, averages: Averages, few: int, size: int, rng: np.random.Generator) -> Int:
    """Choose whom to leave out: first those with few candidates, then anybody at random.

    If only the first were left out, a look at the original would tell who was. Where too many would be alone, more
    people go, alone or not: if only people who are alone went, all others would be known to be there.
    """
    risk, everybody = _exposure(known.counts, few), np.arange(known.rows)
    while True:
        if size >= known.rows > 0:
            raise ParameterError(
                f"scatter_rows: all {known.rows:,} rows would have to go so that at most {known.alone:,} are alone in "
                "their class; choose a larger share in alone, a coarser unit, or fewer columns in key"
            )
        gone = averages.chosen(risk, everybody, size, rng)
        excess = len(known.alone_in_class(without(known.rows, gone))) - known.alone
        if excess <= 0:
            return gone
        size += excess


def _exposure(counts: Int, few: int) -> Float:
    """Risk of each row with at most so many candidates, the higher the fewer; 0 for all others."""
    return np.where(counts <= few, 0.1 + 0.4 * few / np.maximum(counts, 0.5), 0.0)


REDRAWS = 20
"""Values are drawn again at most so many times until correlations stay where they were."""


def values_left_out(
    known: CandidateCounts, averages: Averages, gone: Int, correlation: float, rng: np.random.Generator
) -> Int:
    """Choose as many rows whose values are left out, whoever's they are: values of people left out may live on.

    Values that few of the people who stay could hold go first: whoever had them would be found. All others go at
    random. If the values of people left out were kept as decoys, whose values are gone would be known to be there.
    They are drawn again, a few times, where a correlation moves by more than allowed.
    """
    here = without(known.rows, gone)
    weights = (known.rows / max(len(here), 1)) / np.maximum(known.counts[here], 1)
    demand = candidates.sums(known.records, known.records.take(here), weights, known.limit)
    risk = np.where(demand < LITTLE, 0.1 + 1 / np.maximum(demand, 0.05) - 1 / LITTLE, 0.0)
    best, least = gone, np.inf
    for _ in range(REDRAWS):
        drawn = averages.chosen(risk, np.arange(known.rows), len(gone), rng)
        change = averages.correlation_change(without(known.rows, drawn)) if correlation < 1 else 0.0
        if change < least:
            best, least = drawn, change
        if change <= correlation:
            break
    return best

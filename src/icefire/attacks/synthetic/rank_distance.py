"""The attack `rank_distance`: the closest released row where numbers are compared by their ranks."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core.dataset import numbers
from icefire.core.membership import MembershipCase
from icefire.core.mixed_distances import nearest_people
from icefire.core.registry import attack
from icefire.core.release import Guess
from icefire.kernels.types import Float

SPREAD = 0.5
"""The interquartile range of ranks between 0 and 1."""


@attack(
    "rank_distance",
    question="membership",
    release="synthetic",
    knows="all values of the people asked about, and other people of the same population",
)
def rank_distance(case: MembershipCase, *, rng: np.random.Generator) -> Guess:
    """Score people by the distance to the closest released row, numbers being compared by their ranks.

    The attacker knows all values of the people asked about, and other people of the same population; success is to
    give members higher scores than others. Copies whose numbers were written in another unit, as logarithms or in
    other ways that keep their order lie far from the people as they stand, but have the same ranks: those of a person
    among other people, those of a released row among the released rows.

    Args:
        case: What the attacker holds: the people asked about, the released table and a background.
        rng: Unused; part of every attack's signature.

    Returns:
        A score per person: the distance with a minus sign.
    """
    scales = case.column_scales()
    names = [name for name in case.compared if name in scales]
    known = case.records.frame if case.background is None else case.background.frame
    released = case.released.frame.with_columns(
        _ranks(case.released.frame[name], case.released.frame) for name in names
    )
    people = case.records.frame.with_columns(_ranks(case.records.frame[name], known) for name in names)
    nearest = nearest_people(released, people, case.compared, dict.fromkeys(names, SPREAD), 1)
    return Guess.by_scores(-nearest.distances[:, 0])


def _ranks(values: pl.Series, table: pl.DataFrame) -> pl.Series:
    """Return the rank of each value among those of a table, from 0 to 1; equal values have the middle of theirs."""
    ordered: Float = np.sort(numbers(table[values.name].drop_nulls()))
    given = numbers(values)
    twice = np.searchsorted(ordered, given, side="left") + np.searchsorted(ordered, given, side="right")
    ranks = np.where(np.isnan(given), np.nan, twice / (2.0 * max(len(ordered), 1)))
    return pl.Series(values.name, ranks).fill_nan(None)

"""The attack `row_likelihood`: how much likelier the released rows are if a person was in the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.attacks.tables.link.row_ratios import ratios_of_people
from icefire.core.dataset import Dataset
from icefire.core.membership import MembershipCase
from icefire.core.registry import attack
from icefire.core.release import Case, Guess
from icefire.kernels.types import Float


@dataclass(frozen=True, slots=True)
class _People:
    """The people whom released rows may come from: those asked about first."""

    table: Dataset
    inside: Float
    """How probably each is in the data, before the release is looked at."""


@attack(
    "row_likelihood",
    question="membership",
    release="synthetic",
    knows="all values of the people asked about, and of others who were, and who were not, in the data",
)
def row_likelihood(case: MembershipCase, *, rng: np.random.Generator) -> Guess:
    """Score people by how much likelier all released rows are if they were in the data than if they were not.

    The attacker knows all values of the people asked about, and of others who were and who were not in the data;
    success is to give members higher scores than others. Rows that were drawn from people and changed, each value by
    chance, are near nobody, but all their values together still tell from whom they are. How much each column was
    changed is learned from the release and the people, as the attack `link` does. A row that somebody else explains
    as well says little about a person; the logarithms of the likelihood ratios are added over all rows. Without
    examples, everybody known may be a member.

    Args:
        case: What the attacker holds: the people asked about, the released table, a background, and examples.
        rng: The generator of the rows learned from and, of very large releases, of the rows looked at.

    Returns:
        A score per person: the sum of the logarithms; 0 for everybody where no column tells anything.
    """
    people = _possible_members(case)
    scores = ratios_of_people(Case(people.table, case.released), people.inside, rng)
    return Guess.by_scores(scores[: case.targets])


def _possible_members(case: MembershipCase) -> _People:
    """Return the people asked about and those known to be members; without examples, also the background."""
    asked, others, share = case.records.frame, case.background, 1.0
    if case.examples is not None and case.examples.member.any():
        member = case.examples.member
        others, share = case.examples.records.take(np.flatnonzero(member)), float(member.mean())
    if others is None:
        return _People(case.records, np.ones(case.targets))
    stacked = pl.concat([asked, others.frame.select(asked.columns)], how="vertical_relaxed")
    inside = np.where(np.arange(stacked.height) < case.targets, share, 1.0)
    return _People(case.records.with_frame(stacked), inside)

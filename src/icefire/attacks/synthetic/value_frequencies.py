"""The attack `value_frequencies`: values of a person that the release has more often than the population."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core.membership import MembershipCase
from icefire.core.registry import attack
from icefire.core.release import Guess
from icefire.kernels.types import Float

PRIOR = 0.5
"""Added to every count, so that a value which is not there has a frequency."""


@attack(
    "value_frequencies",
    question="membership",
    release="synthetic",
    knows="all values of the people asked about, and other people of the same population",
)
def value_frequencies(case: MembershipCase, *, rng: np.random.Generator) -> Guess:
    """Score people by how much more frequent each of their values is in the release than among other people.

    The attacker knows all values of the people asked about, and other people of the same population; success is to give
    members higher scores than others. A method that draws the values of each column from those of its training data
    publishes rare values, such as an amount to the cent, of these people and of nobody else, whatever it does to the
    rows. The logarithms of the ratios are added over the columns. Without a background the other people asked about
    serve as one.

    Args:
        case: What the attacker holds: the people asked about, the released table and a background.
        rng: Unused; part of every attack's signature.

    Returns:
        A score per person: the sum of the logarithms over all columns.
    """
    others = case.records if case.background is None else case.background
    own = int(case.background is None)
    score = np.zeros(case.targets)
    for name in case.compared:
        records = case.records.frame[name]
        released = _frequency(records, case.released.frame[name], 0)
        score += np.log(released) - np.log(_frequency(records, others.frame[name], own))
    return Guess.by_scores(score)


def _frequency(values: pl.Series, table: pl.Series, own: int) -> Float:
    """Return how frequent each value is in a table, of which so many rows are the person's own."""
    counts = table.rename("value").value_counts(name="__count__")
    met = (
        values.rename("value").to_frame().join(counts, on="value", how="left", nulls_equal=True, maintain_order="left")
    )
    count = met["__count__"].fill_null(0).to_numpy().astype(np.float64) - own
    frequency: Float = (np.maximum(count, 0.0) + PRIOR) / (len(table) - own + 2 * PRIOR)
    return frequency

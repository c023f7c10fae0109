"""Risk by household: a person is at risk if any member is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from icefire.core import blocks
from icefire.core.errors import InputError
from icefire.core.release import Comparison
from icefire.core.scorecard.survey_risks import HouseholdRisk
from icefire.kernels.types import Bool, Float, Int
from icefire.risk.survey import summary


def household_risk(
    comparison: Comparison, chances: Float, hits: Mapping[str, Bool], threshold: float
) -> HouseholdRisk | None:
    """Carry risks over to the members of a household; None where no column names households.

    Args:
        comparison: The two tables; the household of a released row is that of its person in the original.
        chances: Chance of every released row to be found by itself.
        hits: For each attack the released rows that it identified.
        threshold: Rows with a higher chance are counted.
    """
    name = comparison.original.schema.household
    if name is None:
        return None
    column = comparison.original.frame[name]
    if column.null_count():
        raise InputError(
            f"household column {name!r} is missing in row {column.is_null().arg_true()[0]}; give everybody a "
            "household, people who live alone one of their own"
        )
    members = blocks.dense_ranks(column).to_numpy().astype(np.int64)[comparison.truth.rows]
    _, homes = np.unique(members, return_inverse=True)
    sizes = np.bincount(homes)
    touched = {attack: np.bincount(homes, hit) > 0 for attack, hit in hits.items()}
    return HouseholdRisk(
        column=name,
        households=len(sizes),
        largest=int(sizes.max()),
        person=summary(chances, threshold),
        any_member=summary(any_member(chances, homes), threshold),
        recognised={attack: float(homes_hit[homes].mean()) for attack, homes_hit in touched.items()},
        households_recognised={attack: float(homes_hit.mean()) for attack, homes_hit in touched.items()},
    )


def any_member(chances: Float, homes: Int) -> Float:
    """Return for every row the chance that at least one of its household is found: 1 - Π (1 - chance)."""
    missed = np.ones(int(homes.max()) + 1)
    np.multiply.at(missed, homes, 1 - chances)
    found_chance: Float = 1 - missed[homes]
    return found_chance

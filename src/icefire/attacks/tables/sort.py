"""The attack E3, `sort`: order both tables by their total and match equal ranks."""

from __future__ import annotations

import numpy as np

from icefire.core.parameters import Columns
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess


@attack(
    "sort",
    code="E3",
    needs=("numeric_sa",),
    knows="the total of everybody's sensitive values and matches the order of the totals",
)
def sort(case: Case, *, rng: np.random.Generator, columns: Columns = None) -> Guess:
    """Order both tables by the sum of the sensitive attributes and match equal ranks.

    The attacker knows the totals (`columns`, default all numeric sensitive attributes; a missing value counts
    as 0). Success is naming the right person. It survives any change that keeps the order, and any deletion
    shifts it; original ranks beyond the last released one are not used.

    Args:
        case: What the attacker holds: the original table and the released one.
        rng: Unused; part of every attack's signature.
        columns: Columns to add up. Default: the numeric sensitive attributes.

    Returns:
        One original row per released row, -1 for those beyond the last original rank.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    names = case.known.schema.pick(columns, case.known.numeric_sa, "columns")
    ranked_x, ranked_y = (
        np.argsort(np.nansum(table.matrix(names), axis=1), kind="stable") for table in (case.known, case.released)
    )
    answers = np.full(case.targets, NO_ANSWER, np.int64)
    shared = min(len(ranked_x), len(ranked_y))
    answers[ranked_y[:shared]] = ranked_x[:shared]
    return Guess(answers)

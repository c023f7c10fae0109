"""The attack E4, `sa_nearest`: the nearest value of one sensitive attribute, quasi-identifiers ignored."""

from __future__ import annotations

import numpy as np

from icefire.attacks.tables.default_column import compared_column, compared_column_in_parts
from icefire.attacks.tables.parts import nearest_values
from icefire.core.parts import PartedTables
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess
from icefire.kernels.neighbours import single_value


def _in_parts(
    tables: PartedTables, *, rng: np.random.Generator, column: str | None = None, zero_is_no_answer: bool = False
) -> Guess:
    chosen = compared_column_in_parts(tables, column)
    return Guess(nearest_values(tables, chosen, zero_is_no_answer=zero_is_no_answer))


@attack(
    "sa_nearest",
    code="E4",
    needs=("numeric_sa",),
    knows="one sensitive value of everybody and nothing else",
    in_parts=_in_parts,
)
def sa_nearest(
    case: Case, *, rng: np.random.Generator, column: str | None = None, zero_is_no_answer: bool = False
) -> Guess:
    """Take the original row with the nearest value of one sensitive attribute.

    The attacker knows one sensitive attribute of everybody (`column`, default the one with most distinct values).
    Success is naming the right person. With `zero_is_no_answer` a released zero is not attacked: where most
    people spent nothing, a zero tells nothing.

    Args:
        case: What the attacker holds: the original table and the released one.
        rng: Unused; part of every attack's signature.
        column: Sensitive attribute to compare. Default: the one with most distinct values.
        zero_is_no_answer: Whether a released zero gets no answer.

    Returns:
        One original row per released row, -1 for no answer.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    chosen = compared_column(case, column)
    x, y = (np.ascontiguousarray(side[:, 0]) for side in case.points((chosen,)))
    answers = single_value.nearest_value(x, y)
    return Guess(np.where(y == 0, NO_ANSWER, answers) if zero_is_no_answer else answers)

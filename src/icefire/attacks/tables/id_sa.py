"""The attack E2, `id_sa`: the same quasi-identifiers, then the nearest value of one sensitive attribute."""

from __future__ import annotations

import numpy as np

from icefire.attacks.tables.default_column import compared_column
from icefire.core.parameters import Columns
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess
from icefire.kernels.neighbours import single_value


@attack(
    "id_sa",
    code="E2",
    needs=("qi", "numeric_sa"),
    knows="everybody's quasi-identifiers and one sensitive value",
)
def id_sa(case: Case, *, rng: np.random.Generator, qi: Columns = None, column: str | None = None) -> Guess:
    """Among the original rows with the same quasi-identifiers, take the nearest on one sensitive attribute.

    The attacker knows everybody's quasi-identifiers (`qi`, default all) and one sensitive attribute (`column`,
    default the one with most distinct values). Success is naming the right person. Where nobody has the same
    quasi-identifiers, all original rows are searched.

    Args:
        case: What the attacker holds: the original table and the released one.
        rng: Unused; part of every attack's signature.
        qi: Quasi-identifiers to compare. Default: all of them.
        column: Sensitive attribute to compare. Default: the one with most distinct values.

    Returns:
        One original row per released row.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    known = case.known
    chosen = compared_column(case, column)
    blocks = case.blocks(known.schema.pick(qi, known.qi, "qi"))
    x, y = (np.ascontiguousarray(side[:, 0]) for side in case.points((chosen,)))
    answers = single_value.nearest_value_in_blocks(x, y, blocks.x_rows, blocks.x_start, blocks.y_rows, blocks.y_start)
    lost = np.flatnonzero(answers == NO_ANSWER)
    if len(lost):
        answers[lost] = single_value.nearest_value(x, y[lost])
    return Guess(answers)

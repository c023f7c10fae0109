"""The attack E1, `id_rand`: draw a row with the same quasi-identifiers."""

from __future__ import annotations

import numpy as np

from icefire.attacks.answers import draw_answers
from icefire.core.parameters import Columns
from icefire.core.registry import attack
from icefire.core.release import Case, Guess


@attack(
    "id_rand",
    code="E1",
    needs=("qi",),
    knows="everybody's quasi-identifiers and draws one person at random among those who share them",
)
def id_rand(case: Case, *, rng: np.random.Generator, qi: Columns = None) -> Guess:
    """Draw one original row among those with the same quasi-identifiers.

    The attacker knows everybody's quasi-identifiers (`qi`, default all) and nothing else. Success is drawing
    the right person; without anybody to draw there is no answer. The judge also gets the exact expectation.

    Args:
        case: What the attacker holds: the original table and the released one.
        rng: The generator of the draws.
        qi: Quasi-identifiers to compare. Default: all of them.

    Returns:
        One original row per released row, -1 for no answer, and the candidates it was drawn from.

    Raises:
        SchemaError: If a column named is not in the table.
    """
    columns = case.known.schema.pick(qi, case.known.qi, "qi")
    return draw_answers(case.blocks(columns).candidates, rng)

"""E1: somebody with the same quasi-identifiers, drawn at random."""

from __future__ import annotations

import numpy as np

from icefire.core.parameters import Columns
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess


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
    columns = case.original.schema.pick(qi, case.original.qi, "qi")
    candidates = case.blocks(columns).candidates
    sizes = candidates.sizes
    drawn = candidates.start + (rng.random(case.targets) * sizes).astype(np.int64)
    answers = candidates.rows[np.minimum(drawn, len(candidates.rows) - 1)]
    return Guess(np.where(sizes > 0, answers, NO_ANSWER), candidates)

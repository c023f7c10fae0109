"""The attack E1, `id_rand`: draw a row with the same quasi-identifiers."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.attacks.answers import draw_answers, drawn_rows
from icefire.attacks.tables.parts import ANSWERS, answer_frame
from icefire.core.parameters import Columns
from icefire.core.parts import ROW, Bucket, Job, PartedTables, row_array
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess


def _in_parts(tables: PartedTables, *, rng: np.random.Generator, qi: Columns = None) -> Guess:
    keys = tables.schema.pick(qi, tables.schema.qi, "qi")
    draws = rng.random(tables.targets)

    def part(bucket: Bucket) -> pl.DataFrame:
        own = bucket.y[ROW].to_numpy()
        return answer_frame(bucket, drawn_rows(bucket.blocks(keys).candidates, draws[own]))

    job = Job("id_rand", keys, part, ANSWERS)
    return Guess(row_array(tables, tables.run_job(job), "answer", NO_ANSWER))


@attack(
    "id_rand",
    code="E1",
    needs=("qi",),
    knows="everybody's quasi-identifiers and draws one person at random among those who share them",
    draws=True,
    in_parts=_in_parts,
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

"""The attack E2, `id_sa`: the same quasi-identifiers, then the nearest value of one sensitive attribute."""

from __future__ import annotations

import numpy as np

from icefire.attacks.tables.default_column import compared_column, compared_column_in_parts
from icefire.attacks.tables.parts import Nearest, nearest_in_classes, nearest_values
from icefire.core.parameters import Columns
from icefire.core.parts import PartedTables
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess
from icefire.kernels.neighbours import single_value
from icefire.kernels.types import Float, Int


def _in_parts(
    tables: PartedTables, *, rng: np.random.Generator, qi: Columns = None, column: str | None = None
) -> Guess:
    chosen = compared_column_in_parts(tables, column)
    keys = tables.schema.pick(qi, tables.schema.qi, "qi")
    inside = Nearest(
        "id_sa",
        "difference",
        keys,
        (chosen,),
        lambda case: _inside_blocks(case, keys, chosen),
        lambda case, rows: _gaps(case, chosen, rows),
    )
    answers = nearest_in_classes(tables, inside)
    lost = answers == NO_ANSWER
    if lost.any():
        everywhere = nearest_values(tables, chosen, lost)
        answers[lost] = everywhere[lost]
    return Guess(answers)


def _inside_blocks(case: Case, keys: tuple[str, ...], column: str) -> Int:
    blocks = case.blocks(keys)
    x, y = (np.ascontiguousarray(side[:, 0]) for side in case.points((column,)))
    return single_value.nearest_value_in_blocks(x, y, blocks.x_rows, blocks.x_start, blocks.y_rows, blocks.y_start)


def _gaps(case: Case, column: str, rows: Int) -> Float:
    x, y = (side[:, 0] for side in case.points((column,)))
    if not len(x):
        return np.full(len(y), np.inf)
    return np.where(rows == NO_ANSWER, np.inf, np.abs(x[np.maximum(rows, 0)] - y))


@attack(
    "id_sa",
    code="E2",
    needs=("qi", "numeric_sa"),
    knows="everybody's quasi-identifiers and one sensitive value",
    in_parts=_in_parts,
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
    answers = _inside_blocks(case, known.schema.pick(qi, known.qi, "qi"), chosen)
    lost = np.flatnonzero(answers == NO_ANSWER)
    if len(lost):
        x, y = (np.ascontiguousarray(side[:, 0]) for side in case.points((chosen,)))
        answers[lost] = single_value.nearest_value(x, y[lost])
    return Guess(answers)

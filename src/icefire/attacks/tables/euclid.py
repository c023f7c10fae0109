"""The attacks EUC1 and EUC2: the same quasi-identifiers, then the nearest row over many sensitive attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from icefire.attacks.tables.parts import Nearest, nearest_everywhere, nearest_in_classes
from icefire.core.parameters import Columns
from icefire.core.parts import PartedTables, refuse_parameters
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess, ValueScale
from icefire.core.schema import Kind, Role
from icefire.kernels.neighbours import euclidean
from icefire.kernels.types import Float, Int


def _euc1_in_parts(
    tables: PartedTables,
    *,
    rng: np.random.Generator,
    qi: Columns = None,
    sa: Columns = None,
    scale: ValueScale = "raw",
    give_up: Literal["no_answer", "same_row"] = "no_answer",
) -> Guess:
    refuse_parameters("euc1", {"scale": (scale, scale != "raw"), "give_up": (give_up, give_up != "no_answer")})
    return Guess(nearest_in_classes(tables, _search("euc1", tables, qi, sa)))


def _euc2_in_parts(
    tables: PartedTables,
    *,
    rng: np.random.Generator,
    qi: Columns = None,
    sa: Columns = None,
    scale: ValueScale = "raw",
) -> Guess:
    refuse_parameters("euc2", {"scale": (scale, scale != "raw")})
    answers = nearest_in_classes(tables, _search("euc2", tables, qi, sa))
    if (answers == NO_ANSWER).any():
        nearest_everywhere(tables, _search("euc2", tables, (), sa), answers)
    return Guess(answers)


def _search(name: str, tables: PartedTables, qi: Columns, sa: Columns) -> Nearest:
    schema = tables.schema
    keys = schema.pick(qi, schema.qi, "qi")
    values = schema.pick(sa, schema.named(Role.SA, Kind.NUMBER), "sa")

    def inside(case: Case) -> Int:
        return _inside_blocks(case, keys, values, "raw")

    def distances(case: Case, rows: Int) -> Float:
        return euclidean.squared_distances(*case.points(values), rows)

    return Nearest(name, "euclid", keys, values, inside, distances)


@attack(
    "euc1",
    code="EUC1",
    needs=("qi", "numeric_sa"),
    knows="everybody's quasi-identifiers and sensitive values, and trusts the quasi-identifiers",
    in_parts=_euc1_in_parts,
)
def euc1(
    case: Case,
    *,
    rng: np.random.Generator,
    qi: Columns = None,
    sa: Columns = None,
    scale: ValueScale = "raw",
    give_up: Literal["no_answer", "same_row"] = "no_answer",
) -> Guess:
    """Among the original rows with the same quasi-identifiers, take the nearest by Euclidean distance.

    The attacker knows everybody's quasi-identifiers (`qi`) and sensitive attributes (`sa`, default all numeric
    ones; `scale` standard divides each by its standard deviation). Success is naming the right person. Where
    nobody has the same quasi-identifiers the attack gives up: no answer, or, as in the paper, the row in the
    same place (`same_row`).

    Args:
        case: What the attacker holds: the original table and the released one.
        rng: Unused; part of every attack's signature.
        qi: Quasi-identifiers that must agree. Default: all of them.
        sa: Columns that distances are taken over. Default: the numeric sensitive attributes.
        scale: "raw" takes the values as they are, "standard" divides them by their standard deviation in the original.
        give_up: What to answer where nobody has the same quasi-identifiers: "no_answer", or the row in the same place
            ("same_row").

    Returns:
        One original row per released row, -1 for no answer.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    answers = _inside_blocks(case, qi, sa, scale)
    if give_up == "same_row":
        place = np.arange(case.targets)
        answers = np.where(answers == NO_ANSWER, np.where(place < case.known.height, place, NO_ANSWER), answers)
    return Guess(answers)


@attack(
    "euc2",
    code="EUC2",
    needs=("numeric_sa",),
    knows="everybody's quasi-identifiers and sensitive values, and searches everybody when nobody matches",
    in_parts=_euc2_in_parts,
)
def euc2(
    case: Case, *, rng: np.random.Generator, qi: Columns = None, sa: Columns = None, scale: ValueScale = "raw"
) -> Guess:
    """As EUC1, but where nobody has the same quasi-identifiers search all original rows.

    The attacker knows everybody's quasi-identifiers (`qi`) and sensitive attributes (`sa`), and does not stop
    when a quasi-identifier was changed. Success is naming the right person. Without quasi-identifiers it is
    plain nearest-neighbour linkage.

    Args:
        case: What the attacker holds: the original table and the released one.
        rng: Unused; part of every attack's signature.
        qi: Quasi-identifiers that should agree. Default: all of them.
        sa: Columns that distances are taken over. Default: the numeric sensitive attributes.
        scale: "raw" takes the values as they are, "standard" divides them by their standard deviation in the original.

    Returns:
        One original row per released row.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    answers = _inside_blocks(case, qi, sa, scale)
    lost = np.flatnonzero(answers == NO_ANSWER)
    if len(lost):
        x, y = _points(case, sa, scale)
        answers[lost] = euclidean.nearest_rows(x, y, lost)
    return Guess(answers)


def _points(case: Case, sa: Columns, scale: ValueScale) -> tuple[np.ndarray, np.ndarray]:
    return case.points(case.known.schema.pick(sa, case.known.numeric_sa, "sa"), scale)


def _inside_blocks(case: Case, qi: Columns, sa: Columns, scale: ValueScale) -> Int:
    """Return the nearest row of the same quasi-identifiers; searched once for both attacks."""
    keys, values = (
        case.known.schema.pick(qi, case.known.qi, "qi"),
        case.known.schema.pick(sa, case.known.numeric_sa, "sa"),
    )
    answers: Int = case.cached(("nearest in blocks", keys, values, scale), lambda: _searched(case, keys, values, scale))
    return answers.copy()


def _searched(case: Case, keys: Sequence[str], values: Sequence[str], scale: ValueScale) -> Int:
    blocks, (x, y) = case.blocks(keys), case.points(values, scale)
    return euclidean.nearest_in_blocks(x, y, blocks.x_rows, blocks.x_start, blocks.y_rows, blocks.y_start)

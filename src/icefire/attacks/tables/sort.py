"""The attack E3, `sort`: order both tables by their total and match equal ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.core import whole_numbers
from icefire.core.dataset import Dataset
from icefire.core.parameters import Columns
from icefire.core.parts import ROW, PartedTables, Scan, Side, row_type
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess
from icefire.core.schema import Kind, Role
from icefire.kernels.common.ordering import rows_in_order
from icefire.kernels.types import Float, Int

Rows = NDArray[np.integer[Any]]
MOST_EXACT = 1 << 53
"""Below this, decimals hold every whole number."""


def _in_parts(tables: PartedTables, *, rng: np.random.Generator, columns: Columns = None) -> Guess:
    schema = tables.schema
    names = schema.pick(columns, schema.named(Role.SA, Kind.NUMBER), "columns")
    ranked_x = rows_in_order(_all_totals(tables, "original", names))
    ranked_y = rows_in_order(_all_totals(tables, "released", names))
    return Guess(_equal_ranks(ranked_x, ranked_y, row_type(tables.originals)))


def _all_totals(tables: PartedTables, side: Side, names: tuple[str, ...]) -> Float:
    """Return the total of every row of one table."""

    def part(frame: pl.DataFrame) -> pl.DataFrame:
        return pl.DataFrame({ROW: frame[ROW], "total": _totals(Dataset(frame, schema), names).astype(np.float64)})

    schema = tables.schema
    totals = np.empty(tables.originals if side == "original" else tables.targets)
    for results in tables.scan(Scan("sort", side, names, part, {ROW: pl.Int64, "total": pl.Float64})):
        totals[results[ROW].to_numpy()] = results["total"].to_numpy()
    return totals


def _totals(table: Dataset, names: tuple[str, ...]) -> Float | Int:
    """Return the total of every row; of whole numbers a whole number, where decimals hold every sum exactly."""
    whole = _whole_totals(table, names)
    if whole is not None:
        return whole
    totals: Float = np.nansum(table.matrix(names), axis=1)
    return totals


def _whole_totals(table: Dataset, names: tuple[str, ...]) -> Int | None:
    columns = [table.frame[name] for name in names]
    spans = [whole_numbers.span_of(column) for column in columns]
    if not columns or None in spans or sum(max(map(abs, span)) for span in spans if span) >= MOST_EXACT:
        return None
    totals = np.zeros(table.height, np.int64)
    for column in columns:
        totals += column.fill_null(0).cast(pl.Int64).rechunk().to_numpy()
    return totals


def _equal_ranks(ranked_x: Rows, ranked_y: Rows, dtype: Any = np.int64) -> Int:
    answers = np.full(len(ranked_y), NO_ANSWER, dtype)
    shared = min(len(ranked_x), len(ranked_y))
    answers[ranked_y[:shared]] = ranked_x[:shared]
    return answers


@attack(
    "sort",
    code="E3",
    needs=("numeric_sa",),
    knows="the total of everybody's sensitive values and matches the order of the totals",
    in_parts=_in_parts,
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
    return Guess(_equal_ranks(*(rows_in_order(_totals(table, names)) for table in (case.known, case.released))))

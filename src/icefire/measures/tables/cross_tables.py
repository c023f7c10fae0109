"""U2 and U3: change of the cells of a cross table of quasi-identifiers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.core.dataset import numbers
from icefire.core.errors import UndefinedError
from icefire.core.parameters import Columns
from icefire.core.parts import PartedTables, Scan, Side, check_numbers, merged_groups
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.core.schema import Kind, Role
from icefire.kernels.grouping.cell_means import cell_means
from icefire.kernels.grouping.packed_keys import TABLE_LIMIT, Digit
from icefire.kernels.types import Float, Int
from icefire.measures.cells import number_cells_of_tables

CellChoice = Literal["both", "union", "original"]
CROSSED = 6
"""The contest crossed the first six quasi-identifiers."""


def _means_in_parts(
    tables: PartedTables, *, qi: Columns = None, sa: Columns = None, cells: CellChoice = "both"
) -> float:
    schema = tables.schema
    keys = schema.pick(qi, schema.before_release(Role.QI)[:CROSSED], "qi")
    names = schema.pick(sa, schema.before_release(Role.SA, kind=Kind.NUMBER), "sa")
    check_numbers(schema, names)
    joint = _joined_cells(tables, keys, names)
    kept = _kept(joint["rows"].to_numpy(), joint["rows_released"].to_numpy(), cells)
    changes = []
    for name in names:
        before, after = (_cell_means(joint, f"{name}{end}")[kept] for end in ("", "_released"))
        changes.append(_change(before, after, cells))
    return float(np.mean(np.concatenate(changes)))


def _counts_in_parts(tables: PartedTables, *, qi: Columns = None, cells: CellChoice = "union") -> float:
    keys = tables.schema.pick(qi, tables.schema.before_release(Role.QI)[:CROSSED], "qi")
    joint = _joined_cells(tables, keys, ())
    before, after = joint["rows"].to_numpy(), joint["rows_released"].to_numpy()
    kept = _kept(before, after, cells)
    return float(np.abs(before[kept] - after[kept]).mean())


def _joined_cells(tables: PartedTables, keys: tuple[str, ...], names: tuple[str, ...]) -> pl.DataFrame:
    """Return every cell occupied in either table with its rows, and sums and numbers of values, in both."""
    cells = {f"key {place}": name for place, name in enumerate(keys)}
    values = [f"{kind} {name}" for name in names for kind in ("sum", "values")]

    def part(chunk: pl.DataFrame) -> pl.DataFrame:
        sums = [pl.col(name).cast(pl.Float64).sum().alias(f"sum {name}") for name in names]
        counts = [pl.col(name).count().cast(pl.Float64).alias(f"values {name}") for name in names]
        by = [pl.col(name).cast(pl.Float64).alias(cell) for cell, name in cells.items()]
        results = chunk.group_by(by).agg(pl.len().cast(pl.Int64).alias("rows"), *sums, *counts)
        return results.select(*cells, "rows", *values)

    def of_side(side: Side) -> pl.DataFrame:
        result = {**dict.fromkeys(cells, pl.Float64), "rows": pl.Int64, **dict.fromkeys(values, pl.Float64)}
        scan = Scan("cells", side, (*keys, *names), part, result)
        return merged_groups(tables.scan(scan), list(cells), pl.col("rows", *values).sum())

    before, after = of_side("original"), of_side("released")
    joint = before.join(after, on=list(cells), how="full", coalesce=True, suffix="_released", nulls_equal=True)
    return joint.with_columns(pl.col("rows", "rows_released").fill_null(0))


def _cell_means(joint: pl.DataFrame, name: str) -> Float:
    """Return the mean of a column in each cell; NaN where a cell has no value."""
    sums, counts = (joint[f"{kind} {name}"].fill_null(0.0).to_numpy() for kind in ("sum", "values"))
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


@measure("cross_mean", code="U2", needs=("qi", "numeric_sa", "original"), in_parts=_means_in_parts)
def cross_mean(comparison: Comparison, *, qi: Columns = None, sa: Columns = None, cells: CellChoice = "both") -> float:
    """Mean change of a cell's average in the cross table of some quasi-identifiers, in the units of the values.

    One joint table over `qi` (default the first six); mean over cells and sensitive attributes (`sa`). `cells`
    says which count: occupied in both tables, in either (an absent one is 0), or in the original.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        qi: Quasi-identifiers that are crossed. Default: the first six.
        sa: Columns to average. Default: the numeric sensitive attributes.
        cells: Cells that count: occupied in "both" tables, in either ("union") or in the "original".

    Returns:
        The mean absolute change of a cell's average.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
        UndefinedError: If no cell counts, or a column was not released.
    """
    x = comparison.original
    names = x.schema.pick(sa, x.schema.before_release(Role.SA, kind=Kind.NUMBER), "sa")
    x.check_numeric(names)
    (rows, before), (rows_released, after) = _cells(comparison, qi, names)
    kept = _kept(rows, rows_released, cells)
    changes = [_change(a[kept], b[kept], cells) for a, b in zip(before, after, strict=True)]
    return float(np.mean(np.concatenate(changes)))


@measure("cross_count", code="U3", needs=("qi", "original"), in_parts=_counts_in_parts)
def cross_count(comparison: Comparison, *, qi: Columns = None, cells: CellChoice = "union") -> float:
    """Mean change of a cell's count in the cross table of some quasi-identifiers, in rows.

    Columns and cells as for `cross_mean`; by default every cell occupied in either table counts.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        qi: Quasi-identifiers that are crossed. Default: the first six.
        cells: Cells that count: occupied in "both" tables, in either ("union") or in the "original".

    Returns:
        The mean absolute change of a cell's count.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If no cell counts, or a column was not released.
    """
    (before, _), (after, _) = _cells(comparison, qi, ())
    kept = _kept(before, after, cells)
    return float(np.abs(before[kept] - after[kept]).mean())


def _cells(comparison: Comparison, qi: Columns, names: Sequence[str]) -> list[tuple[Int, Float]]:
    """Return for each table the rows of every cell, and the means of the columns named in it."""
    x, y = comparison.original, comparison.released
    crossed = _crossed(comparison, qi)
    pairs = [comparison.case.ordered(name) for name in crossed]
    size = math.prod(column.size for column, _ in pairs)
    digits = [[side.digit for side in sides] for sides in zip(*pairs, strict=True)]
    if size > TABLE_LIMIT:
        left, right, size = cell_numbers(comparison, qi)
        digits = [[Digit(numbered, 0, size)] for numbered in (left, right)]
    return [
        cell_means(side, [_values(table.frame[name]) for name in names], table.height, size)
        for side, table in zip(digits, (x, y), strict=True)
    ]


def _values(column: pl.Series) -> NDArray[Any]:
    """Return a column of numbers as it is in memory, where nothing is missing, otherwise as floats."""
    plain = column.dtype.is_integer() or column.dtype.is_float()
    return column.rechunk().to_numpy() if plain and not column.null_count() else numbers(column)


def _crossed(comparison: Comparison, qi: Columns) -> tuple[str, ...]:
    schema = comparison.original.schema
    return schema.pick(qi, schema.before_release(Role.QI)[:CROSSED], "qi")


def cell_numbers(comparison: Comparison, qi: Columns) -> tuple[Int, Int, int]:
    """Number the cells of the joint table; returns the cell of each original and each released row."""
    x, y = comparison.original, comparison.released
    cells, size = number_cells_of_tables(x.frame, y.frame, _crossed(comparison, qi))
    return cells[: x.height], cells[x.height :], size


def _kept(before: Int, after: Int, cells: CellChoice) -> np.ndarray:
    kept = {"both": (before > 0) & (after > 0), "union": (before > 0) | (after > 0), "original": before > 0}[cells]
    if not kept.any():
        raise UndefinedError("no cell of the cross table is occupied in both tables; choose cells = union")
    return kept


def _change(before: Float, after: Float, cells: CellChoice) -> Float:
    """Absolute changes; a cell without a value counts as 0, or is left out where only shared cells count."""
    if cells == "both":
        present = ~(np.isnan(before) | np.isnan(after))
        return np.abs(before - after)[present]
    return np.abs(np.nan_to_num(before) - np.nan_to_num(after))

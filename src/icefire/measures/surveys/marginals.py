"""cnt and rate: change of the counts and shares of each value, split by an outcome."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.blocks import EncodedColumn
from icefire.core.dataset import Dataset, numbers
from icefire.core.errors import UndefinedError
from icefire.core.parameters import Columns
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.core.schema import Role
from icefire.kernels.types import Bool, Float, Int
from icefire.measures.cells import number_cells
from icefire.measures.surveys import column_options

FEW = 20
"""A number with at most so many values is counted value by value; others, without bins of their own, by quarters."""
NO_BIN = 0
"""Number of the bin of a value at or below the lowest edge."""


@measure("cnt_max", needs=("population",), explicit_only=True)
def cnt_max(
    comparison: Comparison, *, columns: Columns = None, by: str | None = None, bins: str | None = None
) -> float:
    """Largest change of a count: how many rows have this value of a column (and this outcome).

    One table per column (`columns`, default the quasi-identifiers and sensitive attributes), each split `by` an
    outcome if one is named. `bins`, such as "age: 19 44 64 80", cut numbers into (19, 44], (44, 64], (64, 80]; values
    beyond count as the outermost edge, and one at or below the lowest is in no bin ("-inf" and "inf" are edges, too).

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        columns: Columns to count. Default: the quasi-identifiers and sensitive attributes.
        by: Outcome that splits every count. Default: none.
        bins: Edges of bins for numbers, such as "age: 19 44 64 80; bmi: 15 25 30 70". Default: quarters of the
            original.

    Returns:
        The largest absolute change of a count, in rows.

    Raises:
        SchemaError: If a column named is not in the table, or one with bins holds no numbers.
        ParameterError: If `bins` cannot be read.
        UndefinedError: If there is no value to count.
    """
    return float(_counts(comparison, columns, by, bins).changes.max())


@measure("cnt_mean", needs=("population",), explicit_only=True)
def cnt_mean(
    comparison: Comparison, *, columns: Columns = None, by: str | None = None, bins: str | None = None
) -> float:
    """Mean change of a count, over all values of all columns; parameters as for `cnt_max`.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        columns: Columns to count. Default: the quasi-identifiers and sensitive attributes.
        by: Outcome that splits every count. Default: none.
        bins: Edges of bins for numbers, such as "age: 19 44 64 80; bmi: 15 25 30 70". Default: quarters of the
            original.

    Returns:
        The mean absolute change of a count, in rows.

    Raises:
        SchemaError: If a column named is not in the table, or one with bins holds no numbers.
        ParameterError: If `bins` cannot be read.
        UndefinedError: If there is no value to count.
    """
    return float(_counts(comparison, columns, by, bins).changes.mean())


@measure("rate_max", needs=("population",), explicit_only=True)
def rate_max(
    comparison: Comparison, *, columns: Columns = None, by: str | None = None, bins: str | None = None
) -> float:
    """Largest change of a share, a count divided by the rows of its own table; parameters as for `cnt_max`.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        columns: Columns to count. Default: the quasi-identifiers and sensitive attributes.
        by: Outcome that splits every count. Default: none.
        bins: Edges of bins for numbers, such as "age: 19 44 64 80; bmi: 15 25 30 70". Default: quarters of the
            original.

    Returns:
        The largest absolute change of a share, 0 to 1.

    Raises:
        SchemaError: If a column named is not in the table, or one with bins holds no numbers.
        ParameterError: If `bins` cannot be read.
        UndefinedError: If there is no value to count.
    """
    return float(_counts(comparison, columns, by, bins).rate_changes.max())


@measure("rate_mean", needs=("population",), explicit_only=True)
def rate_mean(
    comparison: Comparison, *, columns: Columns = None, by: str | None = None, bins: str | None = None
) -> float:
    """Mean change of a share, a count divided by the rows of its own table; parameters as for `cnt_max`.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        columns: Columns to count. Default: the quasi-identifiers and sensitive attributes.
        by: Outcome that splits every count. Default: none.
        bins: Edges of bins for numbers, such as "age: 19 44 64 80; bmi: 15 25 30 70". Default: quarters of the
            original.

    Returns:
        The mean absolute change of a share, 0 to 1.

    Raises:
        SchemaError: If a column named is not in the table, or one with bins holds no numbers.
        ParameterError: If `bins` cannot be read.
        UndefinedError: If there is no value to count.
    """
    return float(_counts(comparison, columns, by, bins).rate_changes.mean())


@dataclass(frozen=True, slots=True)
class Counts:
    """Cell by cell, the counts of two tables of n and m rows; a cell occupied in one alone counts 0 in the other."""

    before: Int
    after: Int
    n: int
    m: int

    @property
    def changes(self) -> Int:
        """Absolute change of each count."""
        change: Int = np.abs(self.before - self.after)
        return change

    @property
    def rate_changes(self) -> Float:
        """Absolute change of each share of the rows."""
        return np.abs(self.before / max(1, self.n) - self.after / max(1, self.m))


def counts(x: Dataset, y: Dataset, columns: Columns = None, by: str | None = None, bins: str | None = None) -> Counts:
    """Count the values of each column in both tables."""
    used = [name for name in x.schema.before_release(Role.QI, Role.SA) if name != by]
    names = x.schema.pick(columns, used, "columns")
    outcome = x.schema.pick((by,) if by else (), (), "by")
    edges = column_options.edges(bins, x)
    split = [blocks.encode_jointly(x.frame[name], y.frame[name]) for name in outcome]
    tables = [_table(*_binned(x.frame[n], y.frame[n], edges.get(n)), split, n in edges) for n in names]
    if not sum(table.shape[1] for table in tables):
        raise UndefinedError("there is no cell to count; name columns with values in the parameter columns")
    before, after = np.concatenate(tables, axis=1)
    return Counts(before, after, x.height, y.height)


def _table(x: pl.Series, y: pl.Series, split: list[EncodedColumn], binned: bool) -> Int:
    """Count one column in both tables: two lines, a column per cell occupied in either."""
    cells, size = number_cells([blocks.encode_jointly(x, y), *split], len(x) + len(y))
    left, right = cells[: len(x)], cells[len(x) :]
    if binned:
        left, right = left[_inside(x)], right[_inside(y)]
    both = np.array([np.bincount(left, minlength=size), np.bincount(right, minlength=size)])
    occupied: Int = both[:, both.any(axis=0)]
    return occupied


def _inside(bins: pl.Series) -> Bool:
    return (bins.fill_null(1) != NO_BIN).to_numpy()


def _counts(comparison: Comparison, columns: Columns, by: str | None, bins: str | None) -> Counts:
    """Remember the counts: four measures look at the same."""
    x, y = comparison.original, comparison.released
    return comparison.case.cached(("marginals", columns, by, bins), lambda: counts(x, y, columns, by, bins))


def _binned(x: pl.Series, y: pl.Series, edges: tuple[float, ...] | None) -> tuple[pl.Series, pl.Series]:
    """Replace numbers by the numbers of their bins, by default quarters of the original."""
    if edges is None:
        if not x.dtype.is_numeric() or x.n_unique() <= FEW:
            return x, y
        quarters = [x.quantile(share, "linear") for share in (0.25, 0.5, 0.75)]
        inner = sorted({float(quarter) for quarter in quarters if quarter is not None})
        edges = (-np.inf, *inner, np.inf)
    return _cut(x, edges), _cut(y, edges)


def _cut(column: pl.Series, edges: tuple[float, ...]) -> pl.Series:
    values = numbers(column)
    bins = np.searchsorted(np.array(edges), np.clip(values, edges[0], edges[-1]))
    return pl.Series(column.name, np.where(np.isnan(values), np.nan, bins)).fill_nan(None).cast(pl.Int32)

"""A table as an engine finds it: columns, rows, and figures of whole columns, computed where the data are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from icefire.core.errors import InputError
from icefire.kernels.types import Int

VALUE, ROWS = "value", "rows"
NUMBER = "__number__"
FIGURES = ("missing", "lowest", "highest", "total", "infinite")


class SourceTable(ABC):
    """One of the two tables before its columns are made numbers."""

    name: str
    digest: str = ""

    @property
    @abstractmethod
    def dtypes(self) -> Mapping[str, Any]:
        """Types of the columns in polars, before `plain`."""

    @property
    @abstractmethod
    def height(self) -> int:
        """Number of rows."""

    @abstractmethod
    def head(self, rows: int) -> pl.DataFrame:
        """Return the first rows."""

    @abstractmethod
    def whole(self) -> pl.DataFrame:
        """Return all rows, in the order of the files."""

    @abstractmethod
    def rows(self, numbers: Int) -> pl.DataFrame:
        """Return the rows of these numbers, which ascend, in the order of the files."""

    @abstractmethod
    def counts(self, column: str) -> pl.DataFrame:
        """Return the distinct values of a column (`VALUE`) and how many rows have each (`ROWS`)."""

    @abstractmethod
    def figures(self, columns: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return `FIGURES` of columns of numbers."""

    def look_at(self, numbers: Sequence[str], values: Sequence[str]) -> None:  # noqa: B027 - most need not
        """Prepare the figures of some columns and the counts of others, where one pass for all costs less."""


@dataclass
class PolarsTable(SourceTable):
    """A table that polars reads in parts: Parquet or Arrow files, or a frame in memory."""

    source: pl.LazyFrame
    name: str = "table"
    digest: str = ""
    kept: Any = None
    """What holds temporary files as long as the table is used."""
    _dtypes: dict[str, Any] = field(init=False)
    _height: int = field(init=False)

    def __post_init__(self) -> None:
        self._dtypes = dict(self.source.collect_schema())
        self._height = int(self.source.select(pl.len()).collect().item())

    @property
    def dtypes(self) -> Mapping[str, Any]:
        """Types of the columns."""
        return self._dtypes

    @property
    def height(self) -> int:
        """Number of rows."""
        return self._height

    def head(self, rows: int) -> pl.DataFrame:
        """Return the first rows."""
        return self.source.head(rows).collect()

    def whole(self) -> pl.DataFrame:
        """Return all rows."""
        return self.source.collect()

    def rows(self, numbers: Int) -> pl.DataFrame:
        """Return some rows; the files are read in parts."""
        numbered = self.source.with_row_index(NUMBER)
        wanted = pl.Series(numbers, dtype=pl.UInt32).implode()
        chosen = numbered.filter(pl.col(NUMBER).is_in(wanted)).collect(engine="streaming")
        return chosen.sort(NUMBER).drop(NUMBER)

    def counts(self, column: str) -> pl.DataFrame:
        """Count the distinct values of a column."""
        values = self.source.select(plain(column, self._dtypes[column]).alias(VALUE))
        return values.group_by(VALUE).agg(pl.len().cast(pl.Int64).alias(ROWS)).collect(engine="streaming")

    def figures(self, columns: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Compute the figures in one pass."""
        if not columns:
            return {}
        asked = [expr for name in columns for expr in figure_expressions(name, self._dtypes[name])]
        row = self.source.select(asked).collect(engine="streaming").row(0, named=True)
        return {name: {figure: row[f"{figure} {name}"] for figure in FIGURES} for name in columns}


def figure_expressions(name: str, dtype: Any) -> list[pl.Expr]:
    """Return the expressions for `FIGURES` of one column."""
    values = plain(name, dtype)
    infinite = (~values.is_finite()).sum() if _is_float(dtype) else pl.lit(0)
    results = (values.null_count(), values.min(), values.max(), values.cast(pl.Float64).sum(), infinite)
    return [expr.alias(f"{figure} {name}") for figure, expr in zip(FIGURES, results, strict=True)]


def _is_float(dtype: Any) -> bool:
    return bool(dtype.is_float())


def plain(name: str, dtype: Any) -> pl.Expr:
    """Return a column with one of the few types that the reader of tables makes of it; see `io.columns.common_type`.

    Raises:
        InputError: If the column holds times, durations or lists.
    """
    column = pl.col(name)
    if dtype in (pl.Time, pl.Duration, pl.Null) or dtype.is_nested() or dtype in (pl.Binary, pl.Object):
        raise InputError(
            f"column {name!r} holds values of type {dtype}, which only the engine local reads; convert it to text or a "
            "number, or leave it out of the roles"
        )
    if dtype.is_integer():
        return column.cast(pl.Int64)
    if dtype.is_decimal():
        return column.cast(pl.Float64)
    if dtype == pl.Float32:
        return column.cast(pl.String).cast(pl.Float64)
    return column.cast(pl.String) if dtype in (pl.Categorical, pl.Enum) else column

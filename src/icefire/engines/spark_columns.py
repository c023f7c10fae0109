"""Facts of many columns of a table of Spark from one job: figures of numbers, and the values of others, counted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import polars as pl

from icefire.core.errors import InputError
from icefire.engines.raw_tables import FIGURES, ROWS, VALUE, figure_expressions, plain
from icefire.engines.spark_arrow import as_polars, on_chunks, quoted, spark_schema

COLUMN, TEXT, WHOLE, REAL = "column", "text", "whole", "real"
COUNTED = {COLUMN: pl.Int64, TEXT: pl.String, WHOLE: pl.Int64, REAL: pl.Float64, ROWS: pl.Int64}
"""A value of a column (by its place), as text, whole number or number, and how many rows of a chunk have it."""
FIGURES_OF_CHUNK = -1
"""In place of a column: the text holds the figures of a chunk. Chunks with the same figures are counted."""


@dataclass
class ColumnLook:
    """What is known of the columns of a table."""

    figures: dict[str, dict[str, Any]] = field(default_factory=dict)
    """`FIGURES` by column."""
    counts: dict[str, pl.DataFrame] = field(default_factory=dict)
    """Distinct values and their rows by column."""

    def add(self, other: ColumnLook) -> None:
        """Take over what was found of further columns."""
        self.figures |= other.figures
        self.counts |= other.counts


def look_at(frame: Any, dtypes: Mapping[str, Any], numbers: Sequence[str], values: Sequence[str]) -> ColumnLook:
    """Look at columns of a table in one job.

    Args:
        frame: The table of Spark.
        dtypes: Types of its columns in polars.
        numbers: Columns whose figures are asked for.
        values: Columns whose values are counted; those that engines do not read are left out.
    """
    counted = [name for name in values if _is_read(name, dtypes[name])]
    columns = list(dict.fromkeys([*numbers, *counted]))
    if not columns:
        return ColumnLook()
    types = {name: dtypes[name] for name in columns}
    part = partial(_look_at_chunk, dtypes=types, numbers=list(numbers), values=counted)
    mapped = frame.select(*map(quoted, columns)).mapInArrow(on_chunks(part, COUNTED), spark_schema(COUNTED))
    if counted:  # figures alone are few rows, which need no merging on the cluster
        mapped = mapped.groupBy(COLUMN, TEXT, WHOLE, REAL).sum(ROWS)
    results = as_polars(mapped.toArrow())
    results.columns = list(COUNTED)
    by_column = results.partition_by(COLUMN, as_dict=True)
    chunks = by_column.get((FIGURES_OF_CHUNK,))
    return ColumnLook(
        _merged_figures(chunks, numbers),
        {name: _values(by_column.get((place,)), plain_type(name, dtypes[name])) for place, name in enumerate(counted)},
    )


def plain_type(name: str, dtype: Any) -> Any:
    """Return the type that `plain` gives a column of this type."""
    return pl.DataFrame(schema={name: dtype}).select(plain(name, dtype)).dtypes[0]


def _is_read(name: str, dtype: Any) -> bool:
    try:
        plain(name, dtype)
    except InputError:
        return False
    return True


def _look_at_chunk(
    frame: pl.DataFrame, dtypes: Mapping[str, Any], numbers: Sequence[str], values: Sequence[str]
) -> pl.DataFrame:
    """Return the figures of a chunk as one row, and a row for each distinct value of each counted column."""
    parts = [_count(frame, name, dtypes[name], place) for place, name in enumerate(values)]
    if numbers:
        asked = frame.select(expr for name in numbers for expr in figure_expressions(name, dtypes[name]))
        row = asked.with_columns(pl.all().cast(pl.Float64)).row(0)
        text = json.dumps([row[first : first + len(FIGURES)] for first in range(0, len(row), len(FIGURES))])
        parts.append(pl.DataFrame([(FIGURES_OF_CHUNK, text, None, None, 1)], schema=COUNTED, orient="row"))
    return pl.concat(parts)


def _count(frame: pl.DataFrame, name: str, dtype: Any, place: int) -> pl.DataFrame:
    counted = frame.group_by(plain(name, dtype).alias(VALUE)).agg(pl.len().cast(pl.Int64).alias(ROWS))
    value, held = pl.col(VALUE), _held(counted[VALUE].dtype)
    cells = {other: value.cast(COUNTED[other]) if other == held else pl.lit(None) for other in (TEXT, WHOLE, REAL)}
    columns = {COLUMN: pl.lit(place), **cells, ROWS: pl.col(ROWS)}
    return counted.select(expr.cast(COUNTED[column]).alias(column) for column, expr in columns.items())


def _held(dtype: Any) -> str:
    """Return which column holds values of this type."""
    return TEXT if dtype == pl.String else REAL if dtype.is_float() else WHOLE


def _values(counted: pl.DataFrame | None, dtype: Any) -> pl.DataFrame:
    if counted is None:
        return pl.DataFrame(schema={VALUE: dtype, ROWS: pl.Int64})
    value = pl.col(_held(dtype))
    if dtype == pl.Date:
        value = value.cast(pl.Int32)
    values = counted.select(value.cast(dtype).alias(VALUE), pl.col(ROWS))
    return values.group_by(VALUE).agg(pl.col(ROWS).sum())


def _merged_figures(chunks: pl.DataFrame | None, numbers: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Merge the figures of chunks, added up in one order."""
    if not numbers:
        return {}
    rows = [] if chunks is None else sorted(zip(chunks[TEXT], chunks[ROWS], strict=True))
    schema = {ROWS: pl.Int64, **dict.fromkeys(FIGURES, pl.Float64)}
    merged = {}
    for place, name in enumerate(numbers):
        cells = [(count, *json.loads(text)[place]) for text, count in rows]
        frame = pl.DataFrame(cells, schema=schema, orient="row")
        added = [(pl.col(figure) * pl.col(ROWS)).sum() for figure in ("missing", "total", "infinite")]
        row = frame.select(pl.col("lowest").min(), pl.col("highest").max(), *added).row(0, named=True)
        merged[name] = {**row, "missing": int(row["missing"]), "infinite": int(row["infinite"])}
    return merged

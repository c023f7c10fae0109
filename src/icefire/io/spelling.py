"""Write the values of a release as its source had them: 1.10 as 1.10, 1.234,50 as 1.234,50, a decimal as a decimal.

A column is written in one way from top to bottom, and only if every value can be: otherwise the spelling of a cell
would tell whether it was changed, or the value would be another.
"""

from __future__ import annotations

import polars as pl

from icefire.core.reading import ColumnSource, SourceReading, Spelling
from icefire.io import numbers


def as_in_source(frame: pl.DataFrame, reading: SourceReading, typed: bool) -> pl.DataFrame:
    """Return the columns with the types of the source (typed) or as the texts that a text file holds."""
    by_name = {column.name: column for column in reading.columns}
    decimal = reading.decimal
    columns = []
    for column in frame:
        known = by_name.get(column.name, ColumnSource(column.name, ""))
        columns.append(_with_type(column, known) if typed else _as_text(column, known.spelling, decimal))
    return pl.DataFrame(columns)


def _with_type(column: pl.Series, known: ColumnSource) -> pl.Series:
    dtype = known.source_type
    if dtype is None or dtype == pl.Duration:
        return column
    try:
        cast = column.str.to_time() if dtype == pl.Time else column.cast(dtype)
        back = cast.cast(pl.String).cast(column.dtype) if dtype == pl.Float32 else cast.cast(column.dtype)
    except (pl.exceptions.PolarsError, AttributeError):
        return column
    return cast if dtype == pl.Time or back.equals(column) else column


def _as_text(column: pl.Series, spelling: Spelling, decimal: str) -> pl.Series:
    if column.dtype == pl.Boolean and spelling.words is not None:
        no, yes = spelling.words
        return column.replace_strict([False, True], [no, yes], return_dtype=pl.String)
    if not column.dtype.is_numeric():
        return column
    if not spelling.is_plain:
        written = numbers.spelled(column, spelling)
        if _read_back(written, spelling, column).equals(column.cast(pl.Float64)):
            return written
    return numbers.spelled_plainly(column, decimal) if column.dtype.is_float() and decimal != "." else column


def _read_back(written: pl.Series, spelling: Spelling, column: pl.Series) -> pl.Series:
    bare = written.str.replace(spelling.prefix, "", literal=True) if spelling.prefix else written
    bare = bare.str.strip_suffix(spelling.suffix) if spelling.suffix else bare
    bare = bare.str.replace_all(spelling.thousands, "", literal=True) if spelling.thousands else bare
    return bare.str.replace(spelling.decimal, ".", literal=True).cast(pl.Float64, strict=False).alias(column.name)

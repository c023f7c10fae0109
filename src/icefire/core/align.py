"""Align two tables: the same columns in the same order, values of one type, none that cannot be compared."""

from __future__ import annotations

import polars as pl

from icefire.core.dataset import Dataset, kinds
from icefire.core.errors import InputError, SchemaError, did_you_mean, nearest
from icefire.core.schema import Column, Kind, Role, Schema

LEAST_ROWS = 2


def match(
    original: Dataset, released: pl.DataFrame, name: str = "released", *, more_rows: bool = False
) -> tuple[Dataset, Dataset]:
    """Return both tables over the same columns in the same order, with values that compare.

    A release has no more rows than its original, unless the "original" is only some records asked about (`more_rows`).
    """
    check_rows(original.frame, original.name)
    check_rows(released, name)
    if released.height > original.height and not more_rows:
        raise InputError(
            f"{name!r} has {released.height:,} rows, more than the original's {original.height:,}; "
            "every released row must come from one original row: check the order of the files"
        )
    used = [c for c in original.schema.columns if c.role in (Role.QI, Role.SA)]
    known, shown = original.frame, {}
    for column in used:
        if column.name not in released.columns:
            raise SchemaError(_missing(column, name, released.columns))
        left, right = harmonise(known[column.name], released[column.name], column)
        for table, series in ((original.name, left), (name, right)):
            check_values(series, table)
        known, shown[column.name] = known.with_columns(left), right
    shown |= {n: released[n] for n in original.schema.names if n in released.columns and n not in shown}
    schema = _with_kinds(original.schema, kinds(known))
    frame = pl.DataFrame([shown[n] for n in schema.names if n in shown])
    return Dataset(known, schema, original.name, original.digest), Dataset(frame, schema, name)


def _missing(column: Column, table: str, present: list[str]) -> str:
    close = nearest(column.name, present)
    hint = f"did you mean {close!r}? rename it, or" if close else "rename the column that holds it, or"
    return f"{column.role} column {column.name!r} is missing in {table!r}; {hint} leave it out of --{column.role}"


def _with_kinds(schema: Schema, seen: dict[str, Kind]) -> Schema:
    """Keep a kind the user chose, but a column that had to become text is a category."""
    columns = (
        Column(c.name, c.role, Kind.CATEGORY if seen[c.name] is Kind.CATEGORY else c.kind) for c in schema.columns
    )
    return Schema(tuple(columns), schema.origin)


def check_rows(frame: pl.DataFrame, name: str) -> None:
    """Refuse a table too short to hide anybody in."""
    if frame.height < LEAST_ROWS:
        rows = "no rows" if frame.height == 0 else "one row"
        raise InputError(f"{name!r} has {rows}; at least {LEAST_ROWS} are needed: check the file and its header")


def check_values(series: pl.Series, table: str) -> None:
    """Refuse a column without values, and numbers that are not finite."""
    if series.null_count() == len(series):
        raise InputError(f"column {series.name!r} of {table!r} is missing in every row; leave it out of the roles")
    if series.dtype.is_float():
        wrong = (~series.is_finite()).fill_null(False).arg_true()
        if len(wrong):
            raise InputError(
                f"column {series.name!r} of {table!r}: row {wrong[0]} holds {series[wrong[0]]}; "
                "numbers must be finite: leave missing cells empty, or name their sign with --missing"
            )


def harmonise(x: pl.Series, y: pl.Series, column: Column) -> tuple[pl.Series, pl.Series]:
    """Bring the two versions of a column to one type, so that equal values are equal."""
    x, y = _plain(x), _plain(y)
    if x.dtype == y.dtype:
        return x, y
    if x.dtype.is_integer() and y.dtype.is_integer():
        return x.cast(pl.Int64), y.cast(pl.Int64)
    if x.dtype.is_numeric() and y.dtype.is_numeric():
        return x.cast(pl.Float64), y.cast(pl.Float64)
    if x.null_count() == len(x) or y.null_count() == len(y):
        return x, y
    if x.dtype.is_numeric() or y.dtype.is_numeric():
        return _number_and_text(x, y, column)
    return x.cast(pl.String), y.cast(pl.String)


def _plain(series: pl.Series) -> pl.Series:
    """Reduce rare types to the few that matter: booleans, decimals and enumerations."""
    if series.dtype == pl.Boolean:
        return series.cast(pl.Int8)
    if series.dtype.is_decimal():
        return series.cast(pl.Float64)
    return series.cast(pl.String) if series.dtype in (pl.Categorical, pl.Enum) else series


def _number_and_text(x: pl.Series, y: pl.Series, column: Column) -> tuple[pl.Series, pl.Series]:
    x_number, y_number = as_numbers(x), as_numbers(y)
    if x_number is not None and y_number is not None:
        return x_number, y_number
    if column.role is Role.SA:
        raise InputError(_text_in_numbers(x if x_number is None else y))
    return as_text(x), as_text(y)


def _text_in_numbers(series: pl.Series) -> str:
    wrong = (series.cast(pl.Float64, strict=False).is_null() & series.is_not_null()).arg_true()[0]
    return (
        f"sa column {series.name!r} is a number in one table, but row {wrong} of the other holds "
        f"{series[wrong]!r}; correct the value or leave the column out of --sa"
    )


def as_numbers(series: pl.Series) -> pl.Series | None:
    """Return the column as numbers, or None if a value is not one."""
    if series.dtype.is_numeric():
        return series.cast(pl.Float64)
    if series.dtype != pl.String:
        return None
    numbers = series.str.strip_chars().cast(pl.Float64, strict=False)
    return numbers if numbers.null_count() == series.null_count() else None


def as_text(series: pl.Series) -> pl.Series:
    """Write values as text so that 30 and 30.0 read the same."""
    if series.dtype.is_float():
        whole = ((series == series.round()) & (series.abs() < 2**53)).fill_null(True)
        if whole.all():
            series = series.cast(pl.Int64)
    return series.cast(pl.String)


def check_sa_text(frame: pl.DataFrame, schema: Schema, table: str) -> None:
    """Refuse a sensitive column that is mostly numbers but holds a stray word."""
    for name in schema.named(Role.SA, Kind.CATEGORY):
        series = frame[name]
        if series.dtype != pl.String:
            continue
        read = series.cast(pl.Float64, strict=False)
        stray = (read.is_null() & series.is_not_null()).arg_true()
        if len(stray) and 2 * read.count() > series.count():
            raise InputError(
                f"sa column {name!r} of {table!r} is mostly numbers, but row {stray[0]} holds {series[stray[0]]!r}; "
                f"correct it, or declare the column a category in --schema"
            )


def check_key_column(frame: pl.DataFrame, key: str, table: str) -> None:
    """Refuse a key that is no column of the table."""
    if key not in frame.columns:
        raise SchemaError(f"--key: no column {key!r} in the {table} table; {did_you_mean(key, frame.columns)}")

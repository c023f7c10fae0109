"""Align two tables: the same columns in the same order, values of one type, none that cannot be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from icefire.core import bands, codes, date_texts
from icefire.core.dataset import Dataset, kinds
from icefire.core.errors import InputError, SchemaError, did_you_mean, listing, nearest
from icefire.core.schema import Column, Kind, Role, Schema

LEAST_ROWS = 2
_SHOWN_WORDS = 5
SUPPRESSED = "*"
"""Stands in a release for a value that was taken out."""


def match(
    original: Dataset, released: pl.DataFrame, name: str = "released", *, more_rows: bool = False
) -> tuple[Dataset, Dataset]:
    """Return both tables over the same columns in the same order, with values that compare.

    A column that was not released has no role in either table; the schema says which role it had (`not_released`).
    A release has no more rows than its original, unless the "original" is only some records asked about (`more_rows`).
    """
    check_rows(original.frame, original.name)
    check_rows(released, name)
    if not more_rows:
        check_no_more_rows(released.height, name, original.height)
    released_schema = without_columns(original.schema, released.columns)
    if all(column.name not in released.columns for column in original.schema.columns if column.role is not Role.ID):
        raise SchemaError(_nothing_in_common(original, name, released.columns))
    known, shown = original.frame, {}
    for column in released_schema.columns:
        is_used = column.role in (Role.QI, Role.SA)
        if column.name not in released.columns:
            continue
        left, right = harmonise(known[column.name], released[column.name], column)
        for table, series in ((original.name, left), (name, right)) if is_used else ():
            check_values(series, table)
        known, shown[column.name] = known.with_columns(left), right
    schema = with_kinds(released_schema, kinds(known))
    frame = pl.DataFrame([shown[n] for n in schema.names if n in shown])
    return Dataset(known, schema, original.name, original.digest), Dataset(frame, schema, name)


def without_columns(schema: Schema, released: Sequence[str]) -> Schema:
    """Take the role from columns that were not released, identifiers excepted, and note which it was."""
    lost = tuple(c for c in schema.columns if c.role is not Role.ID and c.name not in released)
    columns = tuple(replace(column, role=Role.OTHER) if column in lost else column for column in schema.columns)
    return replace(schema, columns=columns, not_released=lost)


def _nothing_in_common(original: Dataset, table: str, present: list[str]) -> str:
    names = [column.name for column in original.schema.columns if column.role is not Role.ID]
    close = next(((name, near) for name in names if (near := nearest(name, present))), None)
    hint = f"did you mean {close[0]!r} by {close[1]!r}? rename it" if close else "rename them, or check the files"
    there, wanted = listing(present), listing(names)
    return f"{table!r} has no column of {original.name!r}; its columns are {there}, not {wanted}: {hint}"


def with_kinds(schema: Schema, seen: dict[str, Kind]) -> Schema:
    """Keep a kind the user chose, but a column that had to become text is a category."""
    columns = (
        Column(c.name, c.role, Kind.CATEGORY if seen[c.name] is Kind.CATEGORY else c.kind) for c in schema.columns
    )
    return replace(schema, columns=tuple(columns))


def check_no_more_rows(released: int, name: str, originals: int) -> None:
    """Refuse a release with more rows than there are people."""
    if released > originals:
        raise InputError(
            f"{name!r} has {released:,} rows, more than the original's {originals:,}; each must come from a person of "
            "its own: check the order of the files, or add --synthetic if rows were drawn several times or made up"
        )


def check_rows(frame: pl.DataFrame, name: str) -> None:
    """Refuse a table too short to hide anybody in."""
    if frame.height < LEAST_ROWS:
        rows = "no rows" if frame.height == 0 else "one row"
        raise InputError(f"{name!r} has {rows}; at least {LEAST_ROWS} are needed: check the file and its header")
    if all(column.null_count() == frame.height for column in frame):
        raise InputError(f"{name!r} has no values: every cell is missing; check the delimiter and --missing")


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
    """Bring the two versions of a column to one type, so that equal values are equal.

    What is text in the original stays text; numbers stay numbers unless a released value is none. In sensitive numbers
    `*` is a missing value; a column of nothing else is text, of one value. Sensitive numbers released as bands are text
    in both tables: what a band such as 6-8 stands for is read from its label. Dates are written year first in both.
    """
    x, y = (_plain(one, other) for one, other in ((x, y), (y, x)))
    x, y = date_texts.same_writing(x, y)
    if x.dtype == y.dtype == pl.String:
        return codes.same_spelling(x, y)
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


def _plain(series: pl.Series, other: pl.Series) -> pl.Series:
    """Reduce rare types to the few that matter: booleans (text beside text), decimals and enumerations."""
    if series.dtype == pl.Boolean:
        return series.cast(pl.String if other.dtype == pl.String else pl.Int8)
    if series.dtype == pl.String and other.dtype == pl.Boolean:
        return series.str.replace("^(?i:true)$", "true").str.replace("^(?i:false)$", "false")
    if series.dtype.is_decimal():
        return series.cast(pl.Float64)
    return series.cast(pl.String) if series.dtype in (pl.Categorical, pl.Enum) else series


def _number_and_text(x: pl.Series, y: pl.Series, column: Column) -> tuple[pl.Series, pl.Series]:
    if column.role is Role.SA and x.dtype.is_numeric() and y.dtype == pl.String:
        y = y.to_frame().select(pl.when(pl.first().str.strip_chars() != SUPPRESSED).then(pl.first())).to_series()
        if y.null_count() == len(y):
            return as_text(x), y.fill_null(SUPPRESSED)
    x_number, y_number = as_numbers(x), as_numbers(y)
    if x_number is not None and y_number is not None and x.dtype.is_numeric():
        return x_number, y_number
    was_banded = x.dtype.is_numeric() and y.dtype == pl.String and bands.are_numbers_and_bands(y)
    if column.role is Role.SA and not was_banded and (x_number is None or y_number is None):
        raise InputError(_text_in_numbers(x if x_number is None else y))
    return comparable_text(x, y)


def _text_in_numbers(series: pl.Series) -> str:
    wrong = (series.cast(pl.Float64, strict=False).is_null() & series.is_not_null()).arg_true()[0]
    return (
        f"sa column {series.name!r} is a number in one table, but row {wrong} of the other holds "
        f"{series[wrong]!r}; numbers, bands such as 6-8 or 85+, and * are understood: correct the value, or leave the "
        "column out of --sa"
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
    if not series.dtype.is_float():
        return series.cast(pl.String)
    whole = (series == series.round()) & (series.abs() < 2**53)
    if whole.fill_null(True).all():
        return series.cast(pl.Int64).cast(pl.String)
    number = pl.first()
    written = pl.when(whole).then(number.cast(pl.Int64, strict=False).cast(pl.String)).otherwise(number.cast(pl.String))
    return series.to_frame().select(written.alias(series.name)).to_series()


def comparable_text(x: pl.Series, y: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return both versions of a column as text, numbers written alike."""
    return codes.same_spelling(as_text(x), as_text(y))


def with_declared_kinds(frame: pl.DataFrame, schema: Schema, table: str) -> pl.DataFrame:
    """Return numbers that are declared categories as text, and text that is declared a number as numbers."""
    changed = []
    for column in schema.columns:
        if column.name not in frame.columns:
            continue
        values = frame[column.name]
        if column.kind is Kind.CATEGORY and values.dtype.is_numeric():
            changed.append(as_text(values))
        elif column.kind is Kind.NUMBER and values.dtype == pl.String:
            changed.append(_declared_number(values, table))
    return frame.with_columns(changed)


def _declared_number(values: pl.Series, table: str) -> pl.Series:
    read = as_numbers(values)
    if read is None:
        row = (values.str.strip_chars().cast(pl.Float64, strict=False).is_null() & values.is_not_null()).arg_true()[0]
        raise SchemaError(
            f"column {values.name!r} of {table!r} is declared a number, but row {row} holds {values[row]!r}; "
            "correct the value or take the column out of number in the schema"
        )
    whole = values.cast(pl.Int64, strict=False)
    return read if whole.null_count() > values.null_count() else whole


def check_sa_text(frame: pl.DataFrame, schema: Schema, table: str) -> None:
    """Refuse a sensitive column that is mostly numbers but holds a stray word."""
    for name in schema.named(Role.SA, Kind.CATEGORY):
        series = frame[name]
        if series.dtype != pl.String:
            continue
        read = series.cast(pl.Float64, strict=False)
        stray = (read.is_null() & series.is_not_null()).arg_true()
        if len(stray) and 2 * read.count() > series.count():
            words = ",".join(series.gather(stray).unique(maintain_order=True).head(_SHOWN_WORDS))
            raise InputError(
                f"sa column {name!r} of {table!r} is mostly numbers, but row {stray[0]} holds {series[stray[0]]!r}; "
                f"correct it; if it stands for a missing value, pass --missing '{words}'; or declare the column a "
                "category in --schema"
            )


def check_key_column(frame: pl.DataFrame, key: str, table: str) -> None:
    """Refuse a key that is no column of the table."""
    if key not in frame.columns:
        raise SchemaError(f"--key: no column {key!r} in the {table} table; {did_you_mean(key, frame.columns)}")


def check_key_values(column: pl.Series, table: str, option: str) -> None:
    """Refuse names of people that are missing or occur twice; `option` is what named the column."""
    if column.null_count():
        row = column.is_null().arg_true()[0]
        raise InputError(f"{option}: {column.name!r} of the {table} table is missing in row {row}; fill it")
    repeated = column.is_duplicated().arg_true()
    if len(repeated):
        raise InputError(
            f"{option}: {column[repeated[0]]!r} occurs more than once in {column.name!r} of the {table} table; "
            "a key names one row"
        )

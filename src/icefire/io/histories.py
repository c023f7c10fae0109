"""Read a history: transactions and customers. Rows that cannot be used are refused, or left out and counted."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from icefire.core import align
from icefire.core.errors import InputError, SchemaError, did_you_mean
from icefire.core.history import dates, fields
from icefire.core.history.date_order import DateOrder, check_order, year_first
from icefire.core.history.fields import Fields
from icefire.core.history.history import History
from icefire.core.reading import Expected, SourceReading
from icefire.io.format import Format
from icefire.io.tables import read_frame, read_source

LEAST_SUBJECTS = 2
MOSTLY = 0.5
NAMES = ("subject", "item", "receipt")
"""Meanings of columns whose values are names, whatever they look like."""


def read(
    source: Any,
    given: Mapping[str, str | None],
    *,
    customers: Any = None,
    how: Format | None = None,
    customers_how: Format | None = None,
    drop_unusable: bool = False,
    date_order: DateOrder | None = None,
) -> History:
    """Read transactions from a path or a table; `given` names columns by meaning (subject, item, receipt, …).

    `drop_unusable` leaves out rows without subject or item and those whose price or number is missing or not above
    zero, and counts them; without it the first such row is an error. Dates that end with the year are written year
    first; `date_order` says whether the day or the month comes first where the column does not tell.
    """
    names = [column for meaning, column in given.items() if meaning in NAMES and column is not None]
    read_table = read_source(source, how, Expected(names))
    frame = read_table.frame
    name = read_table.name if isinstance(source, str | os.PathLike) else "history"
    check_order(date_order)
    chosen = fields.choose(frame.columns, given)
    frame, found_order = _with_years_first(frame, chosen, date_order)
    chosen = _with_timestamps_as_dates(frame, chosen)
    chosen = _without_unreadable(frame, chosen, given)
    frame = _as_text(frame, chosen)
    usable = _checked(frame, chosen, name, drop_unusable)
    if not usable.height:
        raise InputError(f"{name!r} has no usable rows; a history needs at least two subjects: check the file")
    table = None if customers is None else read_customers(customers, chosen, customers_how)
    dropped = frame.height - usable.height
    reading = _with_remark(read_table.reading, chosen.date, found_order)
    history = History(
        usable, chosen, table, name, read_table.digest, dropped, reading=reading, date_order=found_order or date_order
    )
    _check_subjects(history)
    _ = history.when  # dates that cannot be read are refused here, before any work is done
    return history


def _with_years_first(
    frame: pl.DataFrame, chosen: Fields, order: DateOrder | None
) -> tuple[pl.DataFrame, DateOrder | None]:
    """Write dates year first; returns the table and the order in which they were written."""
    column = chosen.date or chosen.time
    if column is None:
        return frame, None
    written, order_used = year_first(frame[column], order)
    return frame.with_columns(written), order_used


def _with_remark(reading: SourceReading | None, date: str | None, order: DateOrder | None) -> SourceReading | None:
    """Say in which order dates were written."""
    if reading is None or order is None:
        return reading
    remark = f"dates are written {order} first; they are read, and released, year first"
    columns = (replace(column, remark=remark) if column.name == date else column for column in reading.columns)
    return replace(reading, columns=tuple(columns))


def _with_timestamps_as_dates(frame: pl.DataFrame, chosen: Fields) -> Fields:
    """Take the column of times for the date where there is none and it holds whole dates, such as 2010-12-01 08:45."""
    if chosen.date is not None or chosen.time is None:
        return chosen
    return replace(chosen, date=chosen.time, time=None) if dates.readable(frame[chosen.time]).all() else chosen


def _without_unreadable(frame: pl.DataFrame, chosen: Fields, given: Mapping[str, str | None]) -> Fields:
    """Leave out columns that only their name made a date, a price or a number, if most values cannot be read so."""
    lost: dict[str, None] = {}
    for meaning, column in chosen.present.items():
        if given.get(meaning) is not None or meaning not in ("date", "price", "number"):
            continue
        values = frame[column].drop_nulls()
        read = dates.readable(values) if meaning == "date" else values.cast(pl.Float64, strict=False).is_not_null()
        if not read.mean() or float(read.mean()) < MOSTLY:  # type: ignore[arg-type]
            lost[meaning] = None
    return replace(chosen, **lost)  # type: ignore[arg-type]


def _as_text(frame: pl.DataFrame, chosen: Fields) -> pl.DataFrame:
    """Subjects, items and receipts are names, also where they look like numbers."""
    names = [column for meaning, column in chosen.present.items() if meaning in NAMES]
    return frame.with_columns(align.as_text(frame[name]).str.strip_chars() for name in names)


def _checked(frame: pl.DataFrame, chosen: Fields, table: str, drop: bool) -> pl.DataFrame:
    frame = frame.with_columns(_as_number(frame[c]) for m, c in chosen.present.items() if m in ("price", "number"))
    reasons = {}
    for meaning, column in chosen.present.items():
        values = frame[column]
        if meaning in ("subject", "item"):
            reasons[meaning, column] = values.is_null() | (values == "")
        elif meaning in ("price", "number"):
            reasons[meaning, column] = values.is_null() | ~(values > 0) | ~values.is_finite()
    bad = pl.Series([False]).new_from_index(0, frame.height)
    for (meaning, column), wrong in reasons.items():
        wrong = wrong.fill_null(True)
        if wrong.any() and not drop:
            raise InputError(_refusal(frame, meaning, column, int(wrong.arg_true()[0]), table))
        bad |= wrong
    return frame.filter(~bad)


def _as_number(column: pl.Series) -> pl.Series:
    if column.dtype.is_numeric():
        return column
    text = column.cast(pl.String).str.strip_chars()
    read = text.cast(pl.Float64, strict=False)
    wrong = (read.is_null() & text.is_not_null() & (text != "")).arg_true()
    if len(wrong):
        raise InputError(f"column {column.name!r}: row {wrong[0]} holds {column[wrong[0]]!r}; it must be a number")
    return read


def _refusal(frame: pl.DataFrame, meaning: str, column: str, row: int, table: str) -> str:
    rule = {"subject": "every row needs a subject", "item": "every row needs an item"}
    allowed = rule.get(meaning, f"a {meaning} is above zero")
    held = frame[column][row]
    return (
        f"{meaning} column {column!r} of {table!r}: row {row} holds {'nothing' if held is None else repr(held)}; "
        f"{allowed}: correct it, or leave such rows out and have them counted with --drop-unusable"
    )


def read_customers(source: Any, chosen: Fields, how: Format | None) -> pl.DataFrame:
    """Read the customer table; its key is the column named like the subject, or the first one.

    Args:
        source: The table.
        chosen: Meanings of the columns of the transactions.
        how: How the file is read.

    Raises:
        InputError: If a row names no customer, or a customer stands in two rows.
        SchemaError: If two columns are called like the subject.
    """
    frame = read_frame(source, how, Expected([chosen.subject]))
    key = chosen.subject if chosen.subject in frame.columns else frame.columns[0]
    keys = align.as_text(frame[key]).str.strip_chars()
    if keys.null_count():
        raise InputError(f"customer table: row {keys.is_null().arg_true()[0]} names no customer; fill column {key!r}")
    repeated = keys.is_duplicated().arg_true()
    if len(repeated):
        raise InputError(f"customer table: {keys[repeated[0]]!r} stands in two rows; a customer has one row")
    others = [frame[column] for column in frame.columns if column != key]
    clash = next((column.name for column in others if column.name == chosen.subject), None)
    if clash:
        raise SchemaError(f"customer table: two columns are called {clash!r}; {did_you_mean(clash, frame.columns)}")
    return pl.DataFrame([keys.rename(chosen.subject), *others])


def _check_subjects(history: History) -> None:
    if history.subjects < LEAST_SUBJECTS:
        raise InputError(f"{history.name!r} has one subject only; nobody can hide alone: give at least two")
    unknown = (history.codes < 0).nonzero()[0]
    if len(unknown):
        who = history.frame[history.fields.subject][int(unknown[0])]
        raise InputError(
            f"{history.name!r}: row {unknown[0]} belongs to {who!r}, who is not in the customer table; "
            "add the customer, or leave out --customers"
        )

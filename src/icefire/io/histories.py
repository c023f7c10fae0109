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
from icefire.core.history.fields import Fields
from icefire.core.history.history import History
from icefire.core.reading import Expected
from icefire.io.format import Format
from icefire.io.tables import read_frame, read_source

LEAST_SUBJECTS = 2
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
) -> History:
    """Read transactions from a path or a table; `given` names columns by meaning (subject, item, receipt, …).

    `drop_unusable` leaves out rows without subject or item and those whose price or number is missing or not above
    zero, and counts them; without it the first such row is an error.
    """
    names = [column for meaning, column in given.items() if meaning in NAMES and column is not None]
    read_table = read_source(source, how, Expected(names))
    frame = read_table.frame
    name = read_table.name if isinstance(source, str | os.PathLike) else "history"
    chosen = _with_timestamps_as_dates(frame, fields.choose(frame.columns, given))
    frame = _as_text(frame, chosen)
    usable = _checked(frame, chosen, name, drop_unusable)
    if not usable.height:
        raise InputError(f"{name!r} has no usable rows; a history needs at least two subjects: check the file")
    table = None if customers is None else _customers(customers, chosen, customers_how)
    dropped = frame.height - usable.height
    history = History(usable, chosen, table, name, read_table.digest, dropped, reading=read_table.reading)
    _check_subjects(history)
    _ = history.when  # dates that cannot be read are refused here, before any work is done
    return history


def _with_timestamps_as_dates(frame: pl.DataFrame, chosen: Fields) -> Fields:
    """Take the column of times for the date where there is none and it holds whole dates, such as 2010-12-01 08:45."""
    if chosen.date is not None or chosen.time is None:
        return chosen
    return replace(chosen, date=chosen.time, time=None) if dates.readable(frame[chosen.time]).all() else chosen


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


def _customers(source: Any, chosen: Fields, how: Format | None) -> pl.DataFrame:
    """Read the customer table; its key is the column named like the subject, or the first one."""
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

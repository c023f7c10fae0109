"""Parts of dates as numbers: a month, a day of the week or a time of day may be released instead of a date."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from icefire.attacks.tables.link.dates import DAY, days, seconds_of_day

MARK = "\x1f"
"""Stands between the name of a column and that of a part of it."""
PARTS = ("year", "month", "week", "day", "weekday", "ordinal_day")
CLOCK = {"hour": (3600, 24), "minute": (60, 60), "second": (1, 60)}
"""Length in seconds, and how many there are."""


def parts_of_dates(column: pl.Series) -> Iterator[pl.Series]:
    """List what a column of dates consists of, each part as a column of numbers; nothing for any other column."""
    dates = days(column)
    clock = seconds_of_day(column)
    if dates is not None:
        yield _named(column, "moment", dates if clock is None else dates + clock / DAY)
        calendar = dates.cast(pl.Int32).cast(pl.Date)
        yield from (_named(column, part, getattr(calendar.dt, part)()) for part in PARTS)
    if clock is not None:
        yield _named(column, "clock", clock)
        yield from (_named(column, part, clock // long % most) for part, (long, most) in CLOCK.items())


def column_of(name: str) -> str:
    """Return the name of the column that a part belongs to; any other name as it is."""
    return name.split(MARK, 1)[0]


def is_part(name: str) -> bool:
    """Tell whether this names a part of another column."""
    return MARK in name


def _named(column: pl.Series, part: str, values: pl.Series) -> pl.Series:
    return values.cast(pl.Float64).alias(f"{column.name}{MARK}{part}")

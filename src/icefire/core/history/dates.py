"""Read dates and times as seconds; the text in the file is kept."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from icefire.core.errors import InputError
from icefire.kernels.types import Int

DAY = 86_400
_DATE = r"^\s*(\d{4})[-/.]?(\d{1,2})[-/.]?(\d{1,2})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?\s*$"
_PERIODS = {
    r"^\s*(\d{4})[-/](\d{1,2})\s*$": "${1}-${2}-01",
    **{rf"(?i)^\s*(\d{{4}})[-/ ]?Q{quarter}\s*$": f"${{1}}-{3 * quarter - 2:02d}-01" for quarter in range(1, 5)},
}
"""Months and quarters, each read as its first day."""
_TIME = r"^\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*$"
ALLOWED_TIMES = "times are written as hour:minute, such as 8:45 or 08:45:00"
ALLOWED = "dates are written year first, such as 2010/12/1 or 2010-12-01 08:45"
ALLOWED_PERIODS = f"{ALLOWED}, months and quarters as 2010-12 and 2010-Q4"


def seconds(date: pl.Series | None, time: pl.Series | None, rows: int) -> Int:
    """Return the instant of every row in seconds since 1970; without dates all rows happen at once."""
    if date is None:
        return np.zeros(rows, np.int64)
    instants = _checked(date, _instants(date, periods=True), ALLOWED_PERIODS)
    if time is not None:
        instants = instants // DAY * DAY + _checked(time, _of_day(time), ALLOWED_TIMES)
    return instants


def readable(date: pl.Series) -> pl.Series:
    """Tell which dates can be read as days."""
    return _instants(date, periods=False).is_not_null()


def readable_time(time: pl.Series) -> pl.Series:
    """Tell which times of day can be read."""
    return _of_day(time).is_not_null()


def _instants(date: pl.Series, periods: bool) -> pl.Series:
    """Seconds since 1970, missing where a date cannot be read; months and quarters count only if they are asked for."""
    if date.dtype in (pl.Date, pl.Datetime):
        return date.cast(pl.Datetime("ms")).dt.epoch("s")
    return _by_distinct(date, lambda texts: _read_dates(texts, periods))


def _by_distinct(column: pl.Series, read: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Read every distinct text once: there are millions of rows and a few hundred days."""
    texts = column.cast(pl.String)
    distinct = texts.unique()
    known = pl.DataFrame({"text": distinct, "value": read(distinct)})
    return pl.DataFrame({"text": texts}).join(known, on="text", how="left", maintain_order="left")["value"]


def _read_dates(date: pl.Series, periods: bool) -> pl.Series:
    texts = date.cast(pl.String)
    for written, first_day in _PERIODS.items():
        texts = texts.str.replace(written, first_day if periods else "")
    parts = texts.str.extract_groups(_DATE).struct
    padded = [parts.field(part).fill_null("0").str.zfill(2) for part in parts.fields]
    year, month, day, hour, minute, second = padded
    iso = year + "-" + month + "-" + day + " " + hour + ":" + minute + ":" + second
    return iso.str.to_datetime("%Y-%m-%d %H:%M:%S", time_unit="ms", strict=False).dt.epoch("s")


def _of_day(time: pl.Series) -> pl.Series:
    """Seconds since midnight, missing where a time cannot be read."""
    if time.dtype == pl.Time:
        return time.cast(pl.Int64) // 1_000_000_000
    return _by_distinct(time, _read_times)


def _read_times(time: pl.Series) -> pl.Series:
    parts = time.cast(pl.String).str.extract_groups(_TIME).struct
    hour, minute, second = (parts.field(part).cast(pl.Int64).rename("time") for part in parts.fields)
    second = second.fill_null(0)
    impossible = ((hour > 23) | (minute > 59) | (second > 59)).fill_null(True)
    return (hour * 3600 + minute * 60 + second).set(impossible, None)


def _checked(column: pl.Series, read: pl.Series, allowed: str) -> Int:
    wrong = read.is_null().arg_true()
    if len(wrong):
        row = wrong[0]
        raise InputError(f"column {column.name!r}: row {row} holds {column[row]!r}; {allowed}: correct it")
    return read.to_numpy().astype(np.int64)

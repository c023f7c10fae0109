"""Dates as numbers: days since 1970, so that dates compare that were moved or are written in another way.

Where both tables have the time of day, too, they are seconds: people who came on one day did not come at one time.
"""

from __future__ import annotations

import polars as pl

from icefire.core import align

FORMATS = ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y")
DATE = r"^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|^(19|20)\d{6}$"
MONTH = r"^(\d{1,2})[-/.](\d{4})$"
TIME = r"[T ]\d{1,2}:\d{2}.*$"
CLOCK = r"(?:^|[T ])(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?(?: *([AaPp])\.?[Mm])?"
DAY = 86_400.0
MOST = 0.9
"""Share of the values that are dates in a column of dates; suppressed cells do not count."""
YEARS = (1000, 2999)
FEWEST = 12
"""Numbers that stand for dates have more different values than this."""


def as_days(x: pl.Series, y: pl.Series) -> tuple[pl.Series, pl.Series] | None:
    """Return a column of dates of both tables as days, or as seconds if both have times of day; None if it is none.

    Months are their middle where the original has days. Released values that are no dates are missing. If all of them
    are times of day, they are compared with those of the original; if all are numbers, and no years, they are compared
    with days, or seconds, by their order: days since some date, or ages.

    Args:
        x: A column of the original.
        y: The same column of the release.
    """
    x_days = days(x)
    if x_days is None:
        return None
    y_days = days(y)
    x_clock = seconds_of_day(x)
    y_clock = seconds_of_day(y) if x_clock is not None else None
    if x_clock is not None and y_clock is not None:
        return (x_clock, y_clock) if y_days is None else (x_days * DAY + x_clock, y_days * DAY + y_clock)
    if y_days is None and y.dtype == pl.String:
        y_days = _middle_of_months(y)
    if y_days is None:
        y_days = _numbers_for_dates(y)
        x_days = x_days if x_clock is None else x_days * DAY + x_clock
    return None if y_days is None else (x_days, y_days)


def days(column: pl.Series) -> pl.Series | None:
    """Return the days of a column of dates, without the time of day; None if too few values are dates."""
    if column.dtype in (pl.Date, pl.Datetime):
        return column.cast(pl.Date).cast(pl.Int32).cast(pl.Float64)
    if column.dtype != pl.String or column.null_count() == len(column):
        return None
    text = column.str.strip_chars()
    needed = max(1.0, MOST * _said(text))
    if text.str.contains(DATE).sum() < needed:
        return None
    text = text.str.replace(TIME, "")
    read = [text.str.to_date(form, strict=False) for form in FORMATS]
    dates = max(read, key=lambda each: each.count())
    return dates.cast(pl.Int32).cast(pl.Float64) if dates.count() >= needed else None


def seconds_of_day(column: pl.Series) -> pl.Series | None:
    """Return the time of day of a column in seconds; None if too few values have one, or all have the same."""
    if column.dtype == pl.Datetime:
        seconds = column.dt.epoch("us").cast(pl.Float64) / 1e6 % DAY
    elif column.dtype == pl.String:
        text = column.str.strip_chars()
        hour, minute, second, half = (text.str.extract(CLOCK, group) for group in range(1, 5))
        if hour.count() < max(1.0, MOST * _said(text)):
            return None
        hours = hour.cast(pl.Float64)
        half_day = (half.str.to_lowercase() == "p").cast(pl.Float64) * 12
        hours = pl.select(pl.when(half.is_null()).then(hours).otherwise(hours % 12 + half_day)).to_series()
        seconds = hours * 3600 + minute.cast(pl.Float64) * 60 + second.cast(pl.Float64).fill_null(0.0)
    else:
        return None
    return seconds.alias(column.name) if seconds.drop_nulls().n_unique() > 1 else None


def _middle_of_months(column: pl.Series) -> pl.Series | None:
    """Return months (05.1990) as the days in their middle; None if too few values are months.

    With the year before the month (1990-05) they are beginnings of dates, and read as labels.
    """
    return days(column.str.strip_chars().str.replace(MONTH, "15.$1.$2"))


def _numbers_for_dates(column: pl.Series) -> pl.Series | None:
    read = align.as_numbers(column)
    if read is None or read.n_unique() <= FEWEST or read.is_between(*YEARS).all():
        return None
    return read


def _said(text: pl.Series) -> int:
    return int((text.is_not_null() & (text != align.SUPPRESSED)).sum())

"""Periods of changing pseudonyms: how long a pseudonym lasts, found out from the truth or named by the user."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.core.errors import ParameterError, SchemaError, listing
from icefire.core.formatting import percent
from icefire.core.history import History
from icefire.core.history.history import in_order, positions
from icefire.core.release import NO_ANSWER
from icefire.kernels.types import Int

LENGTHS = {"year": "1y", "quarter": "1q", "month": "1mo", "week": "1w", "day": "1d"}
"""How long a pseudonym may last, the longest first; weeks begin on Monday."""
INSIDE = 0.98
"""Share of the pseudonyms that lie in one period, and of people with one pseudonym in each, that make it the period."""
LEAST_INSIDE = 0.9
"""A period that is named must hold so many of the pseudonyms whole."""
SEVERAL = 4
"""Periods there must be where people have several pseudonyms in each."""
_DAYS = re.compile(r"(?P<number>[1-9][0-9]{0,4}) ?(?P<unit>days?|weeks?)")
ALLOWED = f"{', '.join(LENGTHS)}, a number of days or weeks such as '10 days', or a column of the release"


@dataclass(frozen=True, slots=True)
class ReadPeriods:
    """How long pseudonyms last, and in which period each of them lies."""

    length: str
    first_days: list[str]
    """The periods in order, by their first day; where a column tells them, by its values."""
    numbers: Int
    """The number of every subject's period; -1 for one without rows."""


def read_periods(released: History, owners: Int) -> ReadPeriods | None:
    """Find the longest period in which people have one pseudonym each, and pseudonyms lie; None if there is none.

    Where people have several even in a day, as with a pseudonym for every receipt, it is the longest period in which
    pseudonyms lie, if there are several of them.

    Args:
        released: The release.
        owners: The person of every subject.
    """
    if not released.has("date"):
        return None
    fallback = None
    for length, cut in LENGTHS.items():
        rows = _rows(released, _days(released).dt.truncate(cut).dt.date())
        inside = rows.height <= (2 - INSIDE) * rows["subject"].n_unique()
        if not inside or rows["period"].n_unique() < 2:
            continue
        people = rows.with_columns(pl.Series("person", owners[rows["subject"].to_numpy()]))
        if people.select(pl.struct("person", "period").n_unique()).item() >= INSIDE * rows.height:
            return _numbered(length, rows, released.subjects)
        if fallback is None and rows["period"].n_unique() >= SEVERAL:
            fallback = _numbered(length, rows, released.subjects)
    return fallback


def named_periods(released: History, period: str) -> ReadPeriods:
    """Return the periods that the user names.

    Args:
        released: The release.
        period: year, quarter, month, week or day; a number of days or weeks, counted from the first day; or a column
            of the release, whose values are the periods in ascending order.

    Raises:
        ParameterError: If there are fewer than two periods, or most pseudonyms have rows in several.
        SchemaError: If it is neither a length nor a column, or the release has no dates.
    """
    several = _DAYS.fullmatch(period)
    if period in released.frame.columns:
        rows = _rows(released, released.frame[period])
    elif period in LENGTHS or several:
        if not released.has("date"):
            raise SchemaError(
                f"--period {period} needs dates, and the release has none; name a column that tells periods"
            )
        rows = _rows(released, _cut(released, period))
    else:
        raise SchemaError(f"--period is {period!r}; it is one of {ALLOWED} ({listing(released.frame.columns)})")
    if rows["period"].n_unique() < 2:
        raise ParameterError(f"--period {period}: the whole release is one period; name a shorter one")
    whole = float(rows["subject"].is_unique().sum()) / rows["subject"].n_unique()
    if whole < LEAST_INSIDE:
        raise ParameterError(
            f"--period {period}: {percent(1 - whole)} of the pseudonyms have rows in several periods, so they do not "
            "change with it; name a longer one"
        )
    return _numbered(period, rows, released.subjects)


def _cut(released: History, period: str) -> pl.Series:
    """Return the first day of every row's period."""
    several = _DAYS.fullmatch(period)
    days = _days(released)
    if several is None:
        return days.dt.truncate(LENGTHS[period]).dt.date()
    length = int(several["number"]) * (7 if several["unit"].startswith("week") else 1)
    first = days.dt.date().to_physical()
    return ((first - first.min()) // length * length + first.min()).cast(pl.Date)


def _days(released: History) -> pl.Series:
    return pl.from_epoch(pl.Series("day", released.when), "s")


def _rows(released: History, periods: pl.Series) -> pl.DataFrame:
    """Return every subject once with each period it has rows in; rows without a period are left out."""
    return pl.DataFrame({"subject": released.codes, "period": periods}).drop_nulls().unique()


def _numbered(length: str, rows: pl.DataFrame, subjects: int) -> ReadPeriods:
    """Number the periods, and tell that of every subject: the first, where it has several."""
    first_days = in_order(rows["period"].unique())
    place = pl.Series("place", positions(rows["period"], first_days))
    firsts = rows.with_columns(place).group_by("subject").agg(pl.col("place").min())
    numbers = np.full(subjects, NO_ANSWER, np.int64)
    numbers[firsts["subject"].to_numpy()] = firsts["place"].to_numpy()
    return ReadPeriods(length, [str(day) for day in first_days], numbers)

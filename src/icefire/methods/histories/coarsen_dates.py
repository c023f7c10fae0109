"""Round the dates and times of purchases down."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from icefire.core.history import History
from icefire.core.history.dates import DAY
from icefire.core.registry import method
from icefire.kernels.types import Int
from icefire.methods.histories.periods import first_days
from icefire.methods.histories.written_dates import dates_like, times_like


@method("coarsen_dates", data="history", needs=("date",), draws=False, drops_rows=False)
def coarsen_dates(
    data: History,
    *,
    rng: np.random.Generator,
    to: Literal["day", "week", "month", "quarter", "year", "all"] = "month",
    time: Literal["remove", "hour", "keep"] = "remove",
) -> History:
    """Replace every date by the first day of its period, and the time of day by midnight or its full hour.

    Dates and times are written as before (2010/12/1 stays without zeros); columns stay, and a removed time reads 0:00.

    Args:
        data: The history.
        rng: Unused; part of every method's signature.
        to: Period whose first day stands for the date; weeks begin on Monday, and all gives every row the earliest date
            there is.
        time: Remove the time of day, round it down to its hour, or keep it.

    Returns:
        The history with coarser dates; the notes count the days before and after.
    """
    when = _days(data, to) + _clock(data.when % DAY, time)
    frame = data.frame
    date, clock = data.column("date"), data.column("time")
    if date is not None:
        frame = frame.with_columns(dates_like(date, when))
    if clock is not None:
        frame = frame.with_columns(times_like(clock, when))
    return data.with_frame(frame).noted(dates_before=_distinct(data.when), dates_after=_distinct(when))


def _days(data: History, to: str) -> Int:
    """Midnight of the day that stands for every row's, in seconds."""
    if to == "day" or not data.height:
        return data.when // DAY * DAY
    if to == "all":
        return np.full(data.height, data.when.min() // DAY * DAY)
    days = first_days(data.when, to)  # type: ignore[arg-type]
    return days.cast(pl.Datetime("ms")).dt.epoch("s").to_numpy().astype(np.int64)


def _clock(seconds: Int, time: str) -> Int:
    if time == "remove":
        return np.zeros_like(seconds)
    return seconds // 3600 * 3600 if time == "hour" else seconds


def _distinct(when: Int) -> int:
    return len(np.unique(when // DAY))

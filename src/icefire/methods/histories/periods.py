"""First days of weeks, months, quarters and years."""

from __future__ import annotations

from typing import Literal

import polars as pl

from icefire.kernels.types import Int

Period = Literal["week", "month", "quarter", "year"]

_LENGTH = {"week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}


def first_days(when: Int, period: Period) -> pl.Series:
    """Return the first day of the period of every instant; weeks begin on Monday."""
    return pl.from_epoch(pl.Series("day", when), "s").dt.truncate(_LENGTH[period]).dt.date()

"""Write dates and times in the format that a column has already."""

from __future__ import annotations

import polars as pl

from icefire.core.history.dates import DAY
from icefire.kernels.types import Int


def dates_like(column: pl.Series, when: Int) -> pl.Series:
    """Write dates as the column does: same type, same separator, zeros in front or not, with the time if it has one."""
    instants = pl.from_epoch(pl.Series(column.name, when), "s")
    if column.dtype.is_temporal():
        return instants.cast(column.dtype)
    text = column.cast(pl.String)
    signs = text.str.extract(r"^\s*\d{4}([-/.]?)").drop_nulls()
    sign = signs[0] if len(signs) else "-"
    padded = not sign or not text.str.contains(r"^\s*\d{4}[-/.]\d[-/.]|^\s*\d{4}[-/.]\d{1,2}[-/.]\d(\D|$)").any()
    year, month, day = instants.dt.year(), instants.dt.month(), instants.dt.day()
    written = _padded(year, 4) + sign + _padded(month, 2 * padded) + sign + _padded(day, 2 * padded)
    clocked = text.str.contains(":", literal=True).any()
    text_with_time = written + " " + _clock(text, when) if clocked else written
    return (
        text_with_time.alias(column.name)
        if column.dtype == pl.String
        else text_with_time.cast(column.dtype).alias(column.name)
    )


def times_like(column: pl.Series, when: Int) -> pl.Series:
    """Write the time of day as the column does: same type, zeros in front or not, with seconds if it has them."""
    if column.dtype == pl.Time:
        return (pl.Series(column.name, when % DAY) * 1_000_000_000).cast(pl.Time)
    return _clock(column.cast(pl.String), when).alias(column.name)


def _clock(text: pl.Series, when: Int) -> pl.Series:
    padded = not text.str.contains(r"(^|[ T])\d:").any()
    clock = pl.Series(when % DAY)
    written = _padded(clock // 3600, 2 * padded) + ":" + _padded(clock // 60 % 60, 2)
    seconds = text.str.contains(r"\d:\d{2}:\d{2}").any()
    return written + ":" + _padded(clock % 60, 2) if seconds else written


def _padded(number: pl.Series, digits: int) -> pl.Series:
    return number.cast(pl.String).str.zfill(digits)

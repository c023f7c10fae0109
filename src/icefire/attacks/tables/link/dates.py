"""Dates as numbers: days since 1970, so that dates compare that were moved or are written in another way."""

from __future__ import annotations

import polars as pl

FORMATS = ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y")
DATE = r"^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|^(19|20)\d{6}$"
TIME = r"[T ]\d{1,2}:\d{2}.*$"


def days(column: pl.Series) -> pl.Series | None:
    """Return the days of a column of dates; None if a value is no date. A time of day is left out."""
    if column.dtype in (pl.Date, pl.Datetime):
        return column.cast(pl.Date).cast(pl.Int32).cast(pl.Float64)
    if column.dtype != pl.String or column.null_count() == len(column):
        return None
    if not column.str.contains(DATE).all():
        return None
    text = column.str.strip_chars().str.replace(TIME, "")
    for form in FORMATS:
        dates = text.str.to_date(form, strict=False)
        if dates.null_count() == column.null_count():
            return dates.cast(pl.Int32).cast(pl.Float64)
    return None

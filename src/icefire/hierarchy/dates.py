"""Hierarchies of dates: day, month, quarter, year, decade."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from icefire.core import date_texts
from icefire.core.errors import InputError, ParameterError, did_you_mean
from icefire.hierarchy.core import Hierarchy
from icefire.hierarchy.stacking import distinct_values, stack

UNITS: dict[str, Callable[[pl.Series], pl.Series]] = {
    "day": lambda days: days.dt.strftime("%Y-%m-%d"),
    "month": lambda days: days.dt.strftime("%Y-%m"),
    "quarter": lambda days: days.dt.strftime("%Y-Q") + days.dt.quarter().cast(pl.String),
    "year": lambda days: days.dt.strftime("%Y"),
    "decade": lambda days: (days.dt.year() // 10 * 10).cast(pl.String) + "s",
}


def dates(column: pl.Series, *, units: Sequence[str] = tuple(UNITS)) -> Hierarchy:
    """Generalise dates, or text such as 17.05.2020, to day, month, quarter, year and decade; the top is `*`."""
    for unit in units:
        if unit not in UNITS:
            raise ParameterError(f"dates of {column.name!r}: unknown unit {unit!r}; {did_you_mean(unit, UNITS)}")
    values = distinct_values(column)
    days = read_dates(values)
    if days is None:
        raise InputError(
            f"column {column.name!r} holds values that are not dates, or that may begin with the day as well as with "
            "the month; write them as 2020-05-17"
        )
    return stack(column.name, values.cast(pl.String), [UNITS[unit](days) for unit in units], ", ".join(units))


def read_dates(values: pl.Series) -> pl.Series | None:
    """Return a column as dates, or None if some value is not one."""
    if values.dtype == pl.Date or isinstance(values.dtype, pl.Datetime):
        return values.cast(pl.Date)
    if values.dtype != pl.String:
        return None
    iso = values if values.str.contains(date_texts.ISO).all() else date_texts.iso_dates(values)
    if iso is None:
        return None
    days = iso.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    return None if days.null_count() else days

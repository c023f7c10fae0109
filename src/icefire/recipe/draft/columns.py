"""How a quasi-identifier can be made coarser, by its values: a unit of dates, a prefix of codes, a width of numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from icefire.hierarchy.dates import read_dates
from icefire.hierarchy.inference import round_up

MANY_VALUES = 20
"""A column with no more values than this is left to the classes."""
MOST_BANDS = 10
"""Bands of numbers that the middle nine tenths of the values are divided into, at most."""
YEAR = 365.25
UNITS = ((30 * YEAR, "decade"), (3 * YEAR, "year"), (YEAR / 2, "quarter"), (0.0, "month"))
"""The unit of dates that span more days than this."""
CODE = r"^[\p{L}0-9][\p{L}0-9 .-]{0,9}$"
"""A code also holds a digit, and is no longer than ten characters."""
FREE_TEXT_SHARE = 0.5
"""Text with more different values than this share of its rows is free text."""


@dataclass(frozen=True, slots=True)
class Coarsening:
    """One way of the method generalize, and the comment on it."""

    parameter: str
    value: str | int | float
    why: str


def coarsening(column: pl.Series) -> Coarsening | None:
    """Return how to make a column coarser; None for few values, or text that is no code."""
    values = column.drop_nulls().unique()
    if not len(values):
        return None
    days = read_dates(values)
    if days is not None:
        return _dates(days)
    if len(values) <= MANY_VALUES:
        return None
    if values.dtype.is_numeric():
        return _numbers(column)
    return _codes(values) if are_codes(values) else None


def is_free_text(column: pl.Series) -> bool:
    """Tell text that differs from row to row and is neither a date nor a code."""
    values = column.drop_nulls()
    if values.dtype != pl.String or values.n_unique() <= max(MANY_VALUES, FREE_TEXT_SHARE * len(values)):
        return False
    distinct = values.unique()
    return read_dates(distinct) is None and not are_codes(distinct)


def are_codes(values: pl.Series) -> bool:
    """Tell codes: short, and with a digit in every value."""
    if values.dtype != pl.String or (values.str.len_chars().max() or 0) < 2:  # type: ignore[operator]
        return False
    return bool(values.str.contains(CODE).all() and values.str.contains(r"\d").all())


def _dates(days: pl.Series) -> Coarsening | None:
    span = (days.max() - days.min()).days  # type: ignore[operator, union-attr]
    unit = next((unit for least, unit in UNITS if span > least), None)
    if unit is None:
        return None
    why = (
        f"A day is known of many people and shared by few; the {unit} is kept. Other units: month, quarter, year, "
        "decade. For dates of birth, several years together; for events, as much as the analysis needs."
    )
    return Coarsening("unit", unit, why)


def _numbers(column: pl.Series) -> Coarsening | None:
    numbers = column.drop_nulls().cast(pl.Float64)
    low, high = numbers.quantile(0.05), numbers.quantile(0.95)
    if low is None or high is None or not math.isfinite(high - low) or high <= low:
        return None
    width = round_up((high - low) / MOST_BANDS)
    if column.dtype.is_integer():
        width = max(width, 2.0)
    why = (
        f"Bands of {width:g}, counted from 0, instead of single numbers. A smaller width keeps more, and leaves more "
        "to the classes below; cuts = [18, 40, 65] in its place makes bands of different width."
    )
    return Coarsening("width", width, why)


def _codes(values: pl.Series) -> Coarsening:
    longest = int(values.str.len_chars().max())  # type: ignore[arg-type]
    kept = [length for length in range(1, longest) if values.str.slice(0, length).n_unique() <= MANY_VALUES]
    prefix = max(kept, default=1)
    why = (
        f"Of these codes the first {'character is' if prefix == 1 else f'{prefix} characters are'} kept. One more "
        "keeps more; check that what is kept means something, as the region of a postcode."
    )
    return Coarsening("prefix", prefix, why)

"""Move dates by a random number of days."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from typing import Annotated, Any

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.date_texts import ISO, iso_dates
from icefire.core.errors import ParameterError
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method
from icefire.kernels.types import Int

SAMPLE = 100
FIRST, LAST = date.min.toordinal() - date(1970, 1, 1).toordinal(), date.max.toordinal() - date(1970, 1, 1).toordinal()
"""The calendar, in days since 1970."""


def _check_columns(data: Dataset, parameters: Mapping[str, Any], known: Collection[str] | None) -> None:
    """Refuse columns that hold no dates; what text becomes by the steps before is not known."""
    for name in _picked(data, parameters["columns"]) if known is not None else ():
        dtype = data.frame[name].dtype
        if name in (known or ()) or not (dtype == pl.String or dtype.is_temporal()):
            _check(data.frame[name], parameters["days"])


@method(
    "shift_dates",
    draws=True,
    drops_rows=False,
    check=_check_columns,
    defaults={"columns": "all columns of dates, date-times and text of dates, with or without a time"},
    in_partitions=lambda parameters: "rows" if parameters["key"] is None else None,
)
def shift_dates(
    data: Dataset,
    *,
    rng: np.random.Generator,
    days: Annotated[int, Bounds(1, 3_000_000)] = 30,
    key: Columns = None,
    columns: Columns = None,
) -> Dataset:
    """Move the dates of each row, or of each person, by one random number of days.

    The shift is a whole number of days, uniform from -days to days, the same for all columns of a row, so intervals
    inside a row stay. Missing dates stay missing. Text in other forms (31.12.2021, 12/31/2021, 31-DEC-2021) is read
    where it is clear whether the day or the month comes first, and written as 2021-12-31.

    Args:
        data: The table.
        rng: Random generator.
        days: Largest shift, in days.
        key: Columns that name a person: rows that agree on them move alike, so intervals between them stay too; rows
            whose key is missing move by themselves. Default: every row moves by itself.
        columns: Columns to change. Default: all columns of dates, date-times and text of dates, with or without a
            time; without any, nothing happens.

    Returns:
        The table with other dates; the notes name the columns.

    Raises:
        ParameterError: If a column holds no dates, or one that might leave the calendar.
    """
    names = _picked(data, columns)
    for name in names:
        _check(data.frame[name], days)
    shifts = _shifts(data, key, days, rng)
    return data.with_columns(*(_shifted(data.frame[name], shifts) for name in names)).noted(shifted=list(names))


def _picked(data: Dataset, columns: Columns) -> tuple[str, ...]:
    return tuple(dict.fromkeys(data.schema.pick(columns, _date_columns(data), "shift_dates: columns")))


def _date_columns(data: Dataset) -> tuple[str, ...]:
    return tuple(name for name in data.frame.columns if name != ORIGIN and _days_of(data.frame[name]) is not None)


def _days_of(column: pl.Series) -> pl.Series | None:
    """The day of each value, or None for a column of something else."""
    if column.dtype == pl.Date:
        return column
    if column.dtype == pl.Datetime:
        return column.dt.date()
    texts = _iso_texts(column)
    return None if texts is None else texts.str.slice(0, 10).str.to_date("%Y-%m-%d")


def _iso_texts(column: pl.Series) -> pl.Series | None:
    """Text of dates written as 2021-03-31, with the time it has, or None for a column of something else."""
    if column.dtype != pl.String or iso_dates(column.drop_nulls().head(SAMPLE).unique()) is None:
        return None
    texts = column.drop_nulls().unique()
    written = iso_dates(texts)
    if written is None or texts.str.contains(ISO).all():
        return None if written is None else column
    return column.replace_strict(texts, written, default=None, return_dtype=pl.String)


def _check(column: pl.Series, days: int) -> None:
    """Refuse a column without dates, and dates that might leave the calendar: placeholders, as a rule."""
    dates = _days_of(column)
    if dates is None:
        raise ParameterError(
            f"shift_dates: column {column.name!r} holds no dates, or dates that may begin with the day as well as "
            "with the month; name columns of dates, written as 2021-03-31"
        )
    outside = dates.filter(~dates.cast(pl.Int64).is_between(FIRST + days, LAST - days).fill_null(True))
    if len(outside):
        raise ParameterError(
            f"shift_dates: column {column.name!r} holds {outside.dt.to_string('%Y-%m-%d')[0]}, which {days} days may "
            "move out of the calendar; make such a placeholder missing"
        )


def _shifts(data: Dataset, key: Columns, days: int, rng: np.random.Generator) -> Int:
    """Draw a number of days for every row, alike for rows that agree on the key."""
    own = rng.integers(-days, days + 1, data.height)
    if key is None:
        return own
    names = data.schema.pick(key, (), "shift_dates: key")
    people = blocks.blocks_of_table(data.frame, names)
    alike = rng.integers(-days, days + 1, people.count)[people.x_labels]
    unknown = data.frame.select(pl.any_horizontal(pl.col(name).is_null() for name in names)).to_series()
    return np.where(unknown.to_numpy(), own, alike)


def _shifted(column: pl.Series, shifts: Int) -> pl.Series:
    moves = pl.Series(shifts)
    if column.dtype == pl.Datetime:
        return (column + pl.select(pl.duration(days=pl.lit(moves))).to_series()).cast(column.dtype).alias(column.name)
    texts = _iso_texts(column)
    dates = column if texts is None else texts.str.slice(0, 10).str.to_date("%Y-%m-%d")
    moved = (dates.cast(pl.Int64) + moves).cast(pl.Int32).cast(pl.Date)
    if texts is not None:
        return (moved.dt.to_string("%Y-%m-%d") + texts.str.slice(10)).alias(column.name)
    return moved.alias(column.name)

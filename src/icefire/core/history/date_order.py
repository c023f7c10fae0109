"""Dates written day first or month first: which of the two a column is, and the same dates year first."""

from __future__ import annotations

from typing import Literal

import polars as pl

from icefire.core.errors import InputError, ParameterError
from icefire.core.history.dates import readable

DateOrder = Literal["day", "month"]
ORDERS: tuple[DateOrder, ...] = ("day", "month")
LAST_MONTH = 12
_CLOCK = r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*([AaPp]\.?[Mm]\.?)?"
_YEAR_LAST = rf"^\s*(\d{{1,2}})[-/. ](\d{{1,2}})[-/. ](\d{{4}})(?:[ T,]+{_CLOCK})?\s*$"
_FIELDS = ("first", "second", "year", "hour", "minute", "rest", "half")


def check_order(order: str | None) -> None:
    """Refuse an order of dates that there is not."""
    if order is not None and order not in ORDERS:
        raise ParameterError(f"--date-order {order}: allowed are day (31/12/2020) and month (12/31/2020)")


def year_first(column: pl.Series, order: DateOrder | None) -> tuple[pl.Series, DateOrder | None]:
    """Return dates that end with the year as 2020-12-31 08:45, and the order that they were written in.

    Args:
        column: The dates; what is no text, or is written year first already, stays as it is.
        order: What comes first, the day or the month. None: the column decides it, by a number above 12.

    Raises:
        InputError: If the column could be read both ways, or not in the order given.
    """
    if column.dtype != pl.String or not (parts := _parts(column)).height or readable(column.drop_nulls()).all():
        return column, None
    written = parts.filter(pl.col("year").is_not_null())
    if 2 * written.height <= column.count():
        return column, None
    used = _order(column.name, written, order)
    return _written(parts, column.name, used, column), used


def _parts(column: pl.Series) -> pl.DataFrame:
    """Return the parts of each date that ends with its year; rows of others are missing."""
    parts = column.str.extract_groups(_YEAR_LAST).struct.unnest()
    return parts.rename(dict(zip(parts.columns, _FIELDS, strict=True)))


def _order(name: str, parts: pl.DataFrame, given: DateOrder | None) -> DateOrder:
    first, second = (int(parts[part].cast(pl.Int64).max()) for part in ("first", "second"))  # type: ignore[arg-type]
    months: dict[DateOrder, int] = {"day": second, "month": first}
    possible = [order for order, month in months.items() if month <= LAST_MONTH]
    if given is not None and given not in possible:
        raise InputError(_cannot_be(name, parts, given))
    if given is not None:
        return given
    if len(possible) == 1:
        return possible[0]
    if not possible:
        raise InputError(_cannot_be(name, parts, "day" if second > LAST_MONTH else "month"))
    example = _example(parts[0])
    raise InputError(
        f"column {name!r}: dates such as {example!r} can be read day first or month first, and no row decides it; "
        "say which with --date-order day or --date-order month"
    )


def _cannot_be(name: str, parts: pl.DataFrame, order: DateOrder) -> str:
    month = "second" if order == "day" else "first"
    wrong = parts.filter(pl.col(month).cast(pl.Int64) > LAST_MONTH)
    return (
        f"column {name!r}: {_example(wrong[0])!r} is no date with the {order} first, as the others are read; "
        "correct it, or name the other order with --date-order"
    )


def _example(row: pl.DataFrame) -> str:
    return "/".join(str(row[part][0]) for part in ("first", "second", "year"))


def _written(parts: pl.DataFrame, name: str, order: DateOrder, column: pl.Series) -> pl.Series:
    """Write the dates year first; cells in another form stay as they are."""
    day, month = ("first", "second") if order == "day" else ("second", "first")
    afternoon = pl.col("half").str.to_lowercase().str.starts_with("p")
    hour = pl.col("hour").cast(pl.Int64)
    on_twelve = pl.when(pl.col("half").is_null()).then(hour).otherwise(hour % 12 + 12 * afternoon.cast(pl.Int64))
    clock = pl.format(" {}:{}", on_twelve.cast(pl.String).str.zfill(2), pl.col("minute"))
    seconds = pl.when(pl.col("rest").is_null()).then(pl.lit("")).otherwise(pl.format(":{}", pl.col("rest")))
    date = pl.format("{}-{}-{}", pl.col("year"), *(pl.col(part).str.zfill(2) for part in (month, day)))
    text = pl.when(pl.col("hour").is_null()).then(date).otherwise(date + clock + seconds)
    whole = pl.when(pl.col("year").is_null()).then(pl.lit(column)).otherwise(text)
    return parts.select(whole.alias(name)).to_series()

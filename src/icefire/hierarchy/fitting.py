"""Fit a hierarchy to a column: which of its values each row holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.core import date_texts, formatting
from icefire.core.errors import InputError, nearest
from icefire.hierarchy.core import TOP, Hierarchy
from icefire.kernels.common.value_counts import count_values, look_up
from icefire.kernels.types import Bool, Int

Unseen = Literal["error", "top"]
"""A value the hierarchy does not list: refuse it, or let it become `*` at every level from 1."""

DIRECT_SPAN = 1 << 20
"""Whole numbers that span less than this are numbered by their distance from the smallest."""


@dataclass(frozen=True, eq=False, slots=True)
class Fitted:
    """A column under a hierarchy that knows all its values."""

    name: str
    hierarchy: Hierarchy
    places: Int
    """The value of the hierarchy for each distinct value of the column."""
    numbers: NDArray[np.integer[Any]]
    """The distinct value of each row."""

    def released(self, level: int, rows: Bool | slice = slice(None)) -> pl.Series:
        """Return the column, or some rows of it, generalised to a level, as text."""
        codes = self.hierarchy.codes[level][self.places]
        return self.hierarchy.labels[level].gather(codes[self.numbers[rows]]).alias(self.name)


def fit(hierarchy: Hierarchy, column: pl.Series, unseen: Unseen = "error") -> Fitted:
    """Find each value of the column in the hierarchy; missing values get a place of their own."""
    numbers, distinct = number(column)
    if distinct.null_count():
        hierarchy = hierarchy.with_missing()
    wanted = as_text(distinct)
    if wanted.equals(hierarchy.values, null_equal=True):  # as where the column's own values made the hierarchy
        return Fitted(column.name, hierarchy, np.arange(len(wanted)), numbers)
    places = _look_up(hierarchy, wanted, distinct.dtype.is_numeric())
    lacking = places < 0
    if lacking.all() and (alike := _with_iso_dates(hierarchy, wanted)) is not None:
        return fit(alike, column, unseen)
    if lacking.any():
        if unseen == "error":
            row = int(np.argmax(lacking[numbers]))
            raise InputError(_unseen(hierarchy, column.name, wanted[int(numbers[row])], row))
        path = [TOP] * (hierarchy.top - 1 if hierarchy.closed else hierarchy.top)
        hierarchy = hierarchy.with_values(wanted.filter(pl.Series(lacking)).to_list(), path)
        places[lacking] = np.arange(hierarchy.size - lacking.sum(), hierarchy.size)
    return Fitted(column.name, hierarchy, places, numbers)


def number(column: pl.Series) -> tuple[NDArray[np.integer[Any]], pl.Series]:
    """Number the distinct values; returns the number of each row and the values, missing last."""
    gaps = column.null_count()
    if column.dtype.is_integer() and not gaps and len(column):
        low, high = int(column.min()), int(column.max())  # type: ignore[arg-type]
        if high - low < max(DIRECT_SPAN, 2 * len(column)) and high < 1 << 62 and low > -(1 << 62):
            return _number_directly(column, low, high)
    if column.dtype in (pl.Categorical, pl.Enum, pl.Boolean):
        column = column.cast(pl.String)
    distinct = column.unique().drop_nulls().sort()
    if column.dtype == pl.String:
        numbers = column.cast(pl.Enum(distinct)).to_physical()
    else:
        numbers = column.rank("dense").cast(pl.UInt32) - 1
    if gaps:
        numbers = numbers.cast(pl.UInt32).fill_null(len(distinct))
        distinct = pl.concat([distinct, distinct.clear(1)])
    return numbers.to_numpy(), distinct


def _number_directly(column: pl.Series, low: int, high: int) -> tuple[NDArray[np.integer[Any]], pl.Series]:
    values = column.rechunk().to_numpy()
    present = count_values(values, low, high - low + 1) > 0
    ranks = (np.cumsum(present) - 1).astype(np.int32)
    return look_up(values, low, ranks), pl.Series(column.name, np.flatnonzero(present) + low)


def as_text(values: pl.Series) -> pl.Series:
    """Write values as they stand in a hierarchy: 30 for 30.0, true, 2020-05-01."""
    if not values.dtype.is_float():
        return values.cast(pl.String)
    whole = (values == values.round()) & (values.abs() < 2**53)
    plain = values.to_frame("v").select(pl.when(whole).then(pl.col("v").cast(pl.Int64, strict=False)))
    return plain.to_series().cast(pl.String).zip_with(whole.fill_null(False), values.cast(pl.String))


def _with_iso_dates(hierarchy: Hierarchy, wanted: pl.Series) -> Hierarchy | None:
    """Return a hierarchy of dates in another form with its labels year first, if the dates wanted are."""
    if (
        not wanted.drop_nulls().str.contains(date_texts.ISO).any()
        or hierarchy.values.str.contains(date_texts.ISO).any()
    ):
        return None
    if date_texts.iso_dates(hierarchy.values.drop_nulls()) is None:
        return None
    order = date_texts.date_order(hierarchy.values.drop_nulls())
    labels = tuple(_iso_labels(level, order) for level in hierarchy.labels)
    return replace(hierarchy, labels=labels)


def _iso_labels(labels: pl.Series, order: str) -> pl.Series:
    read = date_texts.days_or_parts(labels, order)
    return read.zip_with(read.is_not_null(), labels)


def _look_up(hierarchy: Hierarchy, wanted: pl.Series, numeric: bool) -> Int:
    """Return the place of each wanted value, -1 for one not listed. Numbers are equal however they are written."""
    listed = hierarchy.values
    if numeric:
        numbers = listed.cast(pl.Float64, strict=False)
        listed = as_text(numbers).zip_with(numbers.is_not_null(), listed)
    known = pl.DataFrame({"value": listed}).with_row_index("place").unique("value", keep="first")
    matches = (
        wanted.alias("value").to_frame().join(known, on="value", how="left", nulls_equal=True, maintain_order="left")
    )
    return matches["place"].cast(pl.Int64).fill_null(-1).to_numpy().copy()


def _unseen(hierarchy: Hierarchy, column: str, value: str, row: int) -> str:
    close = nearest(value, hierarchy.values.drop_nulls().to_list())
    hint = f"the nearest it lists is {close!r}: " if close else ""
    about = hierarchy.about or formatting.counted(hierarchy.size, "value")
    return (
        f"column {column!r}: value {value!r} (first in row {row}) is not in its hierarchy ({about}); "
        f'{hint}add the value, or pass unseen = "top" to k_anonymize'
    )

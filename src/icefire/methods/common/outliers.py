"""Clip values beyond a limit, or leave their rows out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset, numbers
from icefire.core.errors import ParameterError
from icefire.kernels.types import Bool
from icefire.methods.common.columns import LARGEST_WHOLE

OutlierTreatment = Literal["clip", "drop"]
Tail = Literal["top", "bottom"]


def code(
    data: Dataset, side: Tail, names: Sequence[str], value: float | None, quantile: float, how: OutlierTreatment
) -> Dataset:
    """Treat the values strictly beyond the limit of each column; a missing value lies nowhere."""
    limits = {n: _limit(data.frame[n], side, value, quantile) for n in names}
    beyond = {n: _beyond(data.frame[n], side, limit) for n, limit in limits.items() if limit is not None}
    if how == "drop":
        return _dropped(data, side, beyond)
    clipped = [_clipped(data.frame[n], beyond[n], limits[n]) for n in beyond]
    return data.with_columns(*clipped).noted(changed={n: int(mask.sum()) for n, mask in beyond.items()})


def _limit(column: pl.Series, side: Tail, value: float | None, quantile: float) -> float | None:
    """The value given, or the smallest one that this share of the column does not exceed; None without values."""
    if value is None:
        present = numbers(column.drop_nulls())
        if not len(present):
            return None
        value = float(np.quantile(present, quantile, method="inverted_cdf"))
    if not column.dtype.is_integer():
        return value
    inside = max(-LARGEST_WHOLE, min(value, LARGEST_WHOLE))
    return math.floor(inside) if side == "top" else math.ceil(inside)


def _beyond(column: pl.Series, side: Tail, limit: float) -> Bool:
    values = numbers(column)
    return values > limit if side == "top" else values < limit


def _clipped(column: pl.Series, beyond: Bool, limit: float | None) -> pl.Series:
    if not beyond.any():
        return column
    # The limit may lie outside what a small type holds: 8-bit values raised to 1,000.
    wide = column.cast(pl.Int64) if column.dtype.is_integer() else column
    at = pl.when(pl.Series(beyond)).then(pl.lit(limit, dtype=wide.dtype)).otherwise(pl.lit(wide))
    return pl.select(at).to_series().alias(column.name)


def _dropped(data: Dataset, side: Tail, beyond: dict[str, Bool]) -> Dataset:
    gone = np.zeros(data.height, bool)
    for mask in beyond.values():
        gone |= mask
    if data.height and gone.all():
        raise ParameterError(
            f"{side}_code: each of the {data.height} rows has a value beyond the limit; choose another, or how = clip"
        )
    return data.take(np.flatnonzero(~gone)).noted(suppressed=int(gone.sum()))

"""Whole numbers of a small range: how often each occurs is counted in an array, without sorting or hashing."""

from __future__ import annotations

import polars as pl

from icefire.kernels.common.value_counts import count_values
from icefire.kernels.types import Int

LARGEST = 1 << 62
"""Differences of smaller numbers fit in 64 bits."""
WIDEST = 1 << 20
"""Values that span more than this are not counted in an array."""
FEW = 1 << 12
"""Values that span no more than this are, however few rows there are."""


def counts_of(column: pl.Series) -> tuple[int, Int] | None:
    """Return the lowest value and how often it and each following whole number occur; missing values are left out.

    None where the column holds no whole numbers, or they span too much.
    """
    span = span_of(column)
    if span is None:
        return None
    lowest, highest = span
    size = highest - lowest + 1
    if size > min(WIDEST, max(FEW, 4 * len(column))):
        return None
    return lowest, count_values(column.drop_nulls().rechunk().to_numpy(), lowest, size)


def span_of(column: pl.Series) -> tuple[int, int] | None:
    """Return the lowest and the highest value of a column of whole numbers; None where there are none, or too large."""
    if not column.dtype.is_integer():
        return None
    lowest, highest = column.min(), column.max()
    if lowest is None or highest is None:
        return None
    span = (int(lowest), int(highest))  # type: ignore[arg-type]
    return span if max(map(abs, span)) < LARGEST else None


def distinct_count(column: pl.Series) -> int:
    """Return the number of distinct values of any column; missing counts as one."""
    counted = counts_of(column)
    if counted is None:
        return column.n_unique()
    return int((counted[1] > 0).sum()) + (column.null_count() > 0)

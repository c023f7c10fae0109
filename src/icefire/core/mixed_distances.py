"""Distances between people over columns of numbers and text: scales of columns, tables as points, nearest rows.

Numbers are divided by the interquartile range of the column (where it is 0 by the standard deviation, where that is 0
too by 1). Unequal text counts 1. Two missing values are equal, a missing value is 1 away from any other. The distance
is the square root of the sum of squares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.core.dataset import numbers
from icefire.kernels.neighbours.mixed import nearest_mixed
from icefire.kernels.types import Bool, Float, Int

Scales = Mapping[str, float]
"""Divisors of the columns that are numbers, by name; a column that is not among them is text."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The nearest rows of every target, nearest first; infinite and -1 where there are fewer rows."""

    distances: Float
    rows: Int


def column_scales(table: pl.DataFrame, columns: Iterable[str]) -> dict[str, float]:
    """Return what the differences of each numeric column are divided by."""
    return {name: _spread(numbers(table[name])) for name in columns if table[name].dtype.is_numeric()}


def _spread(values: Float) -> float:
    present = values[~np.isnan(values)]
    if not len(present):
        return 1.0
    low, high = np.quantile(present, (0.25, 0.75))
    return float(high - low) or float(present.std()) or 1.0


def as_points(tables: Sequence[pl.DataFrame], columns: Sequence[str], scales: Scales) -> tuple[list[Float], Bool]:
    """Return tables as points that can be compared, and which columns are categories.

    Args:
        tables: Tables that have the columns, each column with one type in all of them.
        columns: The columns.
        scales: Divisors of the columns that are numbers.

    Returns:
        One matrix per table, and for each column whether it is a category.
    """
    points = [np.empty((table.height, len(columns))) for table in tables]
    for place, name in enumerate(columns):
        coded = _scaled(tables, name, scales[name]) if name in scales else _coded(tables, name)
        for matrix, values in zip(points, coded, strict=True):
            matrix[:, place] = values
    return points, np.array([name not in scales for name in columns], np.bool_)


def _scaled(tables: Sequence[pl.DataFrame], name: str, divisor: float) -> list[Float]:
    return [numbers(table[name]) / divisor for table in tables]


def _coded(tables: Sequence[pl.DataFrame], name: str) -> list[Float]:
    """Number the values of a column over all tables; missing is a value of its own."""
    stacked = pl.concat([table[name].cast(pl.String) for table in tables])
    codes = stacked.cast(pl.Categorical).to_physical().cast(pl.Float64).fill_null(-1.0).to_numpy()
    return np.split(codes, np.cumsum([table.height for table in tables])[:-1])


def nearest_people(
    candidates: pl.DataFrame,
    targets: pl.DataFrame,
    columns: Sequence[str],
    scales: Scales,
    k: int,
    own: Int | None = None,
) -> Neighbours:
    """Return the k nearest candidates of every target; ties go to the lowest row.

    Args:
        candidates: The table that is searched.
        targets: The table whose rows are asked about.
        columns: Columns that are compared.
        scales: Divisors of the columns that are numbers.
        k: How many candidates are returned.
        own: For each target the candidate that is the same person and is passed over, -1 for none.
    """
    (x, y), is_category = as_points((candidates, targets), columns, scales)
    squared, rows = nearest_mixed(x, y, is_category, k, own)
    return Neighbours(np.sqrt(squared), rows)

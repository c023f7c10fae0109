"""Columns whose distinct values are counted once: of any part of the values, how many rows have which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from icefire.hierarchy.fitting import number
from icefire.kernels.types import Float, Int

MISSING = -1
"""The part of a missing value."""


@dataclass(frozen=True)
class CountedNumbers:
    """A column of whole numbers of a unit."""

    values: Float
    """Of every row, in units of 1; NaN where missing."""
    decimals: int
    """Decimals of the unit."""
    distinct: Float
    """The distinct numbers of units."""
    counts: Int
    """How many rows have each."""

    @property
    def largest(self) -> float:
        """The largest number of units, whatever its sign."""
        return float(np.abs(self.distinct).max())

    def of_rows(self, rows: slice | Int) -> Float:
        """Return how many units some rows have."""
        units: Float = (self.values[rows] * 10.0**self.decimals).round()
        return units


@dataclass(frozen=True)
class CountedTexts:
    """A column of texts."""

    codes: Int
    """Which of the texts every row has."""
    distinct: pl.Series
    """The texts, the missing one last if there is one."""
    counts: Int
    """How many rows have each."""

    @staticmethod
    def of_column(column: pl.Series) -> CountedTexts:
        """Count the texts of a column."""
        codes, distinct = number(column.alias("text"))
        return CountedTexts(
            codes.astype(np.int64), distinct, np.bincount(codes, minlength=len(distinct)).astype(np.int64)
        )

    def of_rows(self, rows: slice | Int) -> Int:
        """Return which of the texts some rows have."""
        return self.codes[rows]


@dataclass(frozen=True)
class PartOfRows:
    """A part of every value of a column, by number."""

    column: CountedNumbers | CountedTexts
    part: Callable[[Any], Int]
    """Returns the parts of numbers of units, or of texts by their places."""

    def of_rows(self, rows: slice | Int) -> Int:
        """Return the parts of some rows; `MISSING` for missing values."""
        return self.part(self.column.of_rows(rows))

    def counts(self) -> Int:
        """Return how many rows have each part; missing values are none."""
        column = self.column
        parts = self.part(np.arange(len(column.distinct)) if isinstance(column, CountedTexts) else column.distinct)
        some = parts != MISSING
        counts: Int = np.bincount(parts[some], column.counts[some]).astype(np.int64)
        return counts

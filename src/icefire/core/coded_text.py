"""Columns of text as numbers of their distinct values: the dictionary of a column is made once for all who need it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.kernels.common.value_counts import count_values, look_up, narrowest
from icefire.kernels.types import Bool, Int


@dataclass(frozen=True, slots=True)
class CodedText:
    """A column of text, numbered in ascending order of the values; a missing cell has the number after the last."""

    codes: NDArray[np.integer[Any]]
    """The number of every row, in the narrowest type."""
    values: pl.Series
    """The distinct values in ascending order."""
    counts: Int
    """Rows of each value; the last entry counts the missing cells."""

    @property
    def distinct(self) -> int:
        """Number of distinct values; missing is one."""
        return int((self.counts > 0).sum())

    def taken(self, rows: Int) -> CodedText | None:
        """Return the column with its rows in another order; None where the rows named are not all rows."""
        codes = self.codes[rows]
        same = len(rows) == len(self.codes) and (self._counted(codes) == self.counts).all()
        return replace(self, codes=codes) if same else None

    def _counted(self, codes: NDArray[np.integer[Any]]) -> Int:
        return count_values(codes, 0, len(self.counts))


@dataclass(frozen=True, slots=True)
class CodedPair:
    """A column of text of two tables, numbered together: the values of both in ascending order, missing last."""

    values: pl.Series
    known: CodedText
    shown: CodedText

    @property
    def has_missing(self) -> bool:
        """Whether a cell of either table is missing."""
        return bool(self.known.counts[-1] + self.shown.counts[-1])

    @property
    def is_covered(self) -> bool:
        """Whether every value occurs in the second table at most as often as in the first."""
        return bool((self.shown.counts <= self.known.counts).all())

    def changed(self, rows: Int) -> Bool:
        """Tell of each row of the second table whether it differs from the row named of the first."""
        changed: Bool = self.known.codes[rows] != self.shown.codes
        return changed


def code_text(column: pl.Series) -> CodedText:
    """Number the values of a column of text."""
    hashed = column.cast(pl.Categorical)
    numbers, distinct = hashed.to_physical(), hashed.unique().drop_nulls()
    occurring = distinct.to_physical().to_numpy()
    missing = column.null_count()
    if not len(occurring):
        return CodedText(np.zeros(len(column), np.uint8), column.clear().cast(pl.String), np.array([missing]))
    texts = distinct.cast(pl.String)
    order = texts.arg_sort().to_numpy()
    lowest = int(occurring.min())
    table = np.zeros(int(occurring.max()) - lowest + 1, narrowest(len(order) + 1))
    table[occurring[order] - lowest] = np.arange(len(order))
    codes = look_up(numbers.fill_null(lowest).rechunk().to_numpy(), lowest, table)
    if missing:
        codes[column.is_null().to_numpy()] = len(order)
    return CodedText(codes, texts.gather(order), count_values(codes, 0, len(order) + 1))


def code_together(known: CodedText, shown: CodedText) -> CodedPair:
    """Number the values of two columns together."""
    if known.values.equals(shown.values):
        return CodedPair(known.values, known, shown)
    values = pl.concat([known.values, shown.values.alias(known.values.name)]).unique().sort()
    return CodedPair(values, _renumbered(known, values), _renumbered(shown, values))


def _renumbered(column: CodedText, values: pl.Series) -> CodedText:
    """Return a column numbered by a longer list of values."""
    places = np.append(values.search_sorted(column.values).to_numpy(), len(values))
    counts = np.zeros(len(values) + 1, np.int64)
    counts[places] = column.counts
    table = places.astype(narrowest(len(values) + 1))
    return CodedText(look_up(column.codes, 0, table), values, counts)

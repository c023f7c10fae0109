"""Tables of released and original categories, learned from rows whose origin is known."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from icefire.kernels.types import Float, Int

RowLevels = NDArray[np.integer[Any]]
PRIOR = 2.0
"""Rows of every original category that count beside those learned from."""
Source = TypeVar("Source", bound=Hashable)


@dataclass(frozen=True)
class LearnedTable(Generic[Source]):
    """How a released category depends on one of the original."""

    gain: float
    """Log-likelihood per row, each row being predicted from all others."""
    log_ratios: Float
    """Released × original levels."""
    source: Source
    """Which of the original ones it is."""


@dataclass(frozen=True)
class LevelsOfRows:
    """The level of every row of a column, by the place of its value among the distinct ones."""

    codes: Int
    table: Int

    @property
    def many(self) -> int:
        """How many levels there are."""
        return int(self.table.max()) + 1

    def of_rows(self, rows: slice | Int) -> Int:
        """Return the levels of some rows."""
        return self.table[self.codes[rows]]


def best_table(
    shown: RowLevels, known: Mapping[Source, RowLevels], rows: Int, taught: Int
) -> LearnedTable[Source] | None:
    """Return the table of the original category that says most about a released one; None if none says anything.

    Args:
        shown: The released level of every released row.
        known: Levels of every original row, by a name.
        rows: Original rows of those taught.
        taught: Released rows to learn from.
    """
    own = {name: (codes[rows].astype(np.int64), int(codes.max()) + 1) for name, codes in known.items()}
    return best_table_of((shown[taught].astype(np.int64), int(shown.max()) + 1), own)


def best_table_of(shown: tuple[Int, int], known: Mapping[Source, tuple[Int, int]]) -> LearnedTable[Source] | None:
    """Do the same with the levels of those taught, each with how many levels the column has."""
    best: LearnedTable[Source] | None = None
    said, levels = shown
    share = (np.bincount(said, minlength=levels) + 0.5) / (len(said) + 0.5 * levels)
    for name, (own, width) in known.items():
        counts = np.bincount(said * width + own, minlength=levels * width).reshape(levels, width).astype(float)
        totals = counts.sum(axis=0)
        without = (counts[said, own] - 1 + PRIOR * share[said]) / (totals[own] - 1 + PRIOR)
        gain = float((np.log(without) - np.log(share[said])).mean())
        if gain > (best.gain if best else 0.0):
            table = np.log((counts + PRIOR * share[:, None]) / (totals + PRIOR)) - np.log(share)[:, None]
            best = LearnedTable(gain, table, name)
    return best

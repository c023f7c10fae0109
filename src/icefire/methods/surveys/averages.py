"""Averages that must not change when rows are left out, as features of rows whose means are to stay near 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.core import blocks
from icefire.core.dataset import Dataset, numbers
from icefire.kernels.records import row_deletion
from icefire.kernels.types import Float, Int
from icefire.methods.surveys.odds import Odds

MOST_LEVELS = 20
"""Of a category, so many of its most frequent values are watched."""
STRICTNESS = (0.6, 0.4, 0.2, 0.1)
"""Odds ratios move a little farther than the rows left out let expect: if too far, less is allowed to begin with."""


@dataclass(frozen=True, slots=True)
class Averages:
    """Features of every row: columns in standard deviations, then what the row adds to each odds ratio watched."""

    features: NDArray[np.float32]
    columns: int
    drift: float
    """So many standard deviations may the mean of a column move."""
    odds: Odds | None

    def chosen(self, risk: Float, pool: Int, size: int, rng: np.random.Generator) -> Int:
        """Choose rows of the pool to leave out, the riskiest as far as the averages of the others allow."""
        if self.odds is None:
            return row_deletion.choose_rows(self.features, np.full(self.columns, self.drift), risk, pool, size, rng)
        counts = [self.columns, self.features.shape[1] - self.columns]
        for strictness in STRICTNESS:
            tolerance = np.repeat([self.drift, strictness * self.odds.allowed], counts)
            chosen_rows = row_deletion.choose_rows(self.features, tolerance, risk, pool, size, rng)
            if self.odds.change(without(len(self.features), chosen_rows)) <= self.odds.allowed:
                break
        return chosen_rows

    def correlation_change(self, rows: Int) -> float:
        """By how much the correlation that moved most differs over these rows, each value of a category a column."""
        if self.columns < 2 or len(rows) < 2:
            return 0.0
        watched = self.features[:, : self.columns].astype(np.float64)
        before, after = _correlations(watched), _correlations(watched[rows])
        return float(np.nanmax(np.abs(after - before), initial=0.0))

    def shift(self, rows: Int) -> float:
        """By how many standard deviations the mean that moved most lies off, over these rows."""
        if not self.columns or not len(rows):
            return 0.0
        return float(np.abs(self.features[rows, : self.columns].mean(axis=0, dtype=np.float64)).max())


def watched_averages(
    data: Dataset, columns: tuple[Sequence[str], Sequence[str]], drift: float, odds: Odds | None
) -> Averages:
    """Watch the means of columns of numbers, the shares of categories, and odds ratios."""
    watched = [numbers(data.frame[name]) for name in columns[0]]
    watched += [level for name in columns[1] for level in _levels(data.frame[name])]
    scaled = [column for column in map(_scaled, watched) if column.any()]
    moves = [] if odds is None else list(odds.influences().T)
    features = np.empty((data.height, len(scaled) + len(moves)), np.float32)
    for place, column in enumerate([*scaled, *moves]):
        features[:, place] = column
    return Averages(features, len(scaled), drift, odds)


def _correlations(columns: Float) -> Float:
    """Return all correlations; NaN for a constant column. Without matrix products, whose last digit varies."""
    centred = columns - columns.mean(axis=0)
    spread = np.sqrt(np.square(centred).sum(axis=0))
    scaled = centred / np.where(spread > 0, spread, np.nan)
    return np.stack([(scaled * column[:, None]).sum(axis=0) for column in scaled.T])


def without(rows: int, gone: Int) -> Int:
    """Return all rows but some, in order."""
    left = np.ones(rows, np.bool_)
    left[gone] = False
    return np.flatnonzero(left)


def _levels(column: pl.Series) -> list[Float]:
    """Return a column of zeros and ones for each frequent value, a missing one included."""
    codes = blocks.dense_ranks(column).fill_null(-1).to_numpy()
    values, counts = np.unique(codes, return_counts=True)
    frequent = values[np.argsort(-counts, kind="stable")][:MOST_LEVELS]
    return [(codes == value).astype(np.float64) for value in frequent]


def _scaled(column: Float) -> Float:
    """Centre and scale; a missing number counts as the mean, a constant column as nothing."""
    present = ~np.isnan(column)
    if not present.any():
        return np.zeros(len(column))
    centred = np.where(present, column - column[present].mean(), 0.0)
    spread = np.sqrt(np.square(centred).mean())
    return centred / spread if spread > 0 else centred

"""Rows as main effects: each number standardised, each category as one column per frequent value.

Any table can be coded: a constant column has no effect and is left out, missing is a value of its own, and the rarer
values of a category with many are one value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from icefire.kernels.types import Bool, Float, Int, Int32

MOST_LEVELS = 20
"""Values of a category that are told apart; of more, the rarer ones share the last."""
MOST_COEFFICIENTS = 400


@dataclass(frozen=True, slots=True)
class MainEffects:
    """The rows of a model: an intercept, standardised numbers, and for each category the column that is 1."""

    numbers: Float
    levels: Int32
    """Rows × categories; -1 for the most frequent value, which the others are compared with."""
    width: int
    """Number of coefficients, the intercept included."""

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.numbers)

    def take(self, rows: Int | Bool | slice) -> MainEffects:
        """Return some of the rows."""
        return replace(self, numbers=self.numbers[rows], levels=self.levels[rows])


def code_rows(rows: int, numbers: Sequence[Float], categories: Sequence[Int]) -> MainEffects:
    """Code columns of numbers (NaN for missing) and of categories (as whole numbers from 0) as main effects."""
    spread = [column for column in numbers if _varies(column)]
    gaps = [np.isnan(column).astype(np.int64) for column in numbers]
    texts = [column for column in (*categories, *gaps) if len(column) and np.any(column != column[0])]
    most = min(MOST_LEVELS, max(2, MOST_COEFFICIENTS // max(len(texts), 1)))
    scaled = np.column_stack([_standardised(column) for column in spread]) if spread else np.empty((rows, 0))
    levels, first = np.empty((rows, len(texts)), np.int32), 1 + len(spread)
    for place, column in enumerate(texts):
        ranks = _ranks(column, most)
        levels[:, place] = np.where(ranks > 0, ranks - 1 + first, -1)
        first += int(ranks.max())
    return MainEffects(np.ascontiguousarray(scaled), levels, first)


def _varies(column: Float) -> bool:
    return bool(len(column)) and not np.isnan(column).all() and bool(np.nanmin(column) < np.nanmax(column))


def _standardised(column: Float) -> Float:
    """Centre and scale; a missing number is put at the mean, its category says that it is missing."""
    scaled: Float = np.nan_to_num((column - np.nanmean(column)) / np.nanstd(column))
    return scaled


def _ranks(column: Int, most: int) -> Int:
    """Number the values by how frequent they are, from 0; the rarer ones share the last number."""
    counts = np.bincount(column)
    rank = np.empty(len(counts), np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    ranks: Int = np.minimum(rank, most - 1)[column]
    return ranks

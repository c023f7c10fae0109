"""What is known of the original rows where columns are learned, and what was learned of a released column."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from icefire.audit.obstacles.category_tables import RowLevels
from icefire.audit.obstacles.kept_parts import KeptPart
from icefire.audit.obstacles.kept_words import KeptWords
from icefire.audit.obstacles.row_features import LEVELS, codes_of, features_of_rows
from icefire.kernels.types import Float, Int
from icefire.regression.ridge import LinearModel

MOST_CODES, ROWS_OF_CODE = 512, 4
"""Levels of a column whose values may be codes, at most, and rows of each, on average, at least."""


class KnownRows:
    """What is known of the original rows, and which rows are learned from."""

    def __init__(self, x: pl.DataFrame, truth: Int, taught: Int) -> None:
        self.x, self.truth, self.taught, self.own_rows = x, truth, taught, truth[taught]
        self.codes = {name: codes_of(x[name]) for name in x.columns}
        self.features, self.of_one_column, self.straight = features_of_rows(x, self.codes)
        self.names = [feature.name for feature in self.features]
        self.of_taught = np.empty((len(taught), len(self.features)))
        """The features of the people taught."""
        for place, feature in enumerate(self.features):
            self.of_taught[:, place] = feature.of_rows(self.own_rows)
        exact = {name: exact_codes(x[name]) for name in x.columns}
        self.exact_codes = {name: codes for name, codes in exact.items() if codes is not None}
        self.blanks = {name: blanks_of(x[name]) for name in x.columns if 0 < x[name].null_count() < x.height}


@dataclass
class LearnedReading:
    """How one released column follows from the original; see `Relations`."""

    name: str
    models: list[tuple[Float, LinearModel]] = field(default_factory=list)
    tables: list[tuple[Float, RowLevels, RowLevels]] = field(default_factory=list)
    kept_parts: list[KeptPart | KeptWords] = field(default_factory=list)
    share: float = 0.0
    sources: list[str] = field(default_factory=list)

    def add(self, share: float, sources: list[str]) -> None:
        """Take note of a way in which the column follows from others; the first one names them."""
        self.share, self.sources = max(self.share, share), self.sources or sources


def exact_codes(column: pl.Series) -> Int | None:
    """Return the level of every row of a column with many levels, each of several rows; None for other columns."""
    if not LEVELS < column.n_unique() <= min(MOST_CODES, len(column) / ROWS_OF_CODE):
        return None
    codes: Int = column.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()
    return codes


def blanks_of(column: pl.Series) -> Int:
    """Return 1 for every missing cell and 0 for others."""
    blanks: Int = column.is_null().to_numpy().astype(np.int64)
    return blanks

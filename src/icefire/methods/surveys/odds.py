"""Odds ratios of a regression: the influence of each row, and their change when rows are left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire import regression
from icefire.core.dataset import Dataset, numbers
from icefire.core.errors import UndefinedError
from icefire.kernels.types import Float, Int
from icefire.regression import INTERCEPT, Fit, Formula


@dataclass(frozen=True, slots=True)
class Odds:
    """A regression on the original table, and how far its odds ratios may move."""

    data: Dataset
    formula: Formula
    fit: Fit
    allowed: float

    def change(self, rows: Int) -> float:
        """Largest change of an odds ratio if only these rows were there; infinite where there is none to compare."""
        try:
            refit = regression.fit(self.data.frame[rows], self.formula)
        except UndefinedError:
            return math.inf
        if refit.labels != self.fit.labels:
            return math.inf
        return float(np.abs(refit.odds_ratios - self.fit.odds_ratios).max())

    def influences(self) -> Float:
        """By how much each row moves each odds ratio: the mean over some rows is about what these alone would move it.

        It is the first step of Newton's method from the coefficients of all rows towards those of some. Sums are taken
        column by column instead of by matrix products, whose last digit depends on the number of threads.
        """
        names = [self.formula.outcome, *self.formula.columns]
        complete = self.data.frame.select(pl.all_horizontal(pl.col(names).is_not_null())).to_series().to_numpy()
        table = self.data.frame.select(names).filter(pl.Series(complete))
        outcome = (table[self.formula.outcome] == table[self.formula.outcome].max()).to_numpy()
        columns = [self._column(table, label) for label in self.fit.labels]
        chance = 1 / (1 + np.exp(-_combined(columns, self.fit.coefficients)))
        scale = np.array([np.sqrt(np.square(column).mean()) for column in columns])
        columns = [column / size for column, size in zip(columns, scale, strict=True)]
        weights = chance * (1 - chance)
        information = np.array([[(weights * a * b).sum() for a in columns] for b in columns])
        residuals = [column * (outcome - chance) for column in columns]
        moves = np.zeros((self.data.height, len(columns)))
        for place, steps in enumerate(np.linalg.pinv(information)):
            moves[complete, place] = _combined(residuals, steps)
        moves *= len(table) * self.fit.odds_ratios / scale
        return moves

    def _column(self, table: pl.DataFrame, label: str) -> Float:
        """Return the column of a design that a coefficient belongs to."""
        if label == INTERCEPT:
            return np.ones(table.height)
        if label in self.formula.columns and label not in self.fit.values:
            return numbers(table[label])
        name = next(n for n, values in self.fit.values.items() if label in {f"{n}={value}" for value in values})
        return (table[name].cast(pl.String) == label[len(name) + 1 :]).to_numpy().astype(np.float64)


def _combined(columns: Sequence[Float], weights: Float) -> Float:
    """Return the weighted sum of columns."""
    total = np.zeros(len(columns[0]))
    for column, weight in zip(columns, weights.tolist(), strict=True):
        total += column * weight
    return total


def fitted(data: Dataset, formula: str | None, allowed: float) -> Odds | None:
    """Fit the regression to watch, if one is named."""
    if formula is None:
        return None
    wanted = regression.parse(formula, data.schema.names)
    return Odds(data, wanted, regression.fit(data.frame, wanted), allowed)

"""Sums of released numbers that follow from original ones more closely than the numbers do by themselves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from icefire.audit.obstacles.chosen_models import FINEST, LEAST_SHARE, model_of_numbers, sources_of
from icefire.audit.obstacles.date_parts import column_of
from icefire.audit.obstacles.learned_columns import KnownRows, LearnedReading
from icefire.audit.obstacles.standard_features import standard, varies
from icefire.core.dataset import numbers
from icefire.kernels.types import Float, Int
from icefire.regression.ridge import LinearModel

MOST_TOGETHER = 60
"""Numbers whose components are learned, at most."""
NAMED = 3
"""Released columns that a sum is named by."""
TURNS = 2
"""How often sums of released numbers are turned."""
USED_FOR_SUMS = (6, 30)
"""How many features a model of a sum may use: those that correlate most."""


def learn_sums(y: pl.DataFrame, known: KnownRows, scale: Callable[[Float], Float | None]) -> LearnedReading:
    """Learn sums of released numbers, so turned that as many as possible are predicted well.

    Noise that several columns have in common is then in few of the sums. The first ones are principal components; where
    what is not predicted is related, they are turned and learned again.
    """
    every = {column.name: numbers(column) for column in y if column.dtype.is_numeric()}
    columns = {name: scale(column) for name, column in every.items() if not np.isnan(column).any()}
    scaled = {n: standard(column) for n, column in columns.items() if column is not None and varies(column)}
    if not 2 <= len(scaled) <= MOST_TOGETHER:
        return LearnedReading("")
    together = np.column_stack(list(scaled.values()))
    variances, axes = np.linalg.eigh(np.cov(together, rowvar=False))
    models = _models_of(together @ axes[:, variances > FINEST], known)
    for _ in range(TURNS if any(model.share > LEAST_SHARE for _, model in models) else 0):
        left = np.column_stack([m.residuals if m.share > 0.0 else column[known.taught] for column, m in models])
        models = _models_of(np.column_stack([column for column, _ in models]) @ np.linalg.eigh(left.T @ left)[1], known)
    models = [(column, model) for column, model in models if model.share > LEAST_SHARE]
    if not models:
        return LearnedReading("")
    column, model = max(models, key=lambda each: each[1].share)
    # A sum of columns is the same sum in every row.
    weights = np.abs(np.linalg.lstsq(together[known.taught], column[known.taught], rcond=None)[0])
    names = [name for _, name in sorted(zip(weights, scaled, strict=True), reverse=True)[:NAMED]]
    return LearnedReading(", ".join(names), models, share=model.share, sources=sources_of(model, known))


def _models_of(columns: Float, known: KnownRows) -> list[tuple[Float, LinearModel]]:
    """Return columns on a common scale, each with its model."""
    is_number = np.array([known.x[column_of(name)].dtype.is_numeric() for name in known.names[: known.of_one_column]])
    is_number = np.append(is_number, np.zeros(len(known.names) - len(is_number), np.bool_))
    return [model_of_numbers(standard(column), known, is_number, USED_FOR_SUMS) for column in columns.T]


def told(learned: LearnedReading, taught: Int) -> float:
    """Return the log-likelihood per row that models of released numbers add together."""
    if not learned.models:
        return 0.0
    before = np.corrcoef(np.column_stack([scaled[taught] for scaled, _ in learned.models]), rowvar=False)
    left = np.column_stack([model.residuals / scaled[taught].std() for scaled, model in learned.models])
    finest = FINEST**2 * np.eye(left.shape[1])
    sizes = [np.linalg.slogdet(np.atleast_2d(each) + finest)[1] for each in (before, left.T @ left / len(left))]
    return 0.5 * float(sizes[0] - sizes[1])

"""Features of rows as recipes: what is held is how one is computed, and only some rows are computed at a time.

Hundreds of features of a million rows are gigabytes. Those who learn from some rows and predict all others need the
features of few rows at a time: whatever is asked for, a feature has mean 0 and deviation 1 over all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from icefire.kernels.common import threads
from icefire.kernels.types import Float, Int
from icefire.regression.ridge import LinearModel

ROUNDING = 1e-14
"""Differences of computed numbers, beside their size, that say nothing."""
ROWS = 1 << 14
"""Rows predicted at once."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of rows: what is done to a column of numbers, less the mean of all rows, in their deviations."""

    name: str
    column: Any
    """Numbers or levels of all rows."""
    scale: Callable[[Any], Float] | None
    mean: float
    deviation: float
    known: float
    """Share of the rows that have a value."""

    @property
    def spread(self) -> float:
        """The standard deviation, missing values being 0."""
        return float(np.sqrt(self.known))

    def of_rows(self, rows: slice | Int) -> Float:
        """Return the feature of some rows; a missing value is 0."""
        values = self.column[rows]
        return _standard(values if self.scale is None else self.scale(values), self)


@dataclass(frozen=True, slots=True)
class Product:
    """The product of two features as a feature."""

    name: str
    one: Feature
    other: Feature
    mean: float
    deviation: float
    known: float = 1.0

    @property
    def spread(self) -> float:
        """The standard deviation."""
        return self.known

    def of_rows(self, rows: slice | Int) -> Float:
        """Return the feature of some rows."""
        return _standard(self.one.of_rows(rows) * self.other.of_rows(rows), self)


def _standard(values: Float, feature: Feature | Product) -> Float:
    scaled: Float = values - feature.mean
    scaled /= feature.deviation
    return scaled if feature.known == 1.0 else np.nan_to_num(scaled, copy=False)


def feature_of(name: str, column: Any, scale: Callable[[Any], Float] | None = None) -> Feature:
    """Return a feature that varies.

    Args:
        name: Names the column it is made from.
        column: Numbers or levels of all rows.
        scale: What is done to each of them; None for nothing.
    """
    values = column if scale is None else scale(column)
    mean, deviation = mean_and_deviation(values)
    finite = int(np.isfinite(values).sum())
    known = finite / len(values) if np.isfinite(deviation) else 0.0
    return Feature(name, column, scale, mean, deviation, known)


def product_of(one: Feature, other: Feature, values: Float) -> Product | None:
    """Return the product of two features as a feature, None if it does not vary.

    Args:
        one: A feature.
        other: The same or another one.
        values: The products of all rows.
    """
    if not varies(values):
        return None
    mean, deviation = mean_and_deviation(values)
    return Product(f"{one.name} × {other.name}", one, other, mean, deviation, 1.0 if np.isfinite(deviation) else 0.0)


def mean_and_deviation(values: Float) -> tuple[float, float]:
    """Return the mean and the standard deviation of the values that are not missing."""
    if np.isnan(values).any():
        return float(np.nanmean(values)), float(np.nanstd(values))
    return float(values.mean()), float(values.std())


def varies(values: Float) -> bool:
    """Tell whether numbers differ by more than rounding; the standard deviation of equal ones need not be exactly 0."""
    known = values[~np.isnan(values)] if np.isnan(values).any() else values
    if not len(known):
        return False
    least, most = float(known.min()), float(known.max())
    return most - least > ROUNDING * max(abs(least), abs(most))


def standard(values: Float) -> Float:
    """Return values of mean 0 and standard deviation 1; a missing one is 0."""
    mean, deviation = mean_and_deviation(values)
    scaled: Float = np.nan_to_num((values - mean) / deviation, copy=False)
    return scaled


def predictions(features: Sequence[Feature | Product], models: Sequence[LinearModel], height: int) -> Float:
    """Return what models predict for every row, one column for each.

    Args:
        features: All features, those of the models by their places.
        models: Which features they use, and how.
        height: Number of rows.
    """
    used = np.unique(np.concatenate([model.features for model in models])) if models else np.empty(0, np.int64)
    weights = np.zeros((len(used), len(models)))
    for place, model in enumerate(models):
        weights[np.searchsorted(used, model.features), place] = model.coefficients
    constants = np.array([model.constant for model in models])
    needed = [features[place] for place in used.tolist()]
    predicted = np.empty((height, len(models)))

    def fill(start: int) -> None:
        stop = min(start + ROWS, height)
        known = np.empty((len(needed), stop - start))
        for place, feature in enumerate(needed):
            known[place] = feature.of_rows(slice(start, stop))
        predicted[start:stop] = known.T @ weights + constants

    threads.starmap(fill, [(start,) for start in range(0, height, ROWS)])
    return predicted

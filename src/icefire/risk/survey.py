"""Risk in the population that a weighted sample stands for, and weighted means and shares."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core import align
from icefire.core.dataset import Dataset, numbers
from icefire.core.errors import InputError
from icefire.core.release import Comparison
from icefire.core.schema import Kind
from icefire.core.scorecard.class_risk import ClassRisk
from icefire.core.scorecard.survey_risks import WeightedEstimate, WeightedRisk
from icefire.kernels.types import Float, Int

NODES, LARGE = 64, 50
"""Points of the integral for the individual risk, and classes that are too large for it to matter."""
MOST_CATEGORIES = 200
"""Shares are compared in columns of at most so many values."""


def weights_of(data: Dataset) -> Float | None:
    """Return the weight of every row; None where no column holds weights.

    Raises:
        InputError: If a weight is missing, no number, or not above 0.
    """
    name = data.schema.weight
    if name is None:
        return None
    column = data.frame[name]
    values = numbers(column) if column.dtype.is_numeric() else np.full(len(column), np.nan)
    wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if len(wrong):
        raise InputError(
            f"weight column {name!r}: row {wrong[0]} holds {column[int(wrong[0])]!r}; a weight is a number above 0, "
            "how many people the row stands for: correct it, or leave out --weight"
        )
    return values


def weighted_risk(comparison: Comparison, labels: Int, threshold: float) -> WeightedRisk | None:
    """Estimate risks in the population; None where the original has no weights.

    Args:
        comparison: The two tables; the weight of a released row is that of its person in the original.
        labels: The class of every released row.
        threshold: Rows with a higher chance are counted.
    """
    every = weights_of(comparison.original)
    if every is None or comparison.original.schema.weight is None:
        return None
    weights = every[comparison.truth.rows]
    sizes, people = class_totals(labels, weights)
    alone = sizes == 1
    return WeightedRisk(
        column=comparison.original.schema.weight,
        population=float(weights.sum()),
        k_min=float(people.min()),
        unique=int((alone & (people < 2)).sum()),
        expected_unique=float(np.minimum(1.0, 1 / weights[alone]).sum()),
        journalist=summary(np.minimum(1.0, 1 / people), threshold),
        individual=summary(individual_risk(sizes, people), threshold),
        estimates=_estimates(comparison, every, weights),
    )


def class_totals(labels: Int, weights: Float) -> tuple[Int, Float]:
    """Return for every row the size of its class, and how many people the class stands for."""
    sizes: Int = np.bincount(labels).astype(np.int64)[labels]
    people: Float = np.bincount(labels, weights).astype(np.float64)[labels]
    return sizes, people


def individual_risk(sizes: Int, people: Float) -> Float:
    """Return the expected 1 / F of every row: F people have its key in the population, of whom f are in the sample.

    F given f is negative binomial with chance p = f / people of the class (Benedetti and Franconi 1998). The
    expectation is the integral over s from 0 to 1 of s^(f-1) p / (p + (1-p) s); for f = 1 it is -p/(1-p) ln p. In large
    classes, where F varies little, it is p / (f - (1 - p)).
    """
    p = np.clip(sizes / people, 1e-12, 1.0)
    q = 1 - p
    integral, places = np.zeros(len(p)), np.polynomial.legendre.leggauss(NODES)
    small = np.minimum(sizes, LARGE)
    for s, width in zip((places[0] + 1) / 2, places[1] / 2, strict=True):
        integral += width * s ** (small - 1) * p / (p + q * s)
    alone = np.where(q > 1e-6, p / np.maximum(q, 1e-6) * -np.log(p), 1.0)
    chances: Float = np.where(sizes == 1, alone, np.where(sizes < LARGE, integral, p / (sizes - q)))
    return np.minimum(chances, 1.0)


def summary(chances: Float, threshold: float) -> ClassRisk:
    """Sum chances up."""
    return ClassRisk(float(chances.max()), float(chances.mean()), int((chances > threshold).sum()))


def _estimates(comparison: Comparison, before: Float, after: Float) -> list[WeightedEstimate]:
    """Compare weighted means of numbers, and of categories the weighted share that changed most."""
    original, released = comparison.original, comparison.released
    estimates = []
    for column in original.schema.observed:
        if column.name not in released.frame.columns:
            continue
        x, y = original.frame[column.name], released.frame[column.name]
        if column.kind is Kind.NUMBER and x.dtype.is_numeric() and y.dtype.is_numeric():
            means = [weighted_mean(numbers(side), weights) for side, weights in ((x, before), (y, after))]
            estimates.append(WeightedEstimate(column.name, "", *means))
        elif x.n_unique() <= MOST_CATEGORIES:
            shares = [_shares(align.as_text(side), weights) for side, weights in ((x, before), (y, after))]
            values = sorted({*shares[0], *shares[1]})
            changed = max(values, key=lambda value: abs(shares[0].get(value, 0.0) - shares[1].get(value, 0.0)))
            estimates.append(WeightedEstimate(column.name, changed, *(share.get(changed, 0.0) for share in shares)))
    return estimates


def weighted_mean(values: Float, weights: Float) -> float:
    """Return the weighted mean of the values that are there; NaN where none is."""
    known = ~np.isnan(values)
    return float(np.average(values[known], weights=weights[known])) if known.any() else float("nan")


def _shares(values: pl.Series, weights: Float) -> dict[str, float]:
    table = pl.DataFrame({"value": values.fill_null("missing"), "weight": weights})
    summed = table.group_by("value").agg(pl.col("weight").sum() / weights.sum())
    return dict(summed.iter_rows())

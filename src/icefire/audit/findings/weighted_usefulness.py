"""What a weighted sample has lost: averages, cross tables and distributions in people of the population.

The weight of a released row is that of its person in the original.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from icefire.core.dataset import numbers
from icefire.core.release import Comparison
from icefire.core.scorecard.distances import ColumnDistance
from icefire.core.scorecard.weighted_usefulness import WeightedChange, WeightedUsefulness
from icefire.kernels.types import Float
from icefire.measures.compared_columns import column_distance
from icefire.measures.released_values import read_column
from icefire.measures.tables.cross_tables import cell_numbers
from icefire.risk.survey import weighted_mean, weights_of

WeightedMeasure = Callable[[Comparison, Float, Float], float | None]
"""A measure given the weights of the original and of the released rows."""


def weighted_usefulness(comparison: Comparison) -> WeightedUsefulness | None:
    """Measure what was lost by weights, and the same by rows; None where the original has no weights."""
    before, name = weights_of(comparison.original), comparison.original.schema.weight
    if before is None or name is None:
        return None
    after = before[comparison.truth.rows]
    return WeightedUsefulness(
        column=name,
        mean_error=_beside_rows(_mean_error, comparison, before, after),
        cross_count=_beside_rows(_cross_count, comparison, before, after),
        columns=_distances(comparison, before, after),
    )


def _beside_rows(
    measure: WeightedMeasure, comparison: Comparison, before: Float, after: Float
) -> WeightedChange | None:
    weighted = measure(comparison, before, after)
    by_rows = measure(comparison, np.ones_like(before), np.ones_like(after))
    return None if weighted is None or by_rows is None else WeightedChange(weighted, by_rows)


def _mean_error(comparison: Comparison, before: Float, after: Float) -> float | None:
    """Mean over the sensitive numbers of the absolute change of their weighted average; missing values are left out."""
    x, y = comparison.original, comparison.released.frame
    changes = [
        abs(weighted_mean(numbers(x.frame[name]), before) - weighted_mean(numbers(y[name]), after))
        for name in x.numeric_sa
        if name in y.columns and y[name].dtype.is_numeric()
    ]
    return float(np.mean(changes)) if changes and np.isfinite(changes).all() else None


def _cross_count(comparison: Comparison, before: Float, after: Float) -> float | None:
    """Mean over the cells occupied in either table of the absolute change of the people in it."""
    qi = comparison.original.qi
    if not qi or any(name not in comparison.released.frame.columns for name in qi):
        return None
    left, right, size = cell_numbers(comparison, None)
    occupied = np.bincount(np.concatenate([left, right]), minlength=size) > 0
    people = np.bincount(left, before, size) - np.bincount(right, after, size)
    return float(np.abs(people[occupied]).mean())


def _distances(comparison: Comparison, before: Float, after: Float) -> list[ColumnDistance]:
    known, shown, schema = comparison.original.frame, comparison.released.frame, comparison.original.schema
    distances = []
    for column in schema.observed:
        if column.name not in shown.columns:
            distances.append(ColumnDistance(column.name, str(column.role), "lost", 1.0))
            continue
        both = replace(read_column(known[column.name], shown[column.name]), weights=(before, after))
        distances.append(column_distance(both, str(column.role)))
    return distances

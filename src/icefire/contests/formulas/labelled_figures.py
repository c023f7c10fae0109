"""Shares, odds ratios and correlations of a health survey by their labels, and how far two tables differ in them.

A label that one of the tables lacks, such as the share of a value that does not occur, is not compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from icefire import regression
from icefire.core.errors import UndefinedError
from icefire.kernels.types import Float, Int
from icefire.regression import Formula


def largest_difference(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    """Return the largest absolute difference over the labels that both have.

    Raises:
        UndefinedError: If they have none in common.
    """
    common = [label for label in before if label in after]
    if not common:
        raise UndefinedError("the two tables have no label in common")
    return max(abs(before[label] - after[label]) for label in common)


def shares(
    frame: pl.DataFrame, columns: Sequence[str], by: str, edges: Mapping[str, tuple[float, ...]]
) -> dict[str, float]:
    """Return the share of the rows of every value with every outcome.

    Args:
        frame: The table.
        columns: Columns to count.
        by: The outcome.
        edges: Edges of bins by column: a value beyond counts as the outermost edge, and one at the lowest is in no
            bin. A bin that is empty for an outcome that occurs has the share 0; other values have only occupied cells.

    Returns:
        Shares by "column=value, outcome".
    """
    result: dict[str, float] = {}
    outcomes = frame[by].unique().sort().to_list()
    for column in columns:
        if column in edges:
            bins = _bins(frame[column], edges[column])
            for outcome in outcomes:
                counts = np.bincount(bins[(frame[by] == outcome).to_numpy()], minlength=len(edges[column]))
                for place in range(1, len(edges[column])):
                    result[f"{column}=bin {place}, {outcome}"] = float(counts[place]) / frame.height
        else:
            counted = frame.group_by(column, by).len()
            labels = counted.select(pl.format(f"{column}={{}}, {{}}", column, by))[:, 0]
            result |= dict(zip(labels, (counted["len"] / frame.height).to_list(), strict=True))
    return result


def _bins(values: pl.Series, edges: tuple[float, ...]) -> Int:
    bins: Int = np.searchsorted(np.array(edges), np.clip(values.to_numpy(), edges[0], edges[-1])).astype(np.int64)
    return bins


def odds_ratios(frame: pl.DataFrame, outcome: str, columns: Sequence[str], table: str) -> dict[str, float]:
    """Return the odds ratios of a logistic regression on the columns that vary, that of the intercept included.

    Raises:
        UndefinedError: If the model has no finite maximum.
    """
    varying = tuple(name for name in columns if frame[name].n_unique() > 1)
    if not varying:
        raise UndefinedError(f"no column of {table} varies")
    fitted = regression.fit(frame, Formula(outcome, varying), table)
    return dict(zip(fitted.labels, fitted.odds_ratios.tolist(), strict=True))


def correlations(frame: pl.DataFrame) -> dict[str, float]:
    """Return the correlation of every two columns, each value of a text a column of its own.

    A column that is constant has no correlations.
    """
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    spread = frame.to_dummies(texts, separator="=") if texts else frame
    values: Float = spread.cast(pl.Float64).to_numpy()
    varies = values.min(axis=0) < values.max(axis=0)
    names = [name for name, keep in zip(spread.columns, varies, strict=True) if keep]
    if len(names) < 2:
        return {}
    matrix: Float = np.asarray(np.corrcoef(values[:, varies], rowvar=False))
    upper = np.triu_indices(len(names), 1)
    return {f"{names[i]} and {names[j]}": float(matrix[i, j]) for i, j in zip(*upper, strict=True)}

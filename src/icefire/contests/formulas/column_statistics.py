"""Statistics of the columns of a table as text: which columns are numbers, figures by label, the largest difference.

A label that one table lacks counts 0 there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from icefire.kernels.types import Bool, Float

NUMERIC = 0.95
"""A column is numeric if at least this share of its cells that are not blank are numbers."""
STATISTICS = ("mean", "sd", "q1", "median", "q3")


def largest_difference_of_all(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    """Return the largest absolute difference over all labels; what has no value, or is no number, counts 0."""
    labels = dict.fromkeys([*before, *after])
    return max((abs(_number(before.get(label)) - _number(after.get(label))) for label in labels), default=0.0)


def _number(value: float | None) -> float:
    return 0.0 if value is None or np.isnan(value) else value


def trimmed(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table of text without blanks around its cells; blank cells are empty."""
    return frame.select(pl.all().str.strip_chars().fill_null(""))


def parsed(column: pl.Series) -> Float:
    """Return a column of text as numbers, NaN where a cell is none."""
    numbers = column.cast(pl.Float64, strict=False)
    values: Float = numbers.fill_null(float("nan")).to_numpy().copy()
    values[~np.isfinite(values)] = np.nan
    return values


def numeric_columns(frame: pl.DataFrame) -> list[str]:
    """Return the columns of a trimmed table that hold numbers."""
    numeric = []
    for name in frame.columns:
        filled = (frame[name] != "").to_numpy()
        if filled.any() and (~np.isnan(parsed(frame[name])[filled])).mean() >= NUMERIC:
            numeric.append(name)
    return numeric


def statistics(frame: pl.DataFrame) -> dict[str, float]:
    """Return the scaled statistics of the numeric columns, shares of the values of the others, and correlations.

    Each of mean, standard deviation (n - 1) and quartiles is scaled over the columns of this table to 0..1; where all
    are equal they are 0.

    Args:
        frame: The table, trimmed text.

    Returns:
        Figures by label.
    """
    numeric = numeric_columns(frame)
    values = [parsed(frame[name]) for name in numeric]
    figures = dict(_scaled_statistics(numeric, values))
    for name in (column for column in frame.columns if column not in numeric):
        counted = frame[name].value_counts()
        shares = (counted["count"] / frame.height).to_list()
        figures |= {f"share {name}={value}": share for value, share in zip(counted[name], shares, strict=True)}
    return figures | _correlations(numeric, values)


def _scaled_statistics(names: Sequence[str], columns: Sequence[Float]) -> dict[str, float]:
    known = [column[~np.isnan(column)] for column in columns]
    table = np.array([_five(column) for column in known]).reshape(len(names), len(STATISTICS))
    figures: dict[str, float] = {}
    for place, statistic in enumerate(STATISTICS):
        row = table[:, place]
        low, high = (np.nanmin(row), np.nanmax(row)) if (~np.isnan(row)).any() else (0.0, 0.0)
        scaled = (row - low) / (high - low) if high > low else np.zeros(len(row))
        figures |= {f"{statistic} {name}": float(value) for name, value in zip(names, scaled, strict=True)}
    return figures


def _five(column: Float) -> list[float]:
    if not len(column):
        return [float("nan")] * len(STATISTICS)
    sd = float(column.std(ddof=1)) if len(column) > 1 else float("nan")
    return [float(column.mean()), sd, *np.quantile(column, (0.25, 0.5, 0.75)).tolist()]


def _correlations(names: Sequence[str], columns: Sequence[Float]) -> dict[str, float]:
    """Return the correlation of every two columns over the rows that have both."""
    figures = {}
    for i, left in enumerate(columns):
        for j in range(i + 1, len(columns)):
            both: Bool = ~(np.isnan(left) | np.isnan(columns[j]))
            figures[f"correlation {names[i]} and {names[j]}"] = _pearson(left[both], columns[j][both])
    return figures


def _pearson(x: Float, y: Float) -> float:
    if len(x) < 2 or x.min() == x.max() or y.min() == y.max():
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    return float((x @ y) / np.sqrt((x @ x) * (y @ y)))

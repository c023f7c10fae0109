"""Distributions of columns before and after, and how strongly two columns go together in both tables."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import polars as pl

from icefire.core.errors import UndefinedError
from icefire.core.formatting import number
from icefire.core.history import HistoryComparison
from icefire.core.release import Comparison
from icefire.core.scorecard.distributions import Association, ColumnDistribution, DistributionBin
from icefire.kernels.types import Float
from icefire.measures.compared_columns import ColumnShares, compare_columns, shares_of
from icefire.measures.joint_tables import JointTables
from icefire.measures.released_values import read_column

BINS = 12
"""Bars of a number; numbers with fewer values have a bar for each."""
CATEGORIES = 7
"""Categories with a bar of their own."""
TAIL = 0.01
"""The first and the last bar of a number hold so much of the original beyond the others, at most."""
MOST_COLUMNS = 20
MOST_CELLS = 200
"""Columns with more values are not compared with others."""
OTHERS, MISSING = "other", "missing"


def table_distributions(comparison: Comparison) -> list[ColumnDistribution]:
    """Return the distribution of every column that both tables have."""
    try:
        compared = compare_columns(comparison).shares
    except UndefinedError:
        return []
    known = comparison.original.frame
    return [distribution(column, known[column.name].dtype) for column in compared if len(column.values)]


def history_distributions(comparison: HistoryComparison) -> list[ColumnDistribution]:
    """Return the distributions of goods, months, numbers and prices, as far as both histories have them."""
    known, shown = comparison.original, comparison.released
    if not known.height or not shown.height:
        return []
    columns = []
    for meaning in ("item", "date", "number", "price"):
        if not known.has(meaning) or not shown.has(meaning):
            continue
        name = known.fields.present[meaning]
        if meaning == "date":
            x, y = (_months(side.when, name) for side in (known, shown))
        elif meaning == "item":
            x, y = known.frame[name].cast(pl.String), shown.frame[name].cast(pl.String)
        else:
            x, y = (pl.Series(name, getattr(side, f"{meaning}s")) for side in (known, shown))
        column = shares_of(read_column(x, y))
        if len(column.values):
            columns.append(distribution(column, x.dtype))
    return columns


def _months(seconds: np.ndarray, name: str) -> pl.Series:
    """Return the first day of the month of every time."""
    months = seconds.astype("datetime64[s]").astype("datetime64[M]").astype("datetime64[D]")
    return pl.Series(name, months)


def distribution(column: ColumnShares, dtype: pl.DataType) -> ColumnDistribution:
    """Put the values of a column into bars."""
    bins = _of_numbers(column, dtype) if column.is_number else _of_categories(column)
    gone, hidden = float(column.known[-1]), float(column.shown[-1])
    if gone or hidden:
        bins.append(DistributionBin(MISSING, gone, hidden))
    return ColumnDistribution(column.name, "number" if column.is_number else "category", bins)


def _of_numbers(column: ColumnShares, dtype: pl.DataType) -> list[DistributionBin]:
    values = column.values.cast(pl.Float64).to_numpy()
    known, shown = column.known[:-1], column.shown[:-1]
    if len(values) <= BINS:
        texts = _texts(values, dtype)
        return [DistributionBin(*one) for one in zip(texts, known.tolist(), shown.tolist(), strict=True)]
    total = max(float(known.sum()), 1e-12)
    reached = np.cumsum(known) / total
    low = values[min(int(np.searchsorted(reached, TAIL)), len(values) - 1)]
    high = values[min(int(np.searchsorted(reached, 1 - TAIL)), len(values) - 1)]
    if high <= low:
        low, high = values[0], values[-1]
    edges = np.linspace(low, high, BINS + 1)
    place = np.clip(np.searchsorted(edges, values, "right") - 1, 0, BINS - 1)
    before, after = np.bincount(place, known, BINS), np.bincount(place, shown, BINS)
    texts = _texts(edges, dtype)
    labels = [f"{first} – {last}" for first, last in pairwise(texts)]
    labels[0], labels[-1] = f"below {texts[1]}", f"{texts[-2]} and more"
    return [DistributionBin(*one) for one in zip(labels, before.tolist(), after.tolist(), strict=True)]


def _of_categories(column: ColumnShares) -> list[DistributionBin]:
    known, shown = column.known[:-1], column.shown[:-1]
    order = np.lexsort((np.arange(len(known)), -shown, -known))
    first, rest = order[:CATEGORIES], order[CATEGORIES:]
    texts = column.values.cast(pl.String).to_list()
    bins = [DistributionBin(str(texts[at]), float(known[at]), float(shown[at])) for at in first.tolist()]
    if len(rest):
        bins.append(DistributionBin(OTHERS, float(known[rest].sum()), float(shown[rest].sum())))
    return bins


def _texts(values: Float, dtype: pl.DataType) -> list[str]:
    """Write values as the column holds them: dates as dates, numbers with three digits."""
    if dtype.is_temporal():
        moments = pl.Series(np.round(values).astype(np.int64)).cast(dtype)
        return [str(moment)[:10] if dtype != pl.Time else str(moment) for moment in moments]
    return [number(float(value), 3) for value in values]


def associations(comparison: Comparison) -> list[Association]:
    """Return for every two columns how strongly they go together, before and after."""
    try:
        cells = compare_columns(comparison).cells
    except UndefinedError:
        return []
    chosen = [column for column in cells if 1 < column.cells + column.labels <= MOST_CELLS][:MOST_COLUMNS]
    if len(chosen) < 2:
        return []
    tables = JointTables(chosen)
    rows = tables.known.shape[1], tables.shown.shape[1]
    pairs = []
    for first, second in combinations(range(len(chosen)), 2):
        before, after = tables.shares_of_pair((first, second))
        strength = [_cramers_v(table, n) for table, n in zip((before, after), rows, strict=True)]
        pairs.append(Association(chosen[first].name, chosen[second].name, *(round(v, 4) for v in strength)))
    return pairs


def _cramers_v(table: Float, rows: int) -> float:
    """Return Cramér's V of a table of shares, its bias corrected (Bergsma 2013); 0 where a column is constant."""
    across, down = table.sum(axis=1), table.sum(axis=0)
    table = table[across > 0][:, down > 0]
    if min(table.shape) < 2 or rows < 2:
        return 0.0
    expected = np.outer(across[across > 0], down[down > 0])
    phi = float(((table - expected) ** 2 / expected).sum())
    r, c = table.shape
    phi = max(0.0, phi - (r - 1) * (c - 1) / (rows - 1))
    least = min(r - (r - 1) ** 2 / (rows - 1), c - (c - 1) ** 2 / (rows - 1)) - 1
    return float(min(1.0, (phi / least) ** 0.5)) if least > 0 else 0.0

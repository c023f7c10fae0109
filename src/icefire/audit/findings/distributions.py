"""Distributions of columns before and after, and how strongly two columns go together in both tables."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import polars as pl

from icefire.core.date_texts import iso_dates
from icefire.core.errors import UndefinedError
from icefire.core.formatting import number
from icefire.core.history import HistoryComparison
from icefire.core.release import Comparison
from icefire.core.scorecard.distributions import Association, ColumnDistribution, DistributionBin
from icefire.kernels.common import threads
from icefire.kernels.types import Float
from icefire.measures.compared_columns import ColumnShares, compare_columns, shares_of
from icefire.measures.joint_tables import JointTables
from icefire.measures.released_values import read_column

BINS = 12
"""Bars of a number; numbers with fewer values have a bar for each."""
CATEGORIES = 7
"""Categories with a bar of their own."""
MOST_OTHERS = 0.5
"""Text of which the bar of the others would hold more is put together by its first letters."""
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
    bins = _of_numbers(column, dtype) if column.is_number else _of_texts(column)
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


def _of_texts(column: ColumnShares) -> list[DistributionBin]:
    """Put dates into bars by time, codes by how they begin, and other texts by how frequent they are."""
    if len(column.values) <= CATEGORIES + 1:
        return _of_categories(column)
    return _of_dates(column) or _with_few_others(column)


def _of_dates(column: ColumnShares) -> list[DistributionBin]:
    """Put texts that are dates into bars by time; none if the original holds anything else."""
    texts = column.values.cast(pl.String)
    dated = np.ones(len(texts), bool)
    days = iso_dates(texts)
    if days is None:  # labels of the release that stand for no dates have a bar of their own
        dated = column.known[:-1] > 0
        days = iso_dates(texts.filter(pl.Series(dated)))
    read = None if days is None else days.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    if read is None or read.null_count():
        return []
    shares = [np.append(side[:-1][dated], 0.0) for side in (column.known, column.shown)]
    order = read.arg_sort().to_numpy()
    known, shown = (np.append(side[order], 0.0) for side in shares)
    bins = _of_numbers(ColumnShares(column.name, read[order].to_physical(), True, known, shown), pl.Date())
    others = [float(side[:-1][~dated].sum()) for side in (column.known, column.shown)]
    return bins + ([DistributionBin(OTHERS, *others)] if any(others) else [])


def _with_few_others(column: ColumnShares) -> list[DistributionBin]:
    """Put texts into bars by frequency or, where most would be among the others, by their first letters."""
    bins = _of_categories(column)
    if bins[-1].original <= MOST_OTHERS:
        return bins
    texts = column.values.cast(pl.String)
    shortest = texts.str.len_chars().min()
    for letters in range(int(shortest) if isinstance(shortest, int) else 0, 0, -1):
        starts = texts.str.slice(0, letters)
        if 1 < starts.n_unique() <= BINS:
            return _by_start(column, starts)
    return bins


def _by_start(column: ColumnShares, starts: pl.Series) -> list[DistributionBin]:
    """Put texts that begin alike into one bar."""
    names = starts.unique().sort()
    place = starts.replace_strict(names, pl.Series(range(len(names)))).to_numpy()
    before, after = (np.bincount(place, side[:-1], len(names)).tolist() for side in (column.known, column.shown))
    return [DistributionBin(f"{name}…", *both) for name, *both in zip(names, before, after, strict=True)]


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
        return [str(moment) for moment in moments] if dtype == pl.Time else _days(moments)
    return [number(float(value), 3) for value in values]


def _days(moments: pl.Series) -> list[str]:
    """Write moments as days or, where that tells them apart, as months."""
    days = [str(moment)[:10] for moment in moments]
    months = [day[:7] for day in days]
    return months if len(set(months)) == len(set(days)) else days


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
    rows = tables.rows
    pairs = list(combinations(range(len(chosen)), 2))
    shares = threads.starmap(tables.shares_of_pair, [(pair,) for pair in pairs])
    listed = []
    for (first, second), both in zip(pairs, shares, strict=True):
        strength = [_cramers_v(table, n) for table, n in zip(both, rows, strict=True)]
        listed.append(Association(chosen[first].name, chosen[second].name, *(round(v, 4) for v in strength)))
    return listed


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

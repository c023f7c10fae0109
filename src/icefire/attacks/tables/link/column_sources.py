"""Other origins of released columns: values under another header, and sums or rotations of several columns.

A release that cannot be explained column by column is compared in other ways. Which original column a released one
comes from is told by its distribution, one to one. Linear combinations are undone by coordinates that do not depend on
them, or learned from rows that were recognised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.attacks.tables.link.columns import BLANK
from icefire.attacks.tables.link.ordering import OrderedTables
from icefire.core import align
from icefire.core.dataset import numbers
from icefire.kernels.assignment import auction
from icefire.kernels.types import Float, Int
from icefire.regression.ridge import best_model

QUANTILES = np.linspace(0.005, 0.995, 100)
OWN = 0.005
"""A column of another name must be nearer by so much."""
CHANGED = 0.03
"""Distance of distributions from which on a column of numbers may be a combination of several."""
FARTHEST = 2.0
"""Distance of columns that have nothing in common."""
STEP = 1e-4
MOST = 64
"""Columns that are compared with one another, at most."""
LEAST_SHARE = 0.05
"""Share of the variance of a column that others must predict."""
PAIRS = 30
"""Rows that must be recognised to learn from them."""
KEPT = 0.02
"""Distance of distributions up to which the differences of two columns may have been kept."""
BY_CHANCE = 1.0
"""Distance, times the square root of the rows, by which those of a sample of people may differ."""
STEP_OF_VALUES = 1e-8
"""Share of the range up to which two differences are equal: decimals are rounded when they are written."""
MORE = 0.02
"""Share of the released differences that may occur more often than in the original."""
FEW_VALUES = 16
"""Different values of a column whose differences from others are not looked at: they occur in any release."""
COLUMNS, ROWS = 16, 2000
"""Columns whose differences are looked at, and rows they are looked at in, at most."""


@dataclass(frozen=True)
class OtherSources:
    """Both tables with columns that are compared otherwise than by their names, and what was done, by name."""

    tables: OrderedTables
    words: dict[str, str]


def under_other_headers(tables: OrderedTables, unreleased: pl.DataFrame) -> OtherSources | None:
    """Compare released columns with the original ones of nearest distribution; None where these have their own names.

    Args:
        tables: Both tables with the columns of the same names.
        unreleased: Further columns of the original, rows in the order of `tables.x`.
    """
    shown = [name for name in tables.y.columns if not name.endswith(BLANK)]
    known = pl.DataFrame([*tables.x.select(shown), *unreleased])
    if not 1 < len(known.columns) <= MOST:
        return None
    far = _distances(known, tables.y.select(shown))
    far[np.arange(len(shown)), np.arange(len(shown))] -= OWN
    ends, choices = np.arange(len(shown) + 1) * len(known.columns), np.tile(np.arange(len(known.columns)), len(shown))
    sources = auction.assign(ends, choices, (2 * FARTHEST - far).ravel(), len(known.columns), STEP)
    moved = {
        name: known.columns[s] for name, s in zip(shown, sources.tolist(), strict=True) if known.columns[s] != name
    }
    if not moved:
        return None
    pairs = {name: _same_kind(known[source], tables.y[name]) for name, source in moved.items()}
    words = {name: f"holds the values of {source}" for name, source in moved.items()}
    return OtherSources(tables.with_columns(pairs), words)


def as_invariant_coordinates(tables: OrderedTables) -> list[OtherSources]:
    """Compare columns of numbers by coordinates that are the same whatever linear combinations were released.

    Nothing is listed where fewer than two columns of numbers have another distribution than in the original.
    """
    names = changed_numbers(tables)
    if not 1 < len(names) <= min(MOST, tables.x.height, tables.y.height):
        return []
    sides = [np.column_stack([numbers(table[name]) for name in names]) for table in (tables.x, tables.y)]
    scales = [sides]
    if all(np.nanmin(side) > 0 for side in sides):
        scales.append([np.log(side) for side in sides])
    others = []
    for scale in scales:
        for power in (1.0, 2.0):
            one, other = (_invariant_coordinates(side, power) for side in scale)
            pairs = {n: (pl.Series(n, one[:, place]), pl.Series(n, other[:, place])) for place, n in enumerate(names)}
            words = dict.fromkeys(names, "combined with other columns")
            others.append(OtherSources(tables.with_columns(pairs), words))
    return others


def as_differences(tables: OrderedTables) -> OtherSources | None:
    """Compare columns of numbers by their differences, where these are distributed as in the original.

    All dates of a person may have been moved by the same number of days, another for everybody: no date is kept, but
    all times between them are. Columns of few values, and those whose values were kept, are compared as they are: their
    differences would count what the other column tells once more. None where no two columns kept their differences.
    """
    names = [name for name in tables.x.columns if _is_moved_number(tables.x[name], tables.y[name])][:COLUMNS]
    some = [
        {name: numbers(table[name][:: max(1, table.height // ROWS)]) for name in names}
        for table in (tables.x, tables.y)
    ]
    first: dict[str, str] = {}
    for place, name in enumerate(names):
        others = [other for other in names[:place] if other not in first]
        anchor = next((other for other in others if _keep_difference(tables, some, name, other)), None)
        if anchor is not None:
            first[name] = anchor
    if not first:
        return None
    pairs = {name: (_difference(tables.x, name, a), _difference(tables.y, name, a)) for name, a in first.items()}
    words = {name: f"compared by the difference from {anchor}" for name, anchor in first.items()}
    return OtherSources(tables.with_columns(pairs), words)


def _is_moved_number(x: pl.Series, y: pl.Series) -> bool:
    """Tell whether a column has many numbers and released ones that are no longer those of the original."""
    return _are_numbers(x, y) and x.n_unique() > FEW_VALUES and not _are_among(x.cast(pl.Float64), y.cast(pl.Float64))


def _keep_difference(tables: OrderedTables, some: Sequence[Mapping[str, Float]], name: str, other: str) -> bool:
    """Tell whether two columns kept their difference, looking at some rows of each table first."""
    x, y = (columns[name] - columns[other] for columns in some)
    # Rows that were left out change the distribution of those that are there.
    by_chance = 0.0 if tables.x.height == tables.y.height else BY_CHANCE / len(y) ** 0.5
    x, y = x[~np.isnan(x)], y[~np.isnan(y)]
    differ = all(len(side) and side.min() < side.max() for side in (x, y))
    is_alike = differ and _distance(np.quantile(x, QUANTILES), np.quantile(y, QUANTILES)) < KEPT + by_chance
    # Columns that were swapped one by one are alike, too, but hardly a difference of theirs occurs as often as before.
    return is_alike and _are_among(*(_difference(table, name, other) for table in (tables.x, tables.y)))


def _are_among(x: pl.Series, y: pl.Series) -> bool:
    """Tell whether almost all released values are original ones, none of them more often than there."""
    known, shown = x.drop_nulls(), y.drop_nulls()
    step = STEP_OF_VALUES * max(float(np.ptp(known.to_numpy())), 1.0)
    counted = [(values / step).round().rename("value").value_counts(name="rows") for values in (shown, known)]
    both = counted[0].join(counted[1], on="value", how="left")
    more = (both["rows"].cast(pl.Int64) - both["rows_right"].fill_null(0).cast(pl.Int64)).clip(lower_bound=0).sum()
    return bool(more <= MORE * shown.len())


def _difference(table: pl.DataFrame, name: str, other: str) -> pl.Series:
    return (table[name].cast(pl.Float64) - table[other].cast(pl.Float64)).alias(name)


def as_learned_combinations(tables: OrderedTables, names: Sequence[str], rows: Int, people: Int) -> OtherSources | None:
    """Compare columns with the combinations of original ones that predict them best in rows that were recognised.

    Args:
        tables: Both tables with the columns of the same names.
        names: Columns of numbers that may be combinations.
        rows: Released rows that were recognised.
        people: The original row of each.
    """
    sources = [column.name for column in tables.x if column.dtype.is_numeric() and column.count()][:MOST]
    if len(rows) < PAIRS or not names or len(sources) < 2:
        return None
    features = np.column_stack([_standard(numbers(tables.x[name])) for name in sources])
    predicted = {}
    for name in names:
        shown = numbers(tables.y[name])
        some = ~np.isnan(shown[rows])
        if some.sum() >= PAIRS and shown[rows[some]].std() > 0:
            model = best_model(features[people[some]], shown[rows[some]], [np.arange(len(sources))])
            if model.share > LEAST_SHARE:
                predicted[name] = pl.Series(name, model.predicted(features)), tables.y[name]
    if not predicted:
        return None
    words = dict.fromkeys(predicted, "combined with other columns")
    return OtherSources(tables.with_columns(predicted), words)


def changed_numbers(tables: OrderedTables) -> list[str]:
    """Name the columns of numbers whose released values are distributed otherwise than the original ones."""
    names = [name for name in tables.x.columns if _are_numbers(tables.x[name], tables.y[name])]
    return [name for name in names if _distance(_profile(tables.x[name]), _profile(tables.y[name])) > CHANGED]


def _are_numbers(x: pl.Series, y: pl.Series) -> bool:
    return all(side.dtype.is_numeric() and side.drop_nulls().n_unique() > 1 for side in (x, y))


def _same_kind(x: pl.Series, y: pl.Series) -> tuple[pl.Series, pl.Series]:
    if x.dtype.is_numeric() and y.dtype.is_numeric():
        return x.cast(pl.Float64), y.cast(pl.Float64)
    return align.as_text(x), align.as_text(y)


def _distances(x: pl.DataFrame, y: pl.DataFrame) -> Float:
    """Return how far the distribution of every released column is from that of every original one."""
    known, shown = ([_profile(column) for column in table] for table in (x, y))
    return np.array([[_distance(one, other) for one in known] for other in shown])


def _profile(column: pl.Series) -> Float | pl.DataFrame:
    """Return the quantiles of numbers, or the frequency of every category."""
    if column.dtype.is_numeric():
        values = numbers(column)
        values = values[~np.isnan(values)]
        return np.quantile(values, QUANTILES) if len(values) else np.zeros(len(QUANTILES))
    counts = align.as_text(column).alias("value").drop_nulls().value_counts(name="share")
    return counts.with_columns(pl.col("share") / max(int(counts["share"].sum()), 1))


def _distance(x: Float | pl.DataFrame, y: Float | pl.DataFrame) -> float:
    if isinstance(x, pl.DataFrame) and isinstance(y, pl.DataFrame):
        both = x.join(y, on="value", how="inner")
        return FARTHEST * (1.0 - float(both.select(pl.min_horizontal("share", "share_right").sum()).item() or 0.0))
    if isinstance(x, pl.DataFrame) or isinstance(y, pl.DataFrame):
        return FARTHEST
    spread = max(float(x.std()), 1e-9 * (1.0 + float(np.abs(x).max())))
    return min(FARTHEST, float(np.abs(x - y).mean()) / spread)


def _invariant_coordinates(values: Float, power: float) -> Float:
    """Return coordinates that a linear change of all columns leaves as they are.

    Uncorrelated values of variance 1 are known up to a rotation. So is the covariance weighted by a power of the
    distance from the middle, and its axes turn with them; the side of an axis on which rows are farther is positive.
    """
    filled = np.where(np.isnan(values), np.nanmean(values, axis=0), values)
    centred = filled - filled.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    kept = np.where(sizes > 1e-9 * sizes[0], left, 0.0) * np.sqrt(len(values))
    far = np.sqrt((kept**2).sum(axis=1))
    _, axes = np.linalg.eigh((kept * far[:, None] ** power).T @ kept / len(values))
    turned = kept @ axes
    side = np.sign((turned * far[:, None]).sum(axis=0))
    coordinates: Float = turned * np.where(side == 0, 1.0, side)
    return coordinates


def _standard(values: Float) -> Float:
    spread = float(np.nanstd(values)) or 1.0
    scaled: Float = np.nan_to_num((values - np.nanmean(values)) / spread)
    return scaled

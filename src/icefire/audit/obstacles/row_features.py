"""Features of original rows, by which released numbers are predicted: values, their logs, products, categories.

Also parts of dates, and values within groups: less the mean of the group, and by their place in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, islice

import numpy as np
import polars as pl

from icefire.audit.obstacles.date_parts import is_part
from icefire.audit.obstacles.group_features import within_groups
from icefire.audit.obstacles.text_counts import counts_of_characters
from icefire.core import align
from icefire.core.blocks import dense_ranks
from icefire.core.dataset import numbers
from icefire.kernels.types import Float, Int

FEATURES = 400
"""Features of the original rows, at most; products take the room that others leave."""
IN_GROUPS = 200
"""Features of values within groups, at most."""
HELD = 1 << 25
"""Values within groups held at once, at most."""
LEVELS, BINS = 64, 16
"""Categories and groups of numbers that tables are learned for, at most."""
FEWEST = 3
"""Rows of a category that make it a feature."""
FARTHEST = 10.0
"""Values farther from the median, in widths of the middle half, are taken as that far."""
KNOTS = 16
"""Places of a curve that are evenly far apart, and as many with equally many rows between them."""
ROUNDING = 1e-14
"""Differences of computed numbers, beside their size, that say nothing."""


def features_of_rows(x: pl.DataFrame) -> tuple[Float, list[str], int, int]:
    """Return features of the original rows, the column of each, how many are of one column, and how many no curves.

    Of one column are values, logs, places in the order, parts of dates, characters and categories. After them come
    products of two numbers, squares, and numbers within groups; last the parts that curves of one column are sums of.
    """
    every_value = {name: numbers(x[name]) for name in x.columns if x[name].dtype.is_numeric()}
    values = {name: column for name, column in every_value.items() if not is_part(name)}
    parts = [name for name in every_value if is_part(name)]
    columns: list[tuple[str, Float]] = [
        (name, every_value[name]) for name in parts if not np.isnan(every_value[name]).all()
    ]
    for scale in (plain, logs, places):
        columns += [(name, scaled) for name, column in values.items() if (scaled := scale(column)) is not None]
    texts = [name for name in x.columns if x[name].dtype == pl.String]
    columns += [(name, counted) for name in texts for counted in counts_of_characters(x[name])]
    codes_of_all = {name: codes_of(x[name]) for name in x.columns}
    for name, codes in codes_of_all.items():
        if name not in values:
            counts = np.bincount(codes)
            levels = np.argsort(-counts, kind="stable")[:LEVELS]
            columns += [(name, (codes == level).astype(float)) for level in levels if counts[level] >= FEWEST]
    columns = [(name, standard(column)) for name, column in columns if varies(column)][:FEATURES]
    if not columns:
        return np.empty((x.height, 0)), [], 0, 0
    every = columns + _products(values, FEATURES - len(columns))
    groups = {name: codes for name, codes in codes_of_all.items() if x[name].n_unique() <= LEVELS}
    inside = ((name, column) for name, column in within_groups(values, groups) if varies(column))
    every += [(name, standard(column)) for name, column in islice(inside, min(IN_GROUPS, HELD // x.height))]
    straight = len(every)
    every += islice(_curves(values), min(FEATURES, HELD // x.height))
    return np.column_stack([column for _, column in every]), [name for name, _ in every], len(columns), straight


def _curves(values: dict[str, Float]) -> Iterator[tuple[str, Float]]:
    """List parts of curves: 1 at one of several places in the order of the values, falling to 0 at the next ones."""
    for name, column in values.items():
        known = np.unique(column[~np.isnan(column)])
        if len(known) > 2 * KNOTS:
            knots = np.linspace(known[0], known[-1], KNOTS)
            knots = np.unique(np.concatenate([knots, np.quantile(column[~np.isnan(column)], np.linspace(0, 1, KNOTS))]))
            for place in range(len(knots)):
                part = np.interp(column, knots, np.eye(len(knots))[place])
                if varies(part):
                    yield name, standard(part)


def _products(values: dict[str, Float], most: int) -> list[tuple[str, Float]]:
    """Return the products of every two numbers and their squares, if there is room for them."""
    limited = {name: plain(column) for name, column in values.items()}
    scaled = {n: standard(column) for n, column in limited.items() if column is not None and varies(column)}
    pairs = list(combinations_with_replacement(scaled, 2))
    products = [
        (f"{one} × {other}", scaled[one] * scaled[other]) for one, other in (pairs if len(pairs) <= most else ())
    ]
    return [(name, standard(column)) for name, column in products if varies(column)]


def plain(values: Float) -> Float | None:
    """Return the values, those very far away nearer; None if all are missing."""
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, middle, high = np.quantile(known, (0.25, 0.5, 0.75))
    reach = FARTHEST * ((high - low) or float(known.std()))
    limited: Float = np.clip(values, middle - reach, middle + reach)
    return limited


def squares(values: Float) -> Float | None:
    """Return the squares of the values: of a distance it is a sum of products."""
    return plain(values**2)


def logs(values: Float) -> Float | None:
    """Return the logarithms of positive values; None if some are not."""
    known = values[~np.isnan(values)]
    return np.log(values) if len(known) and known.min() > 0 else None


def places(values: Float) -> Float | None:
    """Return the log odds of each value's place in the order; None if all are missing."""
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return None
    first, last = (np.searchsorted(known, values, side) for side in ("left", "right"))
    place = (first + last + 1) / (2.0 * len(known) + 2.0)
    odds: Float = np.where(np.isnan(values), np.nan, np.log(place / (1.0 - place)))
    return odds


def varies(values: Float) -> bool:
    """Tell whether numbers differ by more than rounding; the standard deviation of equal ones need not be exactly 0."""
    known = values[~np.isnan(values)]
    return len(known) > 0 and float(np.ptp(known)) > ROUNDING * float(np.abs(known).max())


def standard(values: Float) -> Float:
    """Return values of mean 0 and standard deviation 1; a missing one is 0."""
    scaled: Float = np.nan_to_num((values - np.nanmean(values)) / np.nanstd(values))
    return scaled


def codes_of(column: pl.Series) -> Int:
    """Return the level of every row: categories, most frequent ones first, or groups of numbers; missing is a level."""
    if column.dtype.is_numeric() and column.n_unique() > LEVELS:
        place_of_each = column.rank("average") / max(column.count(), 1)
        bins: Int = (place_of_each * BINS).floor().clip(0, BINS - 1).fill_null(BINS).cast(pl.Int64).to_numpy()
        return bins
    ranks = dense_ranks(align.as_text(column)).fill_null(-1).to_numpy().astype(np.int64) + 1
    counts = np.bincount(ranks)
    place = np.empty(len(counts), np.int64)
    place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    levels: Int = np.minimum(place, LEVELS)[ranks]
    return levels

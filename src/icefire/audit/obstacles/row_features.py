"""Features of original rows, by which released numbers are predicted: values, their logs, products, categories.

Also parts of dates, and values within groups: less the mean of the group, and by their place in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations_with_replacement, islice

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.audit.obstacles.date_parts import is_part
from icefire.audit.obstacles.group_features import within_groups
from icefire.audit.obstacles.numbered_values import distinct_values, numbered
from icefire.audit.obstacles.standard_features import Feature, Product, feature_of, product_of, varies
from icefire.audit.obstacles.text_counts import counts_of_characters
from icefire.core import align
from icefire.core.blocks import dense_ranks
from icefire.core.dataset import numbers
from icefire.kernels.types import Float, Int

Codes = NDArray[np.uint8]
"""Levels of the rows of a column; there are few."""
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


def features_of_rows(x: pl.DataFrame, codes: Mapping[str, Codes]) -> tuple[list[Feature | Product], int, int]:
    """Return features of the original rows, how many of them are of one column, and how many are no curves.

    Of one column are values, logs, places in the order, parts of dates, characters and categories. After them come
    products of two numbers, squares, and numbers within groups; last the parts that curves of one column are sums of.

    Args:
        x: The original columns.
        codes: The level of every row of each column, see `codes_of`.
    """
    every_value = {name: numbers(x[name]) for name in x.columns if x[name].dtype.is_numeric()}
    values = {name: column for name, column in every_value.items() if not is_part(name)}
    features: list[Feature] = list(islice(_of_one_column(x, every_value, values, codes), FEATURES))
    if not features:
        return [], 0, 0
    every: list[Feature | Product] = [*features, *_products(values, FEATURES - len(features))]
    groups = {name: levels for name, levels in codes.items() if x[name].n_unique() <= LEVELS}
    inside = (feature_of(name, column) for name, column in within_groups(values, groups) if varies(column))
    every += islice(inside, min(IN_GROUPS, HELD // x.height))
    straight = len(every)
    every += islice(_curves(values), min(FEATURES, HELD // x.height))
    return every, len(features), straight


def _of_one_column(
    x: pl.DataFrame, every_value: dict[str, Float], values: dict[str, Float], codes: Mapping[str, Codes]
) -> Iterator[Feature]:
    """List the features of one column that vary."""
    columns = ((name, every_value[name]) for name in every_value if is_part(name))
    yield from (feature_of(name, column) for name, column in columns if varies(column))
    for name, column in values.items():
        limits = limits_of(column)
        if limits is not None and varies(_clipped(column, limits)):
            yield feature_of(name, column, partial(_clipped, limits=limits))
    for name, column in values.items():
        known = logs(column)
        if known is not None and varies(known):
            yield feature_of(name, column, np.log)
    for name, column in values.items():
        odds = places(column)
        if odds is not None and varies(odds):
            yield feature_of(name, odds)
    for name in x.columns:
        if x[name].dtype == pl.String:
            counted = ((name, column) for column in counts_of_characters(x[name]))
            yield from (feature_of(name, column) for name, column in counted if varies(column))
    for name, levels in codes.items():
        if name not in values:
            counts = np.bincount(levels)
            often = [level for level in np.argsort(-counts, kind="stable")[:LEVELS] if counts[level] >= FEWEST]
            yield from (
                feature_of(name, levels, partial(_is_level, level=level))
                for level in often
                if counts[level] < len(levels)
            )


def _clipped(values: Float, limits: tuple[float, float]) -> Float:
    clipped: Float = np.clip(values, *limits)
    return clipped


def _is_level(codes: Int, level: int) -> Float:
    one: Float = (codes == level).astype(np.float64)
    return one


def _curves(values: dict[str, Float]) -> Iterator[Feature]:
    """List parts of curves: 1 at one of several places in the order of the values, falling to 0 at the next ones."""
    for name, column in values.items():
        known, _ = distinct_values(column)
        if len(known) > 2 * KNOTS:
            knots = np.linspace(known[0], known[-1], KNOTS)
            knots = np.unique(np.concatenate([knots, np.quantile(column[~np.isnan(column)], np.linspace(0, 1, KNOTS))]))
            for place in range(len(knots)):
                part = partial(_on_curve, knots=knots, heights=np.eye(len(knots))[place])
                if varies(part(column)):
                    yield feature_of(name, column, part)


def _on_curve(values: Float, knots: Float, heights: Float) -> Float:
    points: Float = np.interp(values, knots, heights)
    return points


def _products(values: dict[str, Float], most: int) -> list[Product]:
    """Return the products of every two numbers and their squares, if there is room for them."""
    scaled = {}
    for name, column in values.items():
        limits = limits_of(column)
        if limits is not None and varies(_clipped(column, limits)):
            scaled[name] = feature_of(name, column, partial(_clipped, limits=limits))
    pairs = list(combinations_with_replacement(scaled, 2))
    if len(pairs) > most:
        return []
    whole = {name: feature.of_rows(slice(None)) for name, feature in scaled.items()}
    products = (product_of(scaled[one], scaled[other], whole[one] * whole[other]) for one, other in pairs)
    return [product for product in products if product is not None]


def limits_of(values: Float) -> tuple[float, float] | None:
    """Return between which limits values are taken as they are; None if all are missing."""
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, middle, high = np.quantile(known, (0.25, 0.5, 0.75))
    reach = FARTHEST * ((high - low) or float(known.std()))
    return middle - reach, middle + reach


def plain(values: Float) -> Float | None:
    """Return the values, those very far away nearer; None if all are missing."""
    limits = limits_of(values)
    return None if limits is None else _clipped(values, limits)


def squares(values: Float) -> Float | None:
    """Return the squares of the values: of a distance it is a sum of products."""
    return plain(values**2)


def logs(values: Float) -> Float | None:
    """Return the logarithms of positive values; None if some are not."""
    known = values[~np.isnan(values)]
    return np.log(values) if len(known) and known.min() > 0 else None


def places(values: Float) -> Float | None:
    """Return the log odds of each value's place in the order; None if all are missing."""
    missing = np.isnan(values)
    known = values[~missing] if missing.any() else values
    if not len(known):
        return None
    _, number, counts = numbered(known)
    last = np.cumsum(counts)
    place = (2 * last - counts + 1) / (2.0 * len(known) + 2.0)
    odds: Float = np.full(len(values), np.nan)
    odds[~missing] = np.log(place / (1.0 - place))[number]
    return odds


def codes_of(column: pl.Series) -> Codes:
    """Return the level of every row: categories, most frequent ones first, or groups of numbers; missing is a level."""
    if column.dtype.is_numeric() and column.n_unique() > LEVELS:
        place_of_each = column.rank("average") / max(column.count(), 1)
        bins: Codes = (place_of_each * BINS).floor().clip(0, BINS - 1).fill_null(BINS).cast(pl.UInt8).to_numpy()
        return bins
    ranks = dense_ranks(align.as_text(column)).fill_null(-1).to_numpy().astype(np.int64) + 1
    counts = np.bincount(ranks)
    place = np.empty(len(counts), np.int64)
    place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    levels: Codes = np.minimum(place, LEVELS).astype(np.uint8)[ranks]
    return levels

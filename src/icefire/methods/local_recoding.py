"""Local recoding: groups of at least k similar rows get the same quasi-identifiers, each group its own.

With hierarchies a column of a group becomes the lowest common ancestor of its values. Without, it becomes a value
that occurs: the middle one of numbers, the most frequent one of categories. See docs/local_recoding.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from icefire import blocks
from icefire.dataset import Dataset
from icefire.errors import ParameterError
from icefire.hierarchy import TOP, Fitted
from icefire.kernels import mondrian
from icefire.kernels.recoding_tree import Codes, Float, Forest, Levels, costs, nodes, plant, summarise
from icefire.methods import local_classes
from icefire.methods.local_merging import Allowed, until_allowed, without_outliers
from icefire.methods.local_splitting import split
from icefire.release import Int
from icefire.schema import Kind


def local_recoding(
    data: Dataset,
    names: Sequence[str],
    *,
    k: int,
    rng: np.random.Generator,
    fitted: Sequence[Fitted] | None = None,
    max_suppressed: float = 0.0,
    allowed: Sequence[Allowed] = (),
) -> Dataset:
    """Give groups of at least k rows the same values of the columns named; all rows stay unless asked otherwise.

    `fitted` holds the hierarchy of every column, in the same order; None takes values that occur. Up to the share
    `max_suppressed` of the rows is left out, where a group loses more than half of its detail. All groups keep
    all promises in `allowed`.
    """
    if not names:
        raise ParameterError("k_anonymize: qi is empty; name at least one column")
    if not data.height:
        return data.noted(classes=0, suppressed=0)
    if k > data.height:
        raise ParameterError(f"k_anonymize: k is {k}, but the table has {data.height} rows; choose a smaller k")
    if fitted is None:
        return _by_value(data, names, k, max_suppressed, allowed)
    return _by_hierarchy(data, fitted, k, rng, max_suppressed, allowed)


def _by_hierarchy(
    data: Dataset,
    fitted: Sequence[Fitted],
    k: int,
    rng: np.random.Generator,
    max_suppressed: float,
    allowed: Sequence[Allowed],
) -> Dataset:
    """Release the lowest common ancestor of each class and column, as text; an untouched column stays as it is."""
    forest, first = plant([_levels(column) for column in fitted])
    codes = np.column_stack([column.numbers.astype(np.int32) for column in fitted])
    rows, start = local_classes.find(forest, codes, k, rng)
    rows, start = without_outliers(forest, codes, rows, start, max_suppressed)
    rows, start = _settled(forest, codes, rows, start, k, allowed)
    reps, levels = summarise(forest, codes[rows], start)
    found = nodes(forest, reps, levels)
    made = _kept(data, rows)
    classes = _class_of_kept(rows, start, data.height)
    columns = [
        _labels(column)[found[classes, place] - first[place]].alias(column.name)
        for place, column in enumerate(fitted)
        if levels[:, place].any()
    ]
    lost = _lost(forest, codes, rows, start) / (len(rows) * len(fitted))
    return made.with_columns(*columns).noted(
        classes=len(start) - 1, suppressed=data.height - len(rows), granularity=1 - lost
    )


def _settled(
    forest: Forest, codes: Codes, rows: Int, start: Int, k: int, allowed: Sequence[Allowed]
) -> tuple[Int, Int]:
    """Make classes keep the models: by joining these, or by cutting the whole table; whichever loses less."""
    if not allowed:
        return rows, start
    every = np.sort(rows)
    if not all(fine(every, np.array([0, len(every)])).all() for fine in allowed):
        raise ParameterError(
            "k_anonymize: even all rows in one class break the models asked for; ask for less, or leave them out"
        )
    downwards = split(forest, codes, every, k, allowed)
    upwards = until_allowed(forest, codes, rows, start, allowed, bound=_lost(forest, codes, *downwards))
    return upwards or downwards


def _lost(forest: Forest, codes: Codes, rows: Int, start: Int) -> float:
    """Sum what all cells lose."""
    reps, levels = summarise(forest, codes[rows], start)
    return float(costs(forest, reps, levels) @ np.diff(start))


def _levels(column: Fitted) -> Levels:
    """Describe a column to the kernels: nodes and losses of each level over the values that occur, one root on top.

    A node loses (leaves below it - 1) / (leaves of the whole tree - 1), as in ARX.
    """
    known = column.hierarchy
    most = max(known.size - 1, 1)
    levels = [
        (codes[column.places], np.minimum((leaves - 1) / most, 1.0))
        for codes, leaves in zip(known.codes, known.leaves, strict=True)
    ]
    if not known.closed:
        levels.append((np.zeros(len(column.places), np.int32), np.ones(1)))
    return levels


def _labels(column: Fitted) -> pl.Series:
    """Return the text of every node, in the order of the levels."""
    labels = list(column.hierarchy.labels)
    return pl.concat(labels if column.hierarchy.closed else [*labels, pl.Series([TOP])])


def _by_value(
    data: Dataset, names: Sequence[str], k: int, max_suppressed: float, allowed: Sequence[Allowed]
) -> Dataset:
    """Cut the table, Mondrian-wise, into regions; release the middle number and the most frequent category."""
    ranked = [_ranks(data.frame[name]) for name in names]
    numeric = [data.schema.kind(name) is Kind.NUMBER for name in names]
    codes = np.column_stack([ranks for ranks, _ in ranked])
    rows, start = mondrian.regions(codes, k)
    if max_suppressed or allowed:
        forest = _rank_forest([len(distinct) for _, distinct in ranked], numeric)
        narrow = codes.astype(np.int32)
        rows, start = without_outliers(forest, narrow, rows, start, max_suppressed)
        rows, start = _settled(forest, narrow, rows, start, k, allowed)
    made, classes = _kept(data, rows), _class_of_kept(rows, start, data.height)
    columns = []
    for name, number, (ranks, distinct) in zip(names, numeric, ranked, strict=True):
        chosen = (_middles if number else _modes)(ranks[rows], start)
        columns.append(distinct[chosen[classes]].alias(name))
    return made.with_columns(*columns).noted(regions=len(start) - 1, suppressed=data.height - len(rows))


def _kept(data: Dataset, rows: Int) -> Dataset:
    """Return the rows that stay, in the order of the table."""
    return data if len(rows) == data.height else data.take(np.sort(rows))


def _class_of_kept(rows: Int, start: Int, height: int) -> Int:
    """Return the class of every row that stays, in the order of the table."""
    classes = np.full(height, -1, np.int64)
    classes[rows] = np.repeat(np.arange(len(start) - 1), np.diff(start))
    return classes[classes >= 0]


def _rank_forest(sizes: Sequence[int], numeric: Sequence[bool]) -> Forest:
    """Say how far values are apart without hierarchies: neighbours join two by two, categories all at once."""
    return plant([_halving(size) if number else _flat(size) for size, number in zip(sizes, numeric, strict=True)])[0]


def _halving(size: int) -> Levels:
    levels: list[tuple[Codes, Float]] = []
    codes = np.arange(size, dtype=np.int32)
    while True:
        levels.append((codes, (np.bincount(codes) - 1) / max(size - 1, 1)))
        if not codes[-1]:
            return levels
        codes = codes // 2


def _flat(size: int) -> Levels:
    return [(np.arange(size, dtype=np.int32), np.zeros(size)), (np.zeros(size, np.int32), np.ones(1))]


def _ranks(column: pl.Series) -> tuple[Int, pl.Series]:
    """Number the values in order, missing first; returns the numbers and the values they stand for."""
    distinct = column.unique().sort(nulls_last=False)
    ranks = blocks.rank(column)
    if column.null_count():
        ranks = (ranks + 1).fill_null(0)
    return ranks.to_numpy().astype(np.int64), distinct


def _region_order(values: Int, start: Int) -> tuple[Int, Int]:
    """Sort values inside their regions; returns them and the region of each."""
    region = np.repeat(np.arange(len(start) - 1), np.diff(start))
    order = np.lexsort((values, region))
    return values[order], region


def _middles(values: Int, start: Int) -> Int:
    """The lower median of each region."""
    ordered, _ = _region_order(values, start)
    middle: Int = ordered[start[:-1] + (np.diff(start) - 1) // 2]
    return middle


def _modes(values: Int, start: Int) -> Int:
    """The most frequent value of each region; the lowest of several."""
    ordered, region = _region_order(values, start)
    fresh = np.concatenate([[True], (ordered[1:] != ordered[:-1]) | (region[1:] != region[:-1])])
    first = np.flatnonzero(fresh)
    length = np.diff(np.append(first, len(ordered)))
    by_length = np.lexsort((ordered[first], -length, region[first]))
    best = by_length[np.unique(region[first][by_length], return_index=True)[1]]
    modes: Int = ordered[first[best]]
    return modes

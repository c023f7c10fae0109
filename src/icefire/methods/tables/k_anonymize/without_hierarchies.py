"""Local recoding without hierarchies: a class gets values that occur, the middle number, the most frequent category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import Dataset
from icefire.core.schema import Kind
from icefire.kernels.recoding import mondrian
from icefire.kernels.recoding.value_trees import ColumnLevels, ValueForest, build_forest
from icefire.kernels.types import Float, Int, Int32
from icefire.methods.tables.k_anonymize.enforce_models import enforced, remaining
from icefire.methods.tables.k_anonymize.merge import ClassMerger, without_outliers
from icefire.models import Constraint


@dataclass(frozen=True, eq=False, slots=True)
class _RankedColumn:
    """A column as ranks of its values, missing first."""

    name: str
    ranks: Int
    distinct: pl.Series
    numeric: bool

    def chosen(self, rows: Int, start: Int) -> Int:
        """Return the rank that each region gets."""
        return (_middles if self.numeric else _modes)(self.ranks[rows], start)


def recoded_by_value(
    data: Dataset, names: Sequence[str], k: int, room: int, constraints: Sequence[Constraint]
) -> Dataset:
    """Cut the table, Mondrian-wise, into regions; release the middle number and the most frequent category."""
    columns = [_ranked(data, name) for name in names]
    codes = np.column_stack([column.ranks for column in columns])
    rows, start = mondrian.regions(codes, k)
    if room or constraints:
        rows, start = _enforced(columns, codes.astype(np.int32), rows, start, k, room, constraints)
    kept_rows, classes = remaining(data, rows, start)
    chosen = [column.distinct[column.chosen(rows, start)[classes]].alias(column.name) for column in columns]
    return kept_rows.with_columns(*chosen).noted(regions=len(start) - 1, suppressed=data.height - len(rows))


def _enforced(
    columns: Sequence[_RankedColumn],
    codes: Int32,
    rows: Int,
    start: Int,
    k: int,
    room: int,
    constraints: Sequence[Constraint],
) -> tuple[Int, Int]:
    """Leave outliers out and make the other regions keep the constraints."""
    forest = _forest(columns)

    def shown(rows: Int, start: Int) -> Int:
        return np.column_stack([column.chosen(rows, start) for column in columns])

    kept, start = without_outliers(forest, codes, rows, start, room)
    return enforced(ClassMerger(forest, codes, constraints, shown), kept, start, k, room - len(rows) + len(kept))


def _forest(columns: Sequence[_RankedColumn]) -> ValueForest:
    """Say how far values are apart without hierarchies: neighbours join two by two, categories all at once."""
    return build_forest([(_halving if column.numeric else _flat)(len(column.distinct)) for column in columns])[0]


def _halving(size: int) -> ColumnLevels:
    levels: list[tuple[Int32, Float]] = []
    codes = np.arange(size, dtype=np.int32)
    while True:
        levels.append((codes, (np.bincount(codes) - 1) / max(size - 1, 1)))
        if not codes[-1]:
            return levels
        codes = codes // 2


def _flat(size: int) -> ColumnLevels:
    return [(np.arange(size, dtype=np.int32), np.zeros(size)), (np.zeros(size, np.int32), np.ones(1))]


def _ranked(data: Dataset, name: str) -> _RankedColumn:
    """Number the values in order, missing first."""
    column = data.frame[name]
    ranks = blocks.dense_ranks(column)
    if column.null_count():
        ranks = (ranks + 1).fill_null(0)
    distinct = column.unique().sort(nulls_last=False)
    return _RankedColumn(name, ranks.to_numpy().astype(np.int64), distinct, data.schema.kind(name) is Kind.NUMBER)


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

"""Every column of both tables: the distance of its two distributions, and its cells in tables of several columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire.core.errors import UndefinedError
from icefire.core.parameters import Columns
from icefire.core.release import Comparison
from icefire.core.schema import Role
from icefire.core.scorecard.distances import ColumnDistance
from icefire.kernels.common.value_counts import look_up, narrowest
from icefire.kernels.types import Float, Int
from icefire.measures.released_values import ReadColumn, read_pair

TENTHS = 10
MOST_VALUES = 50
"""Text of more values than this is divided into tenths, in order of the values."""


@dataclass(frozen=True, slots=True)
class CellColumn:
    """The cells 0 … cells - 1 of a column in a table; cells + b is label b, which stands for several in parts."""

    name: str
    cells: int
    known: NDArray[np.integer[Any]]
    """The cell of every original row."""
    shown: NDArray[np.integer[Any]]
    """The cell, or the label, of every released row."""
    start: Int
    """Label b has the part part[i] in the cell cell[i], for i from start[b] to start[b + 1]."""
    cell: Int
    part: Float

    @property
    def labels(self) -> int:
        """Number of labels that stand for several cells."""
        return len(self.start) - 1


@dataclass(frozen=True, slots=True)
class ColumnShares:
    """The distinct values of a column and the share of the rows that have each; the last share is of missing ones."""

    name: str
    values: pl.Series
    is_number: bool
    known: Float
    shown: Float


@dataclass(frozen=True, slots=True)
class ComparedColumns:
    """The distances of the columns, and the cells and shares of those that the release has."""

    distances: list[ColumnDistance]
    cells: list[CellColumn]
    shares: list[ColumnShares]


def shares_of(column: ReadColumn) -> ColumnShares:
    """Return the distributions of a column in both tables."""
    return ColumnShares(column.name, column.values, column.is_number, column.known_shares(), column.shown_shares())


def compare_columns(comparison: Comparison, columns: Columns = None) -> ComparedColumns:
    """Compare the columns named, by default all that do not identify; computed once for all measures."""
    return comparison.case.cached(("compared columns", columns), lambda: _compared(comparison, columns))


def described_columns(comparison: Comparison, columns: Columns) -> tuple[str, ...]:
    """Return the columns named, or all that do not identify people."""
    every = [column.name for column in comparison.original.schema.columns if column.role is not Role.ID]
    names = comparison.original.schema.pick(columns, every, "columns", lost_too=True)
    if not names:
        raise UndefinedError("there is no column to compare; name some in the parameter columns")
    if not comparison.original.height or not comparison.released.height:
        raise UndefinedError("a table without rows has no distribution to compare")
    return names


def _compared(comparison: Comparison, columns: Columns) -> ComparedColumns:
    distances, cells, shares = [], [], []
    shown = comparison.released.frame
    schema = comparison.original.schema
    roles = {column.name: str(column.role) for column in (*schema.columns, *schema.not_released)}
    for name in described_columns(comparison, columns):
        if name not in shown.columns:
            distances.append(ColumnDistance(name, roles[name], "lost", 1.0))
            continue
        column = read_pair(comparison.case, name)
        distances.append(column_distance(column, roles[name]))
        cells.append(cell_column(column))
        shares.append(shares_of(column))
    return ComparedColumns(distances, _of_one_type(cells), shares)


def _of_one_type(columns: list[CellColumn]) -> list[CellColumn]:
    """Return columns whose cells are all of the narrowest type that all fit in: tables are compiled for one type."""
    narrow = narrowest(max((column.cells + column.labels for column in columns), default=0))
    return [
        replace(column, known=column.known.astype(narrow, copy=False), shown=column.shown.astype(narrow, copy=False))
        for column in columns
    ]


def column_distance(column: ReadColumn, role: str) -> ColumnDistance:
    """Measure how far a column moved: numbers by the way, others by the share of the rows with another value."""
    if column.is_number and np.ptp(_original_numbers(column)) > 0:
        return ColumnDistance(column.name, role, "wasserstein", wasserstein(column), column.labelled)
    return ColumnDistance(column.name, role, "total_variation", total_variation(column), column.labelled)


def total_variation(column: ReadColumn) -> float:
    """Share of the rows that would have to take another value; missing is a value."""
    return half_sum(column.known_shares() - column.shown_shares())


def half_sum(differences: Float) -> float:
    """Half of the sum of the absolute differences of two distributions, at most 1 whatever the rounding."""
    return min(1.0, float(np.abs(differences).sum() / 2))


def wasserstein(column: ReadColumn) -> float:
    """Mean way that the numbers would have to move, as a share of the range of the original.

    A difference in the share of missing cells counts in full, the distance of the others for rows with a value.
    """
    p, q = column.known_shares(), column.shown_shares()
    gap, most = abs(p[-1] - q[-1]), max(p[-1], q[-1])
    if most >= 1:
        return float(gap)
    numbers = column.numbers
    excess = np.cumsum(p[:-1] / (1 - p[-1]) - q[:-1] / (1 - q[-1]))[:-1]
    moved = float(np.abs(excess) @ np.diff(numbers)) / float(np.ptp(_original_numbers(column)))
    return float(gap + (1 - most) * moved)


def _original_numbers(column: ReadColumn) -> Float:
    """The numbers that occur in the original; a single 0 if it has none."""
    occupied = np.flatnonzero(column.known_counts[:-1])
    return column.numbers[occupied] if len(occupied) else np.zeros(1)


def cell_column(column: ReadColumn) -> CellColumn:
    """Put numbers into tenths of the original; each text value is a cell, and so is missing, the last.

    Text of many values (codes, names, days) is divided in its order: a label of such a column may stand for thousands
    of values, and a table of three such columns would have billions of cells.
    """
    cell_of = _cell_of_each_value(column)
    missing = int(cell_of.max(initial=-1)) + 1
    start, cells, parts = [0], [np.zeros(0, np.int64)], [np.zeros(0)]
    for first, last in zip(column.start[:-1].tolist(), column.start[1:].tolist(), strict=True):
        counts = np.bincount(cell_of[column.covered[first:last]])
        cells.append(np.flatnonzero(counts))
        parts.append(counts[cells[-1]] / (last - first))
        start.append(start[-1] + len(cells[-1]))
    table = np.concatenate([cell_of, [missing], missing + 1 + np.arange(len(column.start) - 1)])
    table = table.astype(narrowest(int(table.max()) + 1))
    return CellColumn(
        column.name,
        missing + 1,
        look_up(column.known, 0, table),
        look_up(column.shown, 0, table),
        np.array(start),
        np.concatenate(cells),
        np.concatenate(parts),
    )


def _cell_of_each_value(column: ReadColumn) -> Int:
    counts = column.known_counts[:-1]
    if column.is_number:
        return _tenth_of_each_value(column.numbers, counts)
    if column.size > MOST_VALUES:
        return _tenth_of_each_value(np.arange(column.size, dtype=np.float64), counts)
    return np.arange(column.size)


def _tenth_of_each_value(numbers: Float, counts: Int) -> Int:
    """Number the tenths of the original from the lowest; a value that fills more than one is a cell of its own."""
    if not counts.sum():
        return np.zeros(len(numbers), np.int64)
    edges = _weighted_quantiles(numbers, counts)
    edges, repeats = np.unique(edges, return_counts=True)
    cell: Int = np.searchsorted(edges, numbers) + np.searchsorted(edges[repeats > 1], numbers, "right")
    return np.unique(cell, return_inverse=True)[1].reshape(-1)


def _weighted_quantiles(numbers: Float, counts: Int) -> Float:
    """The nine quantiles between the tenths, linear between neighbours, of numbers that occur so often."""
    place = np.arange(1, TENTHS) / TENTHS * (counts.sum() - 1)
    below, ends = np.floor(place).astype(np.int64), np.cumsum(counts)
    low = numbers[np.searchsorted(ends, below, "right")]
    high = numbers[np.searchsorted(ends, np.minimum(below + 1, counts.sum() - 1), "right")]
    quantiles: Float = low + (place - below) * (high - low)
    return quantiles

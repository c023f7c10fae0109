"""Total variation of the joint tables of two or three columns, between the original and the release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icefire.core import seeds
from icefire.kernels.grouping.joint_counts import joint_counts
from icefire.kernels.grouping.packed_keys import TABLE_LIMIT
from icefire.kernels.types import Float, Int
from icefire.measures.compared_columns import CellColumn, half_sum

FEW_CELLS = 1 << 16
"""Tables of more cells than this and than rows are counted by sorting."""


@dataclass(frozen=True)
class JointTables:
    """The columns of both tables as cells."""

    columns: Sequence[CellColumn]

    @property
    def rows(self) -> tuple[int, int]:
        """Number of original and of released rows."""
        return len(self.columns[0].known), len(self.columns[0].shown)

    def counts(self, chosen: tuple[int, ...]) -> tuple[Int, Int]:
        """Count the original rows in every cell of the table of some columns, and the released ones; labels are cells.

        Args:
            chosen: The columns.

        Returns:
            The counts of the original and of the release; the last column's cell varies fastest.
        """
        used = [self.columns[place] for place in chosen]
        sizes = np.array([column.cells + column.labels for column in used])
        return joint_counts([column.known for column in used], sizes), joint_counts([c.shown for c in used], sizes)

    def _shares(self, chosen: tuple[int, ...]) -> tuple[Float, Float]:
        """Return the same as shares of the rows."""
        (before, after), (rows, rows_released) = self.counts(chosen), self.rows
        return before / rows, after / rows_released

    def distance(self, chosen: tuple[int, ...]) -> float:
        """Total variation of the joint table of some columns: share of the rows that would have to change cell."""
        used = [self.columns[place] for place in chosen]
        sizes = np.array([column.cells + column.labels for column in used])
        if math.prod(sizes.tolist()) > min(max(FEW_CELLS, sum(self.rows)), TABLE_LIMIT):
            return _sparse_distance(used, sizes)
        before, after = self._shares(chosen)
        if any(column.labels for column in used):
            occupied = np.flatnonzero(after)
            keys, shares = _with_labels_divided(occupied, after[occupied], used, sizes)
            after = np.bincount(keys, shares, len(before)).astype(np.float64)
        return half_sum(before - after)

    def shares_of_pair(self, chosen: tuple[int, int]) -> tuple[Float, Float]:
        """Return the joint tables of two columns with few cells, original and release, as shares of the rows."""
        used = [self.columns[place] for place in chosen]
        sizes = np.array([column.cells + column.labels for column in used])
        before, after = self._shares(chosen)
        occupied = np.flatnonzero(after)
        keys, shares = _with_labels_divided(occupied, after[occupied], used, sizes)
        divided = np.bincount(keys, shares, len(before))
        first, second = (
            table.reshape(sizes)[: used[0].cells, : used[1].cells].astype(np.float64) for table in (before, divided)
        )
        return first, second


def _sparse_distance(used: Sequence[CellColumn], sizes: Int) -> float:
    """Total variation over the occupied cells alone, for tables of many cells."""
    before, shares = _occupied([column.known for column in used], sizes)
    after, parts = _occupied([column.shown for column in used], sizes)
    after, parts = _with_labels_divided(after, parts, used, sizes)
    _, cell = np.unique(np.concatenate([before, after]), return_inverse=True)
    differences: Float = np.bincount(cell.reshape(-1), np.concatenate([shares, -parts])).astype(np.float64)
    return half_sum(differences)


def _occupied(codes: Sequence[NDArray[np.integer[Any]]], sizes: Int) -> tuple[Int, Float]:
    """Return the keys of the occupied cells and their shares of the rows."""
    keys = np.zeros(len(codes[0]), np.int64)
    for column, size in zip(codes, sizes.tolist(), strict=True):
        keys = keys * size + column
    occupied, counts = np.unique(keys, return_counts=True)
    return occupied, counts / len(keys)


def _with_labels_divided(keys: Int, shares: Float, used: Sequence[CellColumn], sizes: Int) -> tuple[Int, Float]:
    """Divide the shares of cells that labels make among the cells that the labels stand for."""
    for place, column in enumerate(used):
        if column.labels:
            keys, shares = _joined(*_divided(keys, shares, place, sizes, column))
    return keys, shares


def _joined(keys: Int, shares: Float) -> tuple[Int, Float]:
    """Add up the shares of equal keys, so that dividing the next column does not repeat them."""
    distinct, places = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(places.reshape(-1), shares, len(distinct)).astype(np.float64)


def _divided(keys: Int, shares: Float, place: int, sizes: Int, column: CellColumn) -> tuple[Int, Float]:
    """Replace each label of one column by its cells, with its share divided among them."""
    unit = math.prod(sizes[place + 1 :].tolist())
    digit = keys // unit % sizes[place]
    rows = np.flatnonzero(digit >= column.cells)
    labels = digit[rows] - column.cells
    widths = np.diff(column.start)[labels]
    source = np.repeat(rows, widths)
    ends = np.cumsum(widths)
    inside = np.arange(len(source)) - np.repeat(ends - widths, widths) + np.repeat(column.start[labels], widths)
    new_keys = keys[source] + (column.cell[inside] - digit[source]) * unit
    plain = digit < column.cells
    return np.concatenate([keys[plain], new_keys]), np.concatenate(
        [shares[plain], shares[source] * column.part[inside]]
    )


def choose_tables(columns: int, width: int, most: int) -> list[tuple[int, ...]]:
    """Return every set of `width` columns, or a random draw of `most` sets; neighbouring columns are always in it.

    So every column takes part where there are no more columns than sets. The draw is the same each time.
    """
    if math.comb(columns, width) <= most:
        return list(combinations(range(columns), width))
    chosen = {tuple(range(first, first + width)) for first in range(min(columns - width + 1, most))}
    rng = seeds.generator(seeds.DEFAULT_SEED, "measure", "joint tables", str(width))
    while len(chosen) < most:
        draws = np.sort(rng.integers(0, columns, (most, width)), axis=1)
        for draw in draws[(np.diff(draws, axis=1) > 0).all(axis=1)].tolist():
            if len(chosen) < most:
                chosen.add(tuple(draw))
    return sorted(chosen)

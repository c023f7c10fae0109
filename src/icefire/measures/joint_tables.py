"""Total variation of the joint tables of two or three columns, between the original and the release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from icefire.core import seeds
from icefire.kernels.grouping.joint_counts import joint_counts
from icefire.kernels.grouping.packed_keys import TABLE_LIMIT
from icefire.kernels.types import Float, Int, Int32
from icefire.measures.compared_columns import CellColumn, half_sum

FEW_CELLS = 1 << 16
"""Tables of more cells than this and than rows are counted by sorting."""


@dataclass(frozen=True)
class JointTables:
    """The columns of both tables as cells."""

    columns: Sequence[CellColumn]

    @cached_property
    def known(self) -> Int32:
        """The cells of the original, columns × rows."""
        return np.stack([column.known for column in self.columns])

    @cached_property
    def shown(self) -> Int32:
        """The cells and labels of the release, columns × rows."""
        return np.stack([column.shown for column in self.columns])

    def distance(self, chosen: tuple[int, ...]) -> float:
        """Total variation of the joint table of some columns: share of the rows that would have to change cell."""
        used = [self.columns[place] for place in chosen]
        sizes = np.array([column.cells + column.labels for column in used])
        rows = self.known.shape[1] + self.shown.shape[1]
        if math.prod(sizes.tolist()) > min(max(FEW_CELLS, rows), TABLE_LIMIT):
            return self._sparse_distance(chosen, used, sizes)
        before = joint_counts(self.known, np.array(chosen), sizes) / self.known.shape[1]
        after = joint_counts(self.shown, np.array(chosen), sizes) / self.shown.shape[1]
        if any(column.labels for column in used):
            occupied = np.flatnonzero(after)
            keys, shares = _with_labels_divided(occupied, after[occupied], used, sizes)
            after = np.bincount(keys, shares, len(before))
        return half_sum(before - after)

    def shares_of_pair(self, chosen: tuple[int, int]) -> tuple[Float, Float]:
        """Return the joint tables of two columns with few cells, original and release, as shares of the rows."""
        used = [self.columns[place] for place in chosen]
        sizes = np.array([column.cells + column.labels for column in used])
        before = joint_counts(self.known, np.array(chosen), sizes) / self.known.shape[1]
        after = joint_counts(self.shown, np.array(chosen), sizes) / self.shown.shape[1]
        occupied = np.flatnonzero(after)
        keys, shares = _with_labels_divided(occupied, after[occupied], used, sizes)
        divided = np.bincount(keys, shares, len(before))
        first, second = (
            table.reshape(sizes)[: used[0].cells, : used[1].cells].astype(np.float64) for table in (before, divided)
        )
        return first, second

    def _sparse_distance(self, chosen: tuple[int, ...], used: Sequence[CellColumn], sizes: Int) -> float:
        """The same over the occupied cells alone, for tables of many cells."""
        before, shares = _occupied([self.known[place] for place in chosen], sizes)
        after, parts = _occupied([self.shown[place] for place in chosen], sizes)
        after, parts = _with_labels_divided(after, parts, used, sizes)
        _, cell = np.unique(np.concatenate([before, after]), return_inverse=True)
        differences: Float = np.bincount(cell.reshape(-1), np.concatenate([shares, -parts])).astype(np.float64)
        return half_sum(differences)


def _occupied(codes: Sequence[Int32], sizes: Int) -> tuple[Int, Float]:
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

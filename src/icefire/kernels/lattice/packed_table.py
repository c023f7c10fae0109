"""A table as packed keys, and its classes at any levels of generalisation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icefire.kernels.grouping import packed_keys
from icefire.kernels.lattice import class_keys
from icefire.kernels.lattice.key_layout import WORD_BITS, KeyLayout, LatticeColumn
from icefire.kernels.types import Int, Int32

Levels = tuple[int, ...]
"""A node of the lattice: one level per column."""

DENSE_LEAST, DENSE_TIMES, DENSE_MOST = 1 << 16, 32, 1 << 24
"""Possible classes up to the first number, or so many times those there are, are counted in an array, not hashed."""


@dataclass(frozen=True, eq=False, slots=True)
class LatticeClasses:
    """The classes at some levels: their distinct keys (n × words) and how many rows have each (n)."""

    levels: Levels
    keys: Int
    counts: Int32

    def __len__(self) -> int:
        return len(self.counts)


class PackedTable:
    """The rows of a table as packed keys, and the distinct keys with their counts."""

    def __init__(
        self, columns: Sequence[LatticeColumn], codes: Sequence[Int32], rows: int, counts: Int32 | None = None
    ) -> None:
        """Pack the codes of each column, one per row; or one per distinct row, with the rows that each stands for."""
        self.layout = KeyLayout(tuple(columns))
        self.rows = rows
        self.keys = self.layout.pack(codes, rows if counts is None else len(counts))
        self.counts = counts
        self.ground: Levels = (0,) * len(columns)
        self.base = self._distinct()

    @property
    def columns(self) -> tuple[LatticeColumn, ...]:
        """The quasi-identifiers."""
        return self.layout.columns

    @property
    def single_rows(self) -> LatticeClasses:
        """Every row as a class of its own; every distinct row with its count, where the table holds those."""
        counts = np.ones(self.rows, np.int32) if self.counts is None else self.counts
        return LatticeClasses(self.ground, self.keys, counts)

    def _distinct(self) -> LatticeClasses:
        """Return the distinct rows with their counts."""
        if self.layout.words == 1 and self.counts is None:
            # Sorting plain numbers is faster than hashing them, and neighbours in the order share their classes.
            return LatticeClasses(self.ground, *class_keys.count_runs(np.sort(self.keys[:, 0])))
        return self.merge_by_hash(self.single_rows, self.ground)[0]

    def merge(self, source: LatticeClasses, levels: Levels) -> LatticeClasses:
        """Merge classes to higher levels."""
        bits = int(source.counts.max()).bit_length()
        if self.layout.words > 1 or self.layout.bits + bits > WORD_BITS:
            return self.merge_by_hash(source, levels)[0]
        packed = np.empty(len(source), np.int64)
        table = self._lookup_in_place(source, levels)
        class_keys.keys_with_counts(source.keys, source.counts, self.layout.slices, table, bits, packed)
        packed.sort()
        return LatticeClasses(levels, *class_keys.merge_sorted(packed, bits))

    def merge_by_hash(self, source: LatticeClasses, levels: Levels) -> tuple[LatticeClasses, Int32]:
        """Merge classes to higher levels, for keys of any length; returns them and the class each became."""
        bits = max(4, (2 * len(source)).bit_length())
        table = self._lookup_in_place(source, levels)
        keys, counts, places = class_keys.merge_keys(source.keys, source.counts, self.layout.slices, table, bits)
        return LatticeClasses(levels, keys, counts), places

    def _lookup_in_place(self, source: LatticeClasses, levels: Levels) -> Int:
        """Return the look-up table that leaves every column in its field."""
        return self.layout.table(source.levels, levels, np.int64(1) << self.layout.fields[:, 1])

    def class_sizes(self, source: LatticeClasses, levels: Levels) -> tuple[NDArray[np.integer], Int32]:
        """Return for every class of the source its class at `levels`, and the rows of each of those."""
        weights, total = self.layout.dense(levels)
        if not is_dense(total, len(source)):
            merged, places = self.merge_by_hash(source, levels)
            return places, merged.counts
        places = np.empty(len(source), np.int32)
        table = self.layout.table(source.levels, levels, weights)
        class_keys.classes_of_keys(source.keys, self.layout.slices, table, places)
        sizes = np.zeros(total, np.int32)
        class_keys.add_counts(places, source.counts, sizes)
        return places, sizes

    def group_rows(self, levels: Levels) -> tuple[Int, Int]:
        """Return the rows sorted by their class at `levels`, and where each class begins."""
        weights, total = self.layout.dense(levels)
        places = np.empty(self.rows, np.int64)
        if total < 1 << 62:
            table = self.layout.table(self.ground, levels, weights)
            class_keys.classes_of_keys(self.keys, self.layout.slices, table, places)
        else:
            places[:] = self.merge_by_hash(self.single_rows, levels)[1]
            total = self.rows
        rows, start, _, _ = packed_keys.group_rows(places, total, self.rows)
        return rows, start


def is_dense(possible: int, present: int) -> bool:
    """Tell whether so many possible classes are better counted in an array than hashed."""
    return possible <= max(DENSE_LEAST, min(DENSE_MOST, DENSE_TIMES * present))

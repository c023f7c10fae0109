"""What each node of the lattice suppresses and loses, counted from the smallest set of classes that will do."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icefire.kernels.lattice import class_keys
from icefire.kernels.lattice.key_layout import LatticeColumn
from icefire.kernels.lattice.packed_table import LatticeClasses, Levels, PackedTable
from icefire.kernels.lattice.population import LatticePopulation
from icefire.kernels.types import Int, Int32

SMALL = 1 << 13
"""Up to so many classes, or a sixteenth of the distinct rows, are few enough to be counted anew for every node."""
WORTH = 0.7
"""Merged classes are kept only if they are fewer than this share of those they were made from."""
BUDGET = 1 << 24
"""Merged classes kept at most: some 250 MB."""


@dataclass(frozen=True, eq=False, slots=True)
class NodeOutcome:
    """What one node of the lattice does to the table."""

    levels: Levels
    suppressed: int
    lost: Int | None
    """By column and level: values lost by the suppressed rows beyond generalisation; None if there are too many."""


class LatticeTable:
    """A packed table, the population it was drawn from (if known), and a cache of merged classes."""

    def __init__(self, packed: PackedTable, population: LatticePopulation | None = None) -> None:
        """Start with the distinct rows as the only classes in the cache."""
        self.packed, self.population = packed, population
        self._kept: OrderedDict[Levels, LatticeClasses] = OrderedDict({packed.ground: packed.base})
        self._held = len(packed.base)
        self._lost: dict[tuple[int, int], Int] = {}

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.packed.rows

    @property
    def columns(self) -> tuple[LatticeColumn, ...]:
        """The quasi-identifiers."""
        return self.packed.columns

    def source_for(self, levels: Levels) -> LatticeClasses:
        """Return the smallest set of classes in the cache, or worth adding, from which those at `levels` follow.

        Not for use by several threads at once.
        """
        source, prefix = self.packed.base, self.packed.ground
        for j in self.packed.layout.order:
            if levels[j] == 0:
                continue
            below = prefix
            prefix = (*prefix[:j], levels[j], *prefix[j + 1 :])
            if prefix not in self._kept:
                if len(source) <= max(SMALL, len(self.packed.base) // 16):
                    break
                self._keep(prefix, self._best_below(below, j, levels[j]))
            source = self._kept[prefix]
            self._kept.move_to_end(prefix)
        return source

    def _best_below(self, prefix: Levels, j: int, level: int) -> LatticeClasses:
        """Take the classes already merged to a lower level of the same column, where there are some."""
        for lower in range(level - 1, 0, -1):
            classes = self._kept.get((*prefix[:j], lower, *prefix[j + 1 :]))
            if classes is not None:
                return classes
        return self._kept[prefix]

    def _keep(self, levels: Levels, source: LatticeClasses) -> None:
        """Add the classes at `levels` to the cache, and drop the least recently used where it is full."""
        merged = self.packed.merge(source, levels)
        self._kept[levels] = merged if len(merged) < WORTH * len(source) else source
        self._held += len(self._kept[levels])
        while self._held > max(BUDGET, 4 * len(self.packed.base)) and len(self._kept) > 2:
            oldest = next(key for key in self._kept if key not in (self.packed.ground, levels))
            self._held -= len(self._kept.pop(oldest))

    def outcome(self, source: LatticeClasses, levels: Levels, k: int, limit: int) -> NodeOutcome:
        """Count the rows in classes of fewer than k at `levels`, and what they lose if they are not too many.

        Args:
            source: Classes from which those at `levels` follow; see `source_for`.
            levels: The node.
            k: Least size of a class that is released.
            limit: Rows that may be suppressed at most.

        Returns:
            The suppressed rows; what they lose unless they are more than the limit.
        """
        places, sizes = self.packed.class_sizes(source, levels)
        suppressed, too_many = int(class_keys.rows_in_small_classes(sizes, k)), 0
        if self.population is not None:
            people = self.population.count_in_classes(source, levels, places, len(sizes))
            too_many = self.population.rows_in_excess(sizes, people)
            sizes = self.population.admitted_sizes(sizes, people)
            suppressed = int(source.counts[sizes[places] < k].sum())
        lost = None if max(suppressed, too_many) > limit else self._losses(source, places, sizes, k)
        return NodeOutcome(levels, suppressed, lost)

    def _losses(self, source: LatticeClasses, places: NDArray[np.integer], sizes: Int32, k: int) -> Int:
        """Return what the rows in classes of fewer than k lose, by column and level."""
        widths = [column.codes(level) for column, level in zip(self.columns, source.levels, strict=True)]
        begin = np.cumsum([0, *widths])
        codes = np.zeros(begin[-1], np.int64)
        fields = self.packed.layout.fields
        class_keys.codes_in_small_classes(source.keys, source.counts, places, sizes, k, fields, begin, codes)
        return self._losses_of_codes(codes, begin, source.levels)

    def _losses_of_codes(self, counts: Int, begin: Int, levels: Levels) -> Int:
        """Turn counts of suppressed codes at `levels` into values lost by column and level."""
        out = np.zeros((len(self.columns), max(column.levels for column in self.columns)), np.int64)
        for j, column in enumerate(self.columns):
            if (j, levels[j]) not in self._lost:
                self._lost[j, levels[j]] = column.lost(levels[j])
            out[j, : column.levels] = self._lost[j, levels[j]] @ counts[begin[j] : begin[j + 1]]
        return out

    def losses_of_rows(self, rows: Int) -> Int:
        """Return values lost by column and level if these rows are suppressed."""
        counts = [
            np.bincount((self.packed.keys[rows, word] >> shift) & mask, minlength=column.codes(0))
            for column, (word, shift, mask) in zip(self.columns, self.packed.layout.fields, strict=True)
        ]
        return self._losses_of_codes(np.concatenate(counts), np.cumsum([0, *map(len, counts)]), self.packed.ground)

    def values_covered(self) -> Int:
        """By column and level: how many values of the hierarchy all released values together may stand for."""
        base = self.packed.base
        out = np.zeros((len(self.columns), max(column.levels for column in self.columns)), np.int64)
        for j, (column, (word, shift, mask)) in enumerate(zip(self.columns, self.packed.layout.fields, strict=True)):
            values = (base.keys[:, word] >> shift) & mask
            counts = np.zeros(column.codes(0), np.int64)
            class_keys.add_counts(values, base.counts, counts)
            for level in range(column.levels):
                out[j, level] = counts @ column.leaves[level][column.maps[level]]
        return out

    def class_size_of_rows(self, levels: Levels) -> Int32:
        """Return for every row the size of its class at `levels`, 0 if too few people may be in it."""
        rows = self.packed.single_rows
        places, sizes = self.packed.class_sizes(rows, levels)
        if self.population is not None:
            people = self.population.count_in_classes(rows, levels, places, len(sizes))
            sizes = self.population.admitted_sizes(sizes, people)
        by_row: Int32 = sizes[places]
        return by_row

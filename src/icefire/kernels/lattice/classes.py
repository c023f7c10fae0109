"""The classes of a table at any levels of generalisation, made from the smallest set of classes that will do."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from icefire.kernels.grouping import packed_keys
from icefire.kernels.lattice import class_keys
from icefire.kernels.lattice.key_layout import WORD_BITS, KeyLayout, LatticeColumn
from icefire.kernels.types import Int, Int32

if TYPE_CHECKING:
    from icefire.kernels.lattice.population import LatticePopulation

Levels = tuple[int, ...]

SMALL = 1 << 13
"""Classes below this, or a sixteenth of the distinct rows, are few enough to be counted anew for every node."""
WORTH = 0.7
"""Merged classes are kept only if they are fewer than this share of those they were made from."""
BUDGET = 1 << 24
"""Merged classes kept at most: some 250 MB."""
DENSE_LEAST, DENSE_TIMES, DENSE_MOST = 1 << 16, 32, 1 << 24
"""Possible classes up to the first number, or so many times those there are, are counted in a table, not hashed."""


@dataclass(frozen=True, eq=False, slots=True)
class ClassCounts:
    """Distinct keys at some levels and how many rows have each."""

    levels: Levels
    keys: Int
    counts: Int32

    def __len__(self) -> int:
        return len(self.counts)


@dataclass(frozen=True, eq=False, slots=True)
class NodeOutcome:
    """What one node of the lattice does to the table."""

    levels: Levels
    suppressed: int
    lost: Int | None
    """By column and level: values lost by the suppressed rows beyond generalisation; None if there are too many."""


class LatticeTable:
    """Rows as packed keys, their distinct ones, and merged classes kept for reuse."""

    def __init__(
        self,
        columns: Sequence[LatticeColumn],
        codes: Sequence[Int32],
        rows: int,
        people: LatticePopulation | None = None,
    ) -> None:
        self.layout = KeyLayout(tuple(columns))
        self.rows, self.people = rows, people
        self.keys = self.layout.pack(codes, rows)
        self.ground = (0,) * len(columns)
        self.base = self._distinct()
        self._kept: OrderedDict[Levels, ClassCounts] = OrderedDict({self.ground: self.base})
        self._held = len(self.base)
        self._lost: dict[tuple[int, int], Int] = {}

    @property
    def columns(self) -> tuple[LatticeColumn, ...]:
        """The quasi-identifiers."""
        return self.layout.columns

    def _distinct(self) -> ClassCounts:
        if self.layout.words == 1:
            # Sorting plain numbers is faster than hashing them, and neighbours in the order share their classes.
            return ClassCounts(self.ground, *class_keys.count_runs(np.sort(self.keys[:, 0])))
        return self.hashed(self._each, self.ground)[0]

    def _merged(self, source: ClassCounts, levels: Levels) -> ClassCounts:
        """Merge classes to higher levels."""
        bits = int(source.counts.max()).bit_length()
        if self.layout.words > 1 or self.layout.bits + bits > WORD_BITS:
            return self.hashed(source, levels)[0]
        packed = np.empty(len(source), np.int64)
        class_keys.keys_with_counts(
            source.keys, source.counts, self.layout.slices, self._shifted(source, levels), bits, packed
        )
        packed.sort()
        return ClassCounts(levels, *class_keys.merge_sorted(packed, bits))

    def hashed(self, source: ClassCounts, levels: Levels) -> tuple[ClassCounts, Int32]:
        """Merge classes that may have long keys; returns them and the one each became."""
        bits = max(4, (2 * len(source)).bit_length())
        table = self._shifted(source, levels)
        keys, counts, places = class_keys.merge_keys(source.keys, source.counts, self.layout.slices, table, bits)
        return ClassCounts(levels, keys, counts), places

    def _shifted(self, source: ClassCounts, levels: Levels) -> Int:
        """The look-up table that leaves every column in its field."""
        return self.layout.table(source.levels, levels, np.int64(1) << self.layout.fields[:, 1])

    def near(self, levels: Levels) -> ClassCounts:
        """Return the smallest set of classes at hand, or worth making, from which those at `levels` follow."""
        source, prefix = self.base, self.ground
        for j in self.layout.order:
            if levels[j] == 0:
                continue
            below = prefix
            prefix = (*prefix[:j], levels[j], *prefix[j + 1 :])
            if prefix not in self._kept:
                if len(source) <= max(SMALL, len(self.base) // 16):
                    break
                self._keep(prefix, self._best_below(below, j, levels[j]))
            source = self._kept[prefix]
            self._kept.move_to_end(prefix)
        return source

    def _best_below(self, prefix: Levels, j: int, level: int) -> ClassCounts:
        """Take the classes already merged to a lower level of the same column, where there are some."""
        for lower in range(level - 1, 0, -1):
            found = self._kept.get((*prefix[:j], lower, *prefix[j + 1 :]))
            if found is not None:
                return found
        return self._kept[prefix]

    def _keep(self, levels: Levels, source: ClassCounts) -> None:
        merged = self._merged(source, levels)
        self._kept[levels] = merged if len(merged) < WORTH * len(source) else source
        self._held += len(self._kept[levels])
        while self._held > max(BUDGET, 4 * len(self.base)) and len(self._kept) > 2:
            oldest = next(key for key in self._kept if key not in (self.ground, levels))
            self._held -= len(self._kept.pop(oldest))

    def outcome(self, source: ClassCounts, levels: Levels, k: int, limit: int) -> NodeOutcome:
        """Count the rows in classes of fewer than k at `levels`, and what they lose if they are not too many."""
        places, sizes = self._sizes(source, levels)
        suppressed, too_many = int(class_keys.rows_in_small_classes(sizes, k)), 0
        if self.people is not None:
            crowds = self.people.of_classes(source, levels, places, len(sizes))
            too_many = self.people.too_many(sizes, crowds)
            sizes = self.people.judged(sizes, crowds)
            suppressed = int(source.counts[sizes[places] < k].sum())
        lost = None if max(suppressed, too_many) > limit else self._losses(source, places, sizes, k)
        return NodeOutcome(levels, suppressed, lost)

    def _sizes(self, source: ClassCounts, levels: Levels) -> tuple[NDArray[np.integer], Int32]:
        """Return the class of every key and the rows of every class."""
        weights, total = self.layout.dense(levels)
        if not is_dense(total, len(source)):
            merged, places = self.hashed(source, levels)
            return places, merged.counts
        places = np.empty(len(source), np.int32)
        class_keys.classes_of_keys(
            source.keys, self.layout.slices, self.layout.table(source.levels, levels, weights), places
        )
        sizes = np.zeros(total, np.int32)
        class_keys.add_counts(places, source.counts, sizes)
        return places, sizes

    def _losses(self, source: ClassCounts, places: NDArray[np.integer], sizes: Int32, k: int) -> Int:
        widths = [column.codes(level) for column, level in zip(self.columns, source.levels, strict=True)]
        begin = np.cumsum([0, *widths])
        spread = np.zeros(begin[-1], np.int64)
        class_keys.codes_in_small_classes(
            source.keys, source.counts, places, sizes, k, self.layout.fields, begin, spread
        )
        return self.losses(spread, begin, source.levels)

    def losses(self, spread: Int, begin: Int, levels: Levels) -> Int:
        """Turn counts of suppressed codes at `levels` into values lost by column and level."""
        out = np.zeros((len(self.columns), max(column.levels for column in self.columns)), np.int64)
        for j, column in enumerate(self.columns):
            if (j, levels[j]) not in self._lost:
                self._lost[j, levels[j]] = column.lost(levels[j])
            out[j, : column.levels] = self._lost[j, levels[j]] @ spread[begin[j] : begin[j + 1]]
        return out

    def losses_of(self, rows: Int) -> Int:
        """Return values lost by column and level if these rows are suppressed."""
        spread = [
            np.bincount((self.keys[rows, word] >> shift) & mask, minlength=column.codes(0))
            for column, (word, shift, mask) in zip(self.columns, self.layout.fields, strict=True)
        ]
        return self.losses(np.concatenate(spread), np.cumsum([0, *map(len, spread)]), self.ground)

    def general(self) -> Int:
        """By column and level: how many values of the hierarchy all released values together may stand for."""
        out = np.zeros((len(self.columns), max(column.levels for column in self.columns)), np.int64)
        for j, (column, (word, shift, mask)) in enumerate(zip(self.columns, self.layout.fields, strict=True)):
            values = (self.base.keys[:, word] >> shift) & mask
            held = np.zeros(column.codes(0), np.int64)
            class_keys.add_counts(values, self.base.counts, held)
            for level in range(column.levels):
                out[j, level] = held @ column.leaves[level][column.maps[level]]
        return out

    @property
    def _each(self) -> ClassCounts:
        """Every row as a class of its own."""
        return ClassCounts(self.ground, self.keys, np.ones(self.rows, np.int32))

    def class_sizes(self, levels: Levels) -> Int32:
        """Return for every row the size of its class at `levels`, 0 if it may be too few people."""
        places, sizes = self._sizes(self._each, levels)
        if self.people is not None:
            sizes = self.people.judged(sizes, self.people.of_classes(self._each, levels, places, len(sizes)))
        found: Int32 = sizes[places]
        return found

    def grouped(self, levels: Levels) -> tuple[Int, Int]:
        """Return the rows sorted by their class at `levels`, and where each class begins."""
        weights, total = self.layout.dense(levels)
        places = np.empty(self.rows, np.int64)
        if total < 1 << 62:
            class_keys.classes_of_keys(
                self.keys, self.layout.slices, self.layout.table(self.ground, levels, weights), places
            )
        else:
            places[:] = self.hashed(self._each, levels)[1]
            total = self.rows
        rows, start, _, _ = packed_keys.group_rows(places, total, self.rows)
        return rows, start


def is_dense(possible: int, present: int) -> bool:
    """Tell whether so many possible classes are better counted in a table than hashed."""
    return possible <= max(DENSE_LEAST, min(DENSE_MOST, DENSE_TIMES * present))

"""Quasi-identifiers, the bit field of each in a packed key, and look-up tables that generalise a key in a few reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from icefire.kernels.lattice import class_keys
from icefire.kernels.types import Int, Int32

WORD_BITS = 62
SLICE_BITS = 12
"""Adjacent columns of up to this many bits together share one look-up, whose table fits the first-level cache."""


@dataclass(frozen=True, eq=False)
class LatticeColumn:
    """A quasi-identifier: what its values, coded 0, 1, …, become at each level of its hierarchy."""

    maps: tuple[Int32, ...]
    """maps[l][value]: the code at level l; at level 0 every value is itself."""
    leaves: tuple[Int, ...]
    """leaves[l][code]: how many values of the hierarchy lie under it."""
    size: int
    """How many values the hierarchy has, those no row holds included."""
    _steps: dict[tuple[int, int], Int32] = field(default_factory=dict, repr=False)

    @property
    def levels(self) -> int:
        """Number of levels, level 0 included."""
        return len(self.maps)

    def codes(self, level: int) -> int:
        """Return how many codes there are at a level."""
        return len(self.leaves[level])

    def step(self, low: int, high: int) -> Int32:
        """Return what the codes of one level become at a higher one."""
        if (low, high) not in self._steps:
            step = np.zeros(self.codes(low), np.int32)
            step[self.maps[low]] = self.maps[high]
            self._steps[low, high] = step
        return self._steps[low, high]

    def lost(self, low: int) -> Int:
        """Return by level and code of level `low` how many values a suppressed row loses that a kept one does not.

        Levels below `low` are not known from its codes; they get its number, which is never too large.
        """
        rows = [self.size - self.leaves[max(low, level)][self.step(low, max(low, level))] for level in self._each()]
        return np.stack(rows)

    def _each(self) -> range:
        return range(self.levels)


@dataclass(frozen=True)
class KeyLayout:
    """Bit fields of all columns; columns with most values lie lowest and are generalised first."""

    columns: tuple[LatticeColumn, ...]

    @cached_property
    def order(self) -> list[int]:
        """The columns by falling number of values."""
        return sorted(range(len(self.columns)), key=lambda j: -self.columns[j].codes(0))

    @cached_property
    def _placed(self) -> list[tuple[int, int, int]]:
        """Word, shift and width of each column, in the order of `order`."""
        places, word, used = [], 0, 0
        for j in self.order:
            bits = max(1, (self.columns[j].codes(0) - 1).bit_length())
            if used + bits > WORD_BITS:
                word, used = word + 1, 0
            places.append((word, used, bits))
            used += bits
        return places

    @property
    def words(self) -> int:
        """Words of a key."""
        return self._placed[-1][0] + 1

    @property
    def bits(self) -> int:
        """Bits used of the last word."""
        return sum(self._placed[-1][1:])

    @cached_property
    def fields(self) -> Int:
        """Word, shift and mask of each column, in the order of the columns."""
        fields = np.zeros((len(self.columns), 3), np.int64)
        for j, (word, shift, bits) in zip(self.order, self._placed, strict=True):
            fields[j] = word, shift, (1 << bits) - 1
        return fields

    @cached_property
    def _sliced(self) -> tuple[Int, Int, Int]:
        """Slices (word, shift, mask, place), width of the columns, first column of each slice."""
        groups: list[list[tuple[int, int, int]]] = []
        for place in self._placed:
            word, shift, bits = place
            if groups and groups[-1][0][0] == word and shift + bits - groups[-1][0][1] <= SLICE_BITS:
                groups[-1].append(place)
            else:
                groups.append([place])
        slices, offset = [], 0
        for group in groups:
            word, first = group[0][:2]
            width = sum(bits for _, _, bits in group)
            slices.append((word, first, (1 << width) - 1, offset))
            offset += 1 << width
        members = np.cumsum([0] + [len(group) for group in groups])
        return np.array(slices, np.int64), np.array([bits for _, _, bits in self._placed]), members

    @property
    def slices(self) -> Int:
        """Word, shift, mask and place in the table of each slice."""
        return self._sliced[0]

    def table(self, low: Sequence[int], high: Sequence[int], weights: Int) -> Int:
        """Return the look-up table from levels `low` to `high`, codes of column j times weights[j]."""
        slices, bits, members = self._sliced
        maps = [self.columns[j].step(low[j], high[j]) * weights[j] for j in self.order]
        begin = np.cumsum([0] + [len(part) for part in maps])
        table = np.empty(int(slices[-1, 3] + slices[-1, 2]) + 1, np.int64)
        class_keys.fill_table(slices, bits, members, np.concatenate(maps), begin, table)
        return table

    def dense(self, levels: Sequence[int]) -> tuple[Int, int]:
        """Return the weights that number the classes at these levels (mixed radix), and how many classes there are."""
        weights, total = np.zeros(len(self.columns), object), 1
        for j in self.order:
            weights[j] = total
            total *= self.columns[j].codes(levels[j])
        return weights if total >= 1 << WORD_BITS else weights.astype(np.int64), total

    def pack(self, codes: Sequence[Int32], rows: int) -> Int:
        """Return the packed keys (rows × words) of one array of codes per column."""
        keys = np.zeros((rows, self.words), np.int64)
        for j, values in enumerate(codes):
            class_keys.put_field(keys, self.fields[j, 0], self.fields[j, 1], values)
        return keys

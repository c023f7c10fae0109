"""Everybody a table was drawn from, beside the classes of the table: how many of them may a class be?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icefire.kernels.lattice import class_keys
from icefire.kernels.lattice.classes import ClassCounts, LatticeTable, Levels, is_dense
from icefire.kernels.types import Int, Int32


@dataclass(frozen=True, eq=False, slots=True)
class LatticePopulation:
    """The people, coded as the table is, and how many of them a class must be able to be."""

    table: LatticeTable
    least: int
    """At least so many, however few rows the class has."""
    share: float | None
    """The rows of a class are at most this share of its people."""

    def judged(self, sizes: Int32, crowds: Int) -> Int32:
        """Return the rows of each class, 0 where it may be too few people; so it may be wherever it is cut finer."""
        return np.where(crowds < self.least, np.int32(0), sizes)

    def too_many(self, sizes: Int32, crowds: Int) -> int:
        """Return how many rows are too many for the people of their classes, however finely these are cut."""
        if self.share is None:
            return 0
        return int(np.maximum(sizes - np.floor(self.share * crowds), 0).sum())

    def of_classes(self, source: ClassCounts, levels: Levels, places: NDArray[np.integer], classes: int) -> Int:
        """Return the people of every class at `levels`, where places[i] is the class of key i of the source."""
        key = np.full(classes, -1, np.int64)
        key[places] = np.arange(len(places))
        used = np.flatnonzero(key >= 0)
        found = np.zeros(classes, np.int64)
        found[used] = self.of_keys(source.keys[key[used]], source.levels, levels)
        return found

    def of_keys(self, keys: Int, low: Levels, high: Levels) -> Int:
        """Return how many people are in the class of each key, which is at levels `low`, at levels `high`."""
        # Not from merged classes at hand, although those are fewer: several threads may ask at once.
        people, layout = self.table.base, self.table.layout
        weights, total = layout.dense(high)
        if not is_dense(total, len(people)):
            return self._hashed(keys, low, high)
        own, others = np.empty(len(keys), np.int64), np.empty(len(people), np.int64)
        class_keys.classes_of_keys(keys, layout.slices, layout.table(low, high, weights), own)
        class_keys.classes_of_keys(people.keys, layout.slices, layout.table(people.levels, high, weights), others)
        sizes = np.zeros(total, np.int64)
        class_keys.add_counts(others, people.counts, sizes)
        return sizes[own]

    def _hashed(self, keys: Int, low: Levels, high: Levels) -> Int:
        """Merge people and keys, which count for nobody, at the same levels, and see where the keys went."""
        people, _ = self.table.hashed(self.table.base, high)
        own, places = self.table.hashed(ClassCounts(low, keys, np.zeros(len(keys), np.int32)), high)
        both = [np.concatenate([getattr(people, part), getattr(own, part)]) for part in ("keys", "counts")]
        merged, went = self.table.hashed(ClassCounts(high, both[0], both[1]), high)
        return merged.counts[went[len(people) :][places]].astype(np.int64)

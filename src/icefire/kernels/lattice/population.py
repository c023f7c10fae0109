"""The population that a table was drawn from: how many people each class of the table may stand for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icefire.kernels.lattice import class_keys
from icefire.kernels.lattice.packed_table import LatticeClasses, Levels, PackedTable, is_dense
from icefire.kernels.types import Int, Int32


@dataclass(frozen=True, eq=False, slots=True)
class LatticePopulation:
    """The people, coded as the table is, and how many of them a class must be able to stand for."""

    people: PackedTable
    least: int
    """At least so many people, however few rows the class has."""
    share: float | None
    """The rows of a class are at most this share of its people."""

    def admitted_sizes(self, sizes: Int32, people: Int) -> Int32:
        """Return the rows of each class, 0 where it has too few people; every finer class has too few, then."""
        return np.where(people < self.least, np.int32(0), sizes)

    def rows_in_excess(self, sizes: Int32, people: Int) -> int:
        """Return how many rows are too many for the people of their classes, however finely these are divided."""
        if self.share is None:
            return 0
        return int(np.maximum(sizes - np.floor(self.share * people), 0).sum())

    def count_in_classes(
        self, source: LatticeClasses, levels: Levels, places: NDArray[np.integer], classes: int
    ) -> Int:
        """Return the people of every class at `levels`.

        Args:
            source: Classes of the table at the same or lower levels.
            levels: The node.
            places: For every key of the source its class at `levels`, below `classes`.
            classes: Number of classes.

        Returns:
            One number per class; 0 for a class that no key of the source is in.
        """
        key = np.full(classes, -1, np.int64)
        key[places] = np.arange(len(places))
        used = np.flatnonzero(key >= 0)
        people = np.zeros(classes, np.int64)
        people[used] = self.count_at_keys(source.keys[key[used]], source.levels, levels)
        return people

    def count_at_keys(self, keys: Int, low: Levels, high: Levels) -> Int:
        """Return how many people are in the class at levels `high` of each key, which is at levels `low`."""
        # Not from merged classes of a cache, although those are fewer: several threads may ask at once.
        everybody, layout = self.people.base, self.people.layout
        weights, total = layout.dense(high)
        if not is_dense(total, len(everybody)):
            return self._count_by_hash(keys, low, high)
        own, others = np.empty(len(keys), np.int64), np.empty(len(everybody), np.int64)
        class_keys.classes_of_keys(keys, layout.slices, layout.table(low, high, weights), own)
        table = layout.table(everybody.levels, high, weights)
        class_keys.classes_of_keys(everybody.keys, layout.slices, table, others)
        sizes = np.zeros(total, np.int64)
        class_keys.add_counts(others, everybody.counts, sizes)
        return sizes[own]

    def _count_by_hash(self, keys: Int, low: Levels, high: Levels) -> Int:
        """Merge people and keys, which count for nobody, at the same levels, and look where the keys went."""
        everybody, _ = self.people.merge_by_hash(self.people.base, high)
        own, places = self.people.merge_by_hash(LatticeClasses(low, keys, np.zeros(len(keys), np.int32)), high)
        both = [np.concatenate([getattr(everybody, part), getattr(own, part)]) for part in ("keys", "counts")]
        merged, became = self.people.merge_by_hash(LatticeClasses(high, both[0], both[1]), high)
        return merged.counts[became[len(everybody) :][places]].astype(np.int64)

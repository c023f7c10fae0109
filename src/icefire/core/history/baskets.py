"""Baskets: the set of items of every subject, in one array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from icefire.kernels.common.distinct import distinct_keys
from icefire.kernels.types import Int, Int32


@dataclass(frozen=True, slots=True)
class Baskets:
    """The items of subject u are items[start[u]:start[u+1]], ascending and distinct, each below `goods`."""

    start: Int
    items: Int32
    goods: int
    """How many different items there may be."""

    @property
    def subjects(self) -> int:
        """Number of subjects."""
        return len(self.start) - 1

    @property
    def sizes(self) -> Int:
        """Number of different items of each subject."""
        return np.diff(self.start)

    @property
    def owners(self) -> Int:
        """The subject of every entry of `items`."""
        return np.repeat(np.arange(self.subjects), self.sizes)

    @property
    def buyers(self) -> Int:
        """How many subjects have each item."""
        return np.bincount(self.items, minlength=self.goods)

    def by_item(self) -> tuple[Int, Int32]:
        """The same the other way round: the subjects of item g are subjects[start[g]:start[g+1]], ascending."""
        order = np.argsort(self.items, kind="stable")
        start = np.concatenate(([0], np.cumsum(self.buyers)))
        return start, self.owners[order].astype(np.int32)


def make_baskets(subjects: Int, items: Int, subject_count: int, goods: int) -> Baskets:
    """Collect the distinct items of every subject from rows."""
    pairs = distinct_keys(subjects * max(goods, 1) + items)
    owners, item_codes = np.divmod(pairs, max(goods, 1))
    start = np.concatenate(([0], np.cumsum(np.bincount(owners, minlength=subject_count))))
    return Baskets(start.astype(np.int64), item_codes.astype(np.int32), goods)

"""The goods of some subjects and of clusters, and how many dummies clusters need."""

from __future__ import annotations

import numpy as np

from icefire.core.history.baskets import Baskets
from icefire.kernels.types import Int


def chosen(baskets: Baskets, subjects: Int) -> Baskets:
    """Return the baskets of some subjects, in that order; the items that occur are numbered anew, in the same order."""
    sizes = baskets.sizes[subjects]
    start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    places = np.arange(start[-1]) + np.repeat(baskets.start[subjects] - start[:-1], sizes)
    items = baskets.items[places]
    occurs = np.zeros(baskets.goods, bool)
    occurs[items] = True
    number = np.cumsum(occurs) - 1
    return Baskets(start, number[items].astype(np.int32), int(occurs.sum()))


def unions(baskets: Baskets, labels: Int) -> Baskets:
    """Return the goods of every cluster: those that any of its subjects has."""
    owners = labels[baskets.owners]
    pairs = np.unique(owners * max(baskets.goods, 1) + baskets.items)
    clusters, items = np.divmod(pairs, max(baskets.goods, 1))
    sizes = np.bincount(clusters, minlength=int(labels.max(initial=-1)) + 1)
    start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return Baskets(start, items.astype(np.int32), baskets.goods)


def dummies_needed(baskets: Baskets, labels: Int) -> int:
    """Return Δm: how many goods the subjects of all clusters lack of those their clusters have."""
    within = labels[labels >= 0]
    together = unions(baskets, labels).sizes
    return int((together * np.bincount(within, minlength=len(together))).sum() - len(baskets.items))

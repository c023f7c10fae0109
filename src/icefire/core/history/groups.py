"""Groups of subjects with the same items."""

from __future__ import annotations

import numpy as np

from icefire.core.history.baskets import Baskets
from icefire.kernels.types import Int, UInt64


def labels(baskets: Baskets) -> Int:
    """Number the distinct sets in the order of their first subject; subjects with equal sets share a number.

    Sets are distinguished by a random sum over their items; equal sums are then compared item by item, and should two
    different sets ever share one, other random numbers are drawn.
    """
    salt = 0
    while True:
        labels = _by_sum(baskets, np.random.default_rng(salt))
        if _equal_to_first(baskets, labels):
            return labels
        salt += 1


def sizes(groups: Int) -> Int:
    """How many subjects share each set."""
    return np.bincount(groups)


def _by_sum(baskets: Baskets, rng: np.random.Generator) -> Int:
    words: UInt64 = rng.integers(0, 1 << 63, max(baskets.goods, 1), np.int64).view(np.uint64)
    running = np.concatenate((np.zeros(1, np.uint64), np.cumsum(words[baskets.items], dtype=np.uint64)))
    # Sums wrap around; that is fine, the difference of two of them is still the sum in between.
    sums = running[baskets.start[1:]] - running[baskets.start[:-1]]
    pairs = np.stack([sums, baskets.sizes.astype(np.uint64)])
    _, first, inverse = np.unique(pairs, axis=1, return_index=True, return_inverse=True)
    order = np.empty(len(first), np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    group: Int = order[inverse.reshape(-1)]
    return group


def _equal_to_first(baskets: Baskets, groups: Int) -> bool:
    """Compare every set with that of the first subject of its group."""
    first = np.full(int(groups.max(initial=-1)) + 1, baskets.subjects, np.int64)
    np.minimum.at(first, groups, np.arange(baskets.subjects))
    leader = np.repeat(first[groups], baskets.sizes)
    offset = np.arange(len(baskets.items)) - np.repeat(baskets.start[:-1], baskets.sizes)
    same_size = baskets.sizes[first[groups]] == baskets.sizes
    return bool(same_size.all() and (baskets.items[baskets.start[leader] + offset] == baskets.items).all())

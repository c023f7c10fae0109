"""Sets with weights by item, for a search that leaves out what cannot be among the best.

The items of every set are taken in one order, the rarest first. The rest of a set from an item on bounds what it can
share from there on: by its Euclidean length for the cosine, by its sum for amounts. The holders of an item stand in
the order of their rests, the largest first, so that a search ends where the rests are too small.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.types import Float, Int, Int32

WeightedSets = tuple[Int, Int32, Float]
"""Where the items of each set begin (and the last ones end), the items, ascending in each set, and their weights."""


class WeightedIndex(NamedTuple):
    """The known sets, and the holders[ends[r]:ends[r + 1]] of the item of rank r."""

    start: Int
    items: Int32
    weights: Float
    totals: Float
    """Euclidean length of every set, or the sum of its weights."""
    rank_of: Int32
    """Rank of every item; 0 is the rarest."""
    ends: Int
    holders: Int32
    held: Float
    """Weight of the item in the set of its holder, for the cosine divided by the length of the set."""
    rests: Float
    """What the holder has from this item on, as `held` is measured."""


def weighted_index(sets: WeightedSets, goods: int, squares: bool) -> WeightedIndex:
    """Index sets with positive weights.

    Args:
        sets: Offsets, items and weights.
        goods: Number of items; all lie below it.
        squares: Rests are Euclidean lengths of sets of length 1; otherwise sums of weights.
    """
    start, items, weights = sets
    buyers = np.bincount(items, minlength=goods)
    rank_of = np.empty(goods, np.int32)
    rank_of[np.argsort(buyers, kind="stable")] = np.arange(goods, dtype=np.int32)
    totals = total_weights(start, weights, squares)
    owners = np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start))
    ranks = rank_of[items]
    held = weights / totals[owners] if squares else weights
    rests = rests_by_rank(start, ranks, held, squares)
    order = np.argsort(-rests, kind="stable")
    # Short numbers are sorted in one pass each byte.
    order = order[np.argsort(ranks[order].astype(np.uint16) if goods <= 1 << 16 else ranks[order], kind="stable")]
    ends = np.concatenate(([0], np.cumsum(np.bincount(ranks, minlength=goods))))
    return WeightedIndex(start, items, weights, totals, rank_of, ends, owners[order], held[order], rests[order])


@njit(nogil=True, cache=True)
def total_weights(start, weights, squares) -> Any:  # type: ignore[no-untyped-def]
    """Return the Euclidean length of every set, or the sum of its weights."""
    totals = np.zeros(len(start) - 1)
    for i in range(len(totals)):
        for at in range(start[i], start[i + 1]):
            totals[i] += weights[at] * weights[at] if squares else weights[at]
    return np.sqrt(totals) if squares else totals


@njit(nogil=True, cache=True)
def rests_by_rank(start, ranks, weights, squares) -> Any:  # type: ignore[no-untyped-def]
    """Return for every entry what its set has from this item on, in the order of ranks."""
    rests = np.empty(len(ranks))
    for i in range(len(start) - 1):
        order = np.argsort(ranks[start[i] : start[i + 1]])
        rest = 0.0
        for k in range(len(order) - 1, -1, -1):
            at = start[i] + order[k]
            rest += weights[at] * weights[at] if squares else weights[at]
            rests[at] = np.sqrt(rest) if squares else rest
    return rests

"""Pairs of items bought together: the most frequent pairs, and how many baskets hold given pairs.

No more baskets hold a pair than hold its rarer item. So items are tried from the most frequent on, each with those
before it, and the search ends at the first item that is rarer than the last pair kept.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from icefire.kernels.common.ranges import offsets
from icefire.kernels.common.sorted_arrays import count_common
from icefire.kernels.types import Int, Int32


def most_frequent_pairs(start: Int, items: Int32, goods: int, top: int, least: int) -> tuple[Int, Int]:
    """Return the `top` pairs of items that most baskets hold, and how many hold each.

    Args:
        start: Basket k holds items[start[k]:start[k + 1]], all distinct.
        items: See `start`.
        goods: Number of items; all lie below it.
        top: Number of pairs wanted.
        least: Pairs that fewer baskets hold are left out.

    Returns:
        Pairs (pairs × 2, ascending in each) and counts, in descending order of count; ties by lower items.
    """
    counts = np.bincount(items, minlength=goods)
    by_count = np.lexsort((np.arange(goods), -counts))
    by_count = by_count[counts[by_count] >= least]
    rank = np.full(goods, -1, np.int32)
    rank[by_count] = np.arange(len(by_count), dtype=np.int32)
    frequent = counts[by_count]
    listed, baskets = _by_item(start, items, rank, frequent)
    pairs, baskets_of_pairs = _search(start, items, rank, by_count, frequent, listed, baskets, top, max(least, 1))
    return pairs, baskets_of_pairs


def pair_counts(start: Int, items: Int32, goods: int, pairs: Int) -> tuple[Int, Int]:
    """Return how many baskets hold both items of each pair, and how many hold each item.

    Args:
        start: Basket k holds items[start[k]:start[k + 1]], all distinct.
        items: See `start`.
        goods: Number of items; all lie below it.
        pairs: pairs × 2.

    Returns:
        One count per pair, and one per item.
    """
    every = np.bincount(items, minlength=goods)
    wanted = np.unique(pairs)
    rank = np.full(goods, -1, np.int32)
    rank[wanted] = np.arange(len(wanted), dtype=np.int32)
    listed, baskets = _by_item(start, items, rank, every[wanted])
    together: Int = _intersect(listed, baskets, rank[pairs])
    return together, every


def _by_item(start: Int, items: Int32, rank: Int32, sizes: Int) -> tuple[Int, Int32]:
    """List, ascending, the baskets of every item that has a rank."""
    listed = offsets(sizes)
    return listed, _list_baskets(start, items, rank, listed)


@njit(nogil=True, cache=True)
def _list_baskets(start, items, rank, listed):  # type: ignore[no-untyped-def]
    """Return the baskets of every ranked item, ascending, one item after the other."""
    baskets = np.empty(listed[-1], np.int32)
    place = listed[:-1].copy()
    for basket in range(len(start) - 1):
        for entry in range(start[basket], start[basket + 1]):
            item = rank[items[entry]]
            if item >= 0:
                baskets[place[item]] = basket
                place[item] += 1
    return baskets


@njit(nogil=True, cache=True)
def _search(start, items, rank, by_count, frequent, listed, baskets, top, least):  # type: ignore[no-untyped-def]
    """Count each item with those before it, and return the most frequent pairs and their counts."""
    pairs, best = np.zeros((top, 2), np.int64), np.zeros(top, np.int64)
    kept = 0
    together = np.zeros(len(frequent), np.int64)
    for second in range(len(frequent)):
        if frequent[second] < (best[top - 1] if kept == top else least):
            break
        for place in range(listed[second], listed[second + 1]):
            basket = baskets[place]
            for entry in range(start[basket], start[basket + 1]):
                first = rank[items[entry]]
                if 0 <= first < second:
                    together[first] += 1
        for first in range(second):
            if together[first] >= (best[top - 1] if kept == top else least):
                a, b = by_count[first], by_count[second]
                kept = _insert(pairs, best, kept, min(a, b), max(a, b), together[first])
            together[first] = 0
    return pairs[:kept].copy(), best[:kept].copy()


@njit(nogil=True, cache=True)
def _insert(pairs, best, kept, a, b, count):  # type: ignore[no-untyped-def]
    """Insert a pair into the sorted list; the last one falls out of a full list. Returns the number of pairs."""
    place = kept
    while place > 0 and _before(count, a, b, best[place - 1], pairs[place - 1, 0], pairs[place - 1, 1]):
        place -= 1
    if place == len(best):
        return kept
    kept = min(kept + 1, len(best))
    for i in range(kept - 1, place, -1):
        best[i] = best[i - 1]
        pairs[i, 0], pairs[i, 1] = pairs[i - 1, 0], pairs[i - 1, 1]
    best[place] = count
    pairs[place, 0], pairs[place, 1] = a, b
    return kept


@njit(nogil=True, cache=True, inline="always")
def _before(count, a, b, other_count, other_a, other_b):  # type: ignore[no-untyped-def]
    """Tell whether a pair comes before another: by count, then by lower items."""
    if count != other_count:
        return count > other_count
    return a < other_a or (a == other_a and b < other_b)


@njit(nogil=True, cache=True)
def _intersect(listed, baskets, pairs):  # type: ignore[no-untyped-def]
    """Return how many baskets the items of each pair share."""
    together = np.zeros(len(pairs), np.int64)
    for pair in range(len(pairs)):
        i, i_end = listed[pairs[pair, 0]], listed[pairs[pair, 0] + 1]
        j, j_end = listed[pairs[pair, 1]], listed[pairs[pair, 1] + 1]
        together[pair] = count_common(baskets, i, i_end, baskets, j, j_end)
    return together

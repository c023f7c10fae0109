"""Inverted index over sets: sets sorted by size, items ranked by rarity, and for every item the sets that hold it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.types import Int, Int32


class SetIndex(NamedTuple):
    """The sets in places ordered by size (equal sizes as they came); rank 0 is the rarest item.

    The items of place p are ranks[start[p]:start[p + 1]], ascending; the places that hold rank r are
    holders[ends[r]:ends[r + 1]], ascending, and so by size.
    """

    order: Int  # the set at each place
    sizes: Int  # its number of items
    start: Int
    ranks: Int32
    ends: Int
    holders: Int32
    rank_of: Int32  # per item; the ranks of items that nobody holds come last
    held: int  # how many items somebody holds


def build_index(start: Int, items: Int32, goods: int) -> SetIndex:
    """Index the sets items[start[i]:start[i + 1]]; items are distinct in a set and lie below `goods`."""
    sizes = np.diff(start)
    order = np.argsort(sizes, kind="stable")
    buyers = np.bincount(items, minlength=goods)
    # Items that nobody holds come last: a search leaves them out.
    rarest_first = np.argsort(np.where(buyers == 0, len(sizes) + 1, buyers), kind="stable")
    rank_of = np.empty(goods, np.int32)
    rank_of[rarest_first] = np.arange(goods, dtype=np.int32)
    ends, holders = _inverted(start, items, order, rank_of, goods)
    each = np.arange(max(goods, len(sizes)))
    placed, ranks = _inverted(ends, holders, each[:goods], each[: len(sizes)].astype(np.int32), len(sizes))
    return SetIndex(order, sizes[order], placed, ranks, ends, holders, rank_of, int((buyers > 0).sum()))


def ranks_of_items(index: SetIndex, start: Int, items: Int32) -> Int32:
    """Return the items of other sets as ranks of the index, ascending in each set; offsets stay the same."""
    count, goods = len(start) - 1, len(index.rank_of)
    each = np.arange(max(count, goods))
    ends, holders = _inverted(start, items, each[:count], index.rank_of, goods)
    ranks: Int32 = _inverted(ends, holders, each[:goods], each[:count].astype(np.int32), count)[1]
    return ranks


@njit(nogil=True, cache=True)
def _inverted(start, items, order, name_of, names) -> Any:  # type: ignore[no-untyped-def]
    """Return for every name the places of the sets that hold it, ascending; `order` is the set at each place.

    Applied twice, it returns the sets with their items in ascending order.
    """
    ends = np.zeros(names + 1, np.int64)
    for at in range(len(items)):
        ends[name_of[items[at]] + 1] += 1
    for name in range(names):
        ends[name + 1] += ends[name]
    free, holders = ends[:-1].copy(), np.empty(len(items), np.int32)
    for place in range(len(order)):
        for at in range(start[order[place]], start[order[place] + 1]):
            name = name_of[items[at]]
            holders[free[name]] = place
            free[name] += 1
    return ends, holders

"""The known sets most similar to each given set: exact, with all ties, the same for any number of threads."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from icefire.kernels.baskets import inverted_index as basket_index
from icefire.kernels.baskets import prefix_search, search
from icefire.kernels.baskets import set_groups as basket_groups
from icefire.kernels.baskets.best_matches import MAX_TIES, BestGroups, BestMatches, matches_of_members
from icefire.kernels.baskets.size_classes import size_classes
from icefire.kernels.common import threads
from icefire.kernels.types import Int, Int32

ItemSets = tuple[Int, Int32]
"""Where the items of each set begin (and the last ones end), and the items, ascending in each set."""

SimilarityRule = Literal["jaccard", "contained", "covering", "overlap"]
SPANS = 32
"""Queries are searched in at most so many parts: each holds one number per known set."""
RULES: tuple[SimilarityRule, ...] = ("jaccard", "contained", "covering", "overlap")


def best_matches(known: ItemSets, shown: ItemSets, goods: int, rule: SimilarityRule = "jaccard") -> BestMatches:
    """Find the known sets that fit each given set best.

    With A known and B given, a = |A|, b = |B|, o = |A ∩ B|: `jaccard` is o / (a + b - o); `contained` is o / a, of
    equals the larger A; `covering` is o, of equals the smaller A; `overlap` is o. Scores are compared exactly, equal
    sets once.

    Args:
        known: Offsets and items of the known sets.
        shown: Offsets and items of the given sets.
        goods: Number of items; all lie below it.
        rule: How well a set fits.

    Returns:
        The lowest best set for each given set, -1 where no item is shared; and all ties, unless there are too many.
    """
    if rule == "jaccard":
        return most_similar(known, shown, goods, no_bound(len(shown[0]) - 1))
    sets, queries = basket_groups.group_equal_sets(*known), basket_groups.group_equal_sets(*shown)
    index = basket_index.build_index(*basket_groups.select_sets(*known, sets.first), goods)
    start, items = basket_groups.select_sets(*shown, queries.first)
    best = BestGroups.room(len(start) - 1)
    ranks = basket_index.ranks_of_items(index, start, items)
    spans = threads.spans(len(start) - 1, 256, 256)
    calls = [(RULES.index(rule), index, start, ranks, *span, *best, MAX_TIES // len(spans)) for span in spans]
    return matches_of_members(sets, queries, best, threads.starmap(search.search_sets, calls))


def no_bound(count: int) -> Int:
    """Return for each given set the similarity 0, as shared over united items."""
    return np.tile(np.array([0, 1], np.int64), (count, 1))


def most_similar(known: ItemSets, shown: ItemSets, goods: int, best: Int) -> BestMatches:
    """Find the known sets with the highest Jaccard coefficient, where it is as high as the best found elsewhere.

    Given sets are taken by size, so that those taken together look at the same known sets.

    Args:
        known: Offsets and items of the known sets.
        shown: Offsets and items of the given sets.
        goods: Number of items; all lie below it.
        best: Shared and united items of the best set known so far for each given set; raised to those found here.

    Returns:
        As `best_matches`; -1 also where nothing is as similar as the best found elsewhere.
    """
    sets, queries = basket_groups.group_equal_sets(*known), basket_groups.group_equal_sets(*shown)
    index = basket_index.build_index(*basket_groups.select_sets(*known, sets.first), goods)
    start, items = basket_groups.select_sets(*shown, queries.first)
    located, raised = BestGroups.room(len(start) - 1), best[queries.first]
    order = np.argsort(np.diff(start), kind="stable")
    arguments = (index, size_classes(index), start, basket_index.ranks_of_items(index, start, items), order)
    calls = [(*arguments, *span, *located, raised, MAX_TIES) for span in threads.spans(len(order), 256, SPANS)]
    parts = threads.starmap(prefix_search.search_classes, calls)
    best[:] = raised[queries.label]
    owners, ties = (np.concatenate([np.empty(0, np.int64), *(part[k] for part in parts)]) for k in (0, 1))
    too_many = len(ties) > MAX_TIES or any(part[2] for part in parts)
    by_query = [(ties[np.argsort(owners, kind="stable")], too_many)]
    return matches_of_members(sets, queries, located, by_query)


class IndexedSets(NamedTuple):
    """Sets indexed for several searches, equal ones once."""

    set_index: basket_index.SetIndex
    groups: basket_groups.SetGroups


def index_sets(shown: ItemSets, goods: int) -> IndexedSets:
    """Index the sets once for several calls of `count_best_overlaps`."""
    groups = basket_groups.group_equal_sets(*shown)
    return IndexedSets(basket_index.build_index(*basket_groups.select_sets(*shown, groups.first), goods), groups)


def count_best_overlaps(indexed: IndexedSets, known: ItemSets, right_start: Int, right: Int) -> tuple[Int, Int]:
    """Count for every given set the indexed sets that share most items with it, and the right ones among them.

    Args:
        indexed: The sets searched.
        known: Offsets and items of the given sets.
        right_start: The right ones for given set i are right[right_start[i]:right_start[i + 1]].
        right: See `right_start`.

    Returns:
        Two numbers per given set; both 0 where no set shares an item.
    """
    start, items = known
    counts = np.zeros((len(start) - 1, 2), np.int64)
    arguments = (
        RULES.index("overlap"),
        indexed.set_index,
        start,
        basket_index.ranks_of_items(indexed.set_index, start, items),
    )
    answers = (np.diff(indexed.groups.start), right_start, indexed.groups.label[right], counts)
    threads.starmap(
        search.count_best_sets, [(*arguments, *span, *answers) for span in threads.spans(len(counts), 256, 256)]
    )
    return counts[:, 0], counts[:, 1]

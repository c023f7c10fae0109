"""The known sets most similar to each given set: exact, with all ties, the same for any number of threads."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from icefire.kernels.baskets import inverted_index as basket_index
from icefire.kernels.baskets import search
from icefire.kernels.baskets import set_groups as basket_groups
from icefire.kernels.baskets.best_matches import MAX_TIES, BestGroups, BestMatches, matches_of_members
from icefire.kernels.common import threads
from icefire.kernels.types import Int, Int32

ItemSets = tuple[Int, Int32]
"""Where the items of each set begin (and the last ones end), and the items, ascending in each set."""

SimilarityRule = Literal["jaccard", "contained", "covering", "overlap"]
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
    sets, queries = basket_groups.group_equal_sets(*known), basket_groups.group_equal_sets(*shown)
    index = basket_index.build_index(*basket_groups.select_sets(*known, sets.first), goods)
    start, items = basket_groups.select_sets(*shown, queries.first)
    best, spans = BestGroups.room(len(start) - 1), threads.spans(len(start) - 1, 256, 256)
    arguments = (RULES.index(rule), index, start, basket_index.ranks_of_items(index, start, items))
    calls = [(*arguments, *span, *best, MAX_TIES // len(spans)) for span in spans]
    return matches_of_members(sets, queries, best, threads.starmap(search.search_sets, calls))


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

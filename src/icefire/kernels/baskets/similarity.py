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
    """Find the known sets that fit each set shown best; items lie below `goods`.

    With A known and B shown, a = |A|, b = |B|, o = |A ∩ B|: `jaccard` is o / (a + b - o); `contained` o / a, among
    equals the larger A; `covering` o, among equals the smaller A; `overlap` o. Equal sets are looked at once.
    """
    sets, asked = basket_groups.group_equal_sets(*known), basket_groups.group_equal_sets(*shown)
    index = basket_index.build_index(*basket_groups.select_sets(*known, sets.first), goods)
    start, items = basket_groups.select_sets(*shown, asked.first)
    found, spans = BestGroups.room(len(start) - 1), threads.spans(len(start) - 1, 256, 256)
    asking = (RULES.index(rule), index, start, basket_index.ranks_of_items(index, start, items))
    calls = [(*asking, *span, *found, MAX_TIES // len(spans)) for span in spans]
    return matches_of_members(sets, asked, found, threads.starmap(search.search_sets, calls))


class IndexedSets(NamedTuple):
    """Sets that many questions are asked about, equal ones together."""

    layout: basket_index.SetIndex
    groups: basket_groups.SetGroups


def index_sets(shown: ItemSets, goods: int) -> IndexedSets:
    """Lay the sets out once for all questions."""
    groups = basket_groups.group_equal_sets(*shown)
    return IndexedSets(basket_index.build_index(*basket_groups.select_sets(*shown, groups.first), goods), groups)


def count_best_overlaps(crowd: IndexedSets, known: ItemSets, right_start: Int, right: Int) -> tuple[Int, Int]:
    """For every known set count the sets of the crowd that hold most of its items, and the right ones among them.

    The right ones for known set i are right[right_start[i]:right_start[i + 1]]. Sets that hold none do not count.
    """
    start, items = known
    found = np.zeros((len(start) - 1, 2), np.int64)
    asking = (RULES.index("overlap"), crowd.layout, start, basket_index.ranks_of_items(crowd.layout, start, items))
    answers = (np.diff(crowd.groups.start), right_start, crowd.groups.label[right], found)
    threads.starmap(
        search.count_best_sets, [(*asking, *span, *answers) for span in threads.spans(len(found), 256, 256)]
    )
    return found[:, 0], found[:, 1]

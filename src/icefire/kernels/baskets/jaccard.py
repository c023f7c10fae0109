"""Which known set is most like each set shown: exact, with all ties, the same for any number of threads."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from icefire.kernels.baskets import groups as basket_groups
from icefire.kernels.baskets import index as basket_index
from icefire.kernels.baskets import search
from icefire.kernels.baskets.best import MOST_TIES, Best, Found, for_members
from icefire.kernels.common import threads
from icefire.kernels.types import Int, Int32

Sets = tuple[Int, Int32]
"""Where the items of each set begin (and the last ones end), and the items, ascending in each set."""

Rule = Literal["jaccard", "contained", "covering", "overlap"]
RULES: tuple[Rule, ...] = ("jaccard", "contained", "covering", "overlap")


def best(known: Sets, shown: Sets, goods: int, rule: Rule = "jaccard") -> Best:
    """Find the known sets that fit each set shown best; items lie below `goods`.

    With A known and B shown, a = |A|, b = |B|, o = |A ∩ B|: `jaccard` is o / (a + b - o); `contained` o / a, among
    equals the larger A; `covering` o, among equals the smaller A; `overlap` o. Equal sets are looked at once.
    """
    sets, asked = basket_groups.equal_sets(*known), basket_groups.equal_sets(*shown)
    index = basket_index.build(*basket_groups.taken(*known, sets.first), goods)
    start, items = basket_groups.taken(*shown, asked.first)
    found, spans = Found.room(len(start) - 1), threads.spans(len(start) - 1, 256, 256)
    asking = (RULES.index(rule), index, start, basket_index.ranked(index, start, items))
    calls = [(*asking, *span, *found, MOST_TIES // len(spans)) for span in spans]
    return for_members(sets, asked, found, threads.run(search.search, calls))


class Crowd(NamedTuple):
    """Sets that many questions are asked about, equal ones together."""

    layout: basket_index.Index
    groups: basket_groups.Groups


def crowd(shown: Sets, goods: int) -> Crowd:
    """Lay the sets out once for all questions."""
    groups = basket_groups.equal_sets(*shown)
    return Crowd(basket_index.build(*basket_groups.taken(*shown, groups.first), goods), groups)


def tally(crowd: Crowd, known: Sets, right_start: Int, right: Int) -> tuple[Int, Int]:
    """For every known set count the sets of the crowd that hold most of its items, and the right ones among them.

    The right ones for known set i are right[right_start[i]:right_start[i + 1]]. Sets that hold none do not count.
    """
    start, items = known
    found = np.zeros((len(start) - 1, 2), np.int64)
    asking = (RULES.index("overlap"), crowd.layout, start, basket_index.ranked(crowd.layout, start, items))
    answers = (np.diff(crowd.groups.start), right_start, crowd.groups.label[right], found)
    threads.run(search.tally, [(*asking, *span, *answers) for span in threads.spans(len(found), 256, 256)])
    return found[:, 0], found[:, 1]

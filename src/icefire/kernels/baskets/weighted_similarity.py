"""The best known set for each given set where items have weights: by cosine, or by amounts.

Every pair that shares an item is summed, item by item in ascending order, so that equal sets have equal scores to the
last digit. Memory: one sum per known set and thread.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numba import njit

from icefire.kernels.baskets import set_groups as basket_groups
from icefire.kernels.baskets.best_matches import MAX_TIES, BestGroups, BestMatches, matches_of_members
from icefire.kernels.baskets.search import append_values
from icefire.kernels.baskets.set_groups import SetGroups
from icefire.kernels.common import threads
from icefire.kernels.common.ranges import offsets
from icefire.kernels.types import Float, Int, Int32

WeightedSets = tuple[Int, Int32, Float]
"""Where the items of each set begin (and the last ones end), the items, ascending in each set, and their weights."""

RULES = ("cosine", "amounts")
COSINE = 0


def best_weighted_matches(
    known: WeightedSets, shown: WeightedSets, goods: int, rule: Literal["cosine", "amounts"], groups: bool = False
) -> BestMatches:
    """Find the known sets that fit each given set best.

    `cosine` is the sum of products over the root of the sums of squares; `amounts` is the sum of the smaller amounts
    over the sum of the larger ones.

    Args:
        known: Offsets, items and weights of the known sets.
        shown: Offsets, items and weights of the given sets.
        goods: Number of items; all lie below it.
        rule: How well a set fits.
        groups: An item has the same weight in all known sets and the same in all given sets, so that equal sets are
            compared once.

    Returns:
        The lowest best set for each given set, -1 where no item is shared; and all ties, unless there are too many.
    """
    sets, queries = (_groups(*side[:2], groups) for side in (known, shown))
    start, items, weights = _select(known, sets.first)
    asked = _select(shown, queries.first)
    order = np.argsort(items, kind="stable")
    ends = offsets(np.bincount(items, minlength=goods))
    owners = np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start))
    square = rule == "cosine"
    index = (ends, owners[order], weights[order], _totals(start, weights, square))
    best, spans = BestGroups.room(len(queries.first)), threads.spans(len(queries.first), 256, 256)
    arguments = (RULES.index(rule), index, *asked, _totals(asked[0], asked[2], square))
    calls = [(*arguments, *span, *best, MAX_TIES // len(spans)) for span in spans]
    return matches_of_members(sets, queries, best, threads.starmap(_search, calls))


def _groups(start: Int, items: Int32, equal: bool) -> SetGroups:
    """Group equal sets, or make every set a group of its own."""
    each = np.arange(len(start) - 1)
    return basket_groups.group_equal_sets(start, items) if equal else SetGroups(each, each, np.arange(len(start)))


def _select(sets: WeightedSets, chosen: Int) -> WeightedSets:
    """Return the sets named, in that order."""
    start, items, weights = sets
    ends, places = basket_groups.select_sets(start, np.arange(len(items), dtype=np.int64), chosen)
    return ends, items[places], weights[places]


@njit(nogil=True, cache=True)
def _totals(start, weights, squares) -> Any:  # type: ignore[no-untyped-def]
    """Return the Euclidean length of every set, or the sum of its weights."""
    totals = np.zeros(len(start) - 1)
    for i in range(len(totals)):
        for at in range(start[i], start[i + 1]):
            totals[i] += weights[at] * weights[at] if squares else weights[at]
    return np.sqrt(totals) if squares else totals


@njit(nogil=True, cache=True)
def _sum_up(holders, held, begin, end, weight, rule, sums, seen, count) -> Any:  # type: ignore[no-untyped-def]
    """Add what every holder of an item shares; returns how many sets were seen."""
    for k in range(begin, end):
        place = holders[k]
        seen[count] = place
        count += sums[place] == 0
        sums[place] += weight * held[k] if rule == COSINE else min(weight, held[k])
    return count


@njit(nogil=True, cache=True)
def _search(rule, index, start, items, weights, asked, first, last, lowest, tied, most_ties) -> Any:  # type: ignore[no-untyped-def]
    """Write the best sets for given sets first … last - 1; returns ties as `search.search_sets` does."""
    ends, holders, held, totals = index
    sums, seen = np.zeros(len(totals)), np.empty(len(totals) + 1, np.int32)
    ties, listed, overflow = np.empty(1024, np.int64), 0, False
    for q in range(first, last):
        count = 0
        for at in range(start[q], start[q + 1]):
            begin, end = ends[items[at]], ends[items[at] + 1]
            count = _sum_up(holders, held, begin, end, weights[at], rule, sums, seen, count)
        best, equals = 0.0, 0
        for k in range(count):
            place = seen[k]
            shared, sums[place] = sums[place], 0.0
            score = shared / totals[place] if rule == COSINE else shared / (totals[place] + asked[q] - shared)
            if score > best:
                best, equals = score, 0
            if score == best and best > 0:
                seen[equals] = place
                equals += 1
        numbers = seen[:equals]
        lowest[q], tied[q] = numbers.min() if equals else -1, equals
        overflow = overflow or listed + equals > most_ties
        if not overflow:
            ties = append_values(ties, listed, numbers)
            listed += equals
    return ties[:listed].copy(), overflow

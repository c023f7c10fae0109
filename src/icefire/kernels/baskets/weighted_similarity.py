"""The best known set for each given set where items have weights: by cosine, or by amounts. Exact, with all ties.

A first look at the rarest items of a given set finds one that fits. With its score as a bound, items are looked up, the
rarest first, only as long as what both sets have from there on (`weighted_index`) could still make up `SHARE` of it; a
set that fits as well has shared the other part before. Only sets that have are compared, item by item in ascending
order, so that equal sets have equal scores to the last digit. Memory: two numbers per known set and thread.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numba import njit

from icefire.kernels.baskets import set_groups as basket_groups
from icefire.kernels.baskets.best_matches import MAX_TIES, BestGroups, BestMatches, matches_of_members
from icefire.kernels.baskets.search import append_values
from icefire.kernels.baskets.set_groups import SetGroups
from icefire.kernels.baskets.weighted_index import WeightedSets, rests_by_rank, total_weights, weighted_index
from icefire.kernels.common import threads
from icefire.kernels.types import Int, Int32

RULES = ("cosine", "amounts")
COSINE = 0
SHARE = 0.8
"""Of the score to be reached, what items that are not looked up may make up."""
LOOK = 0.02
"""Of the holders that would have to be looked up, the part that is spent on finding a better bound first."""
SLACK = 1 - 1e-9
"""Bounds are sums in another order than scores, so that their last digits differ."""


def best_weighted_matches(
    known: WeightedSets, shown: WeightedSets, goods: int, rule: Literal["cosine", "amounts"], groups: bool = False
) -> BestMatches:
    """Find the known sets that fit each given set best.

    `cosine` is the sum of products over the root of the sums of squares; `amounts` is the sum of the smaller amounts
    over the sum of the larger ones.

    Args:
        known: Offsets, items and weights, which are positive, of the known sets.
        shown: Offsets, items and weights of the given sets.
        goods: Number of items; all lie below it.
        rule: How well a set fits.
        groups: An item has the same weight in all known sets and the same in all given sets, so that equal sets are
            compared once.

    Returns:
        The lowest best set for each given set, -1 where no item is shared; and all ties, unless there are too many.
    """
    sets, queries = (_groups(*side[:2], groups) for side in (known, shown))
    squares = rule == "cosine"
    index = weighted_index(_select(known, sets.first), goods, squares)
    start, items, weights = _select(shown, queries.first)
    rests = rests_by_rank(start, index.rank_of[items], weights, squares)
    best, spans = BestGroups.room(len(queries.first)), threads.spans(len(queries.first), 256, 256)
    asked = (start, items, weights, rests, total_weights(start, weights, squares))
    calls = [(RULES.index(rule), index, asked, *span, *best, MAX_TIES // len(spans)) for span in spans]
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
def _score(rule, index, place, wanted, asked) -> Any:  # type: ignore[no-untyped-def]
    """Return how well a known set fits; `wanted` has the weight of every item asked for."""
    shared = 0.0
    for at in range(index.start[place], index.start[place + 1]):
        weight = wanted[index.items[at]]
        if weight > 0:
            shared += weight * index.weights[at] if rule == COSINE else min(weight, index.weights[at])
    total = index.totals[place]
    if shared == 0:
        return 0.0
    return shared / total if rule == COSINE else shared / (total + asked - shared)


@njit(nogil=True, cache=True)
def _least(rule, best, asked, total) -> Any:  # type: ignore[no-untyped-def]
    """Return what a set with this total must share to be as good as the best."""
    return best if rule == COSINE else best * (asked + total) / (1 + best)


@njit(nogil=True, cache=True)
def _first_look(rule, index, order, items, weights, rests, asked, wanted, sums) -> Any:  # type: ignore[no-untyped-def]
    """Return the score of a set that shares much of the rarest items."""
    best, top, leader, last, spent, looked, work = 0.0, 0.0, -1, -1, 0, 0, 0
    for k in range(len(order)):
        rank = index.rank_of[items[order[k]]]
        work += index.ends[rank + 1] - index.ends[rank]
    for k in range(len(order)):
        if best > 0 and (spent > LOOK * work or rests[order[k]] < best):
            break
        rank, weight = index.rank_of[items[order[k]]], weights[order[k]]
        for at in range(index.ends[rank], index.ends[rank + 1]):
            place = index.holders[at]
            sums[place] += weight * index.held[at] if rule == COSINE else min(weight, index.held[at])
            if sums[place] > top:
                top, leader = sums[place], place
        spent += index.ends[rank + 1] - index.ends[rank]
        looked = k + 1
        if leader != last:
            last = leader
            best = max(best, _score(rule, index, leader, wanted, asked))
    for k in range(looked):
        rank = index.rank_of[items[order[k]]]
        for at in range(index.ends[rank], index.ends[rank + 1]):
            sums[index.holders[at]] = 0
    return best


@njit(nogil=True, cache=True)
def _enough(rests, begin, end, least) -> Any:  # type: ignore[no-untyped-def]
    """Return where descending rests fall below the least."""
    while begin < end:
        middle = (begin + end) // 2
        if rests[middle] >= least:
            begin = middle + 1
        else:
            end = middle
    return begin


@njit(nogil=True, cache=True)
def _sum_up(rule, index, order, items, weights, rests, least, sums, seen) -> Any:  # type: ignore[no-untyped-def]
    """Sum what is shared as long as the rests could make up the least; returns how many sets were seen."""
    count = 0
    for k in range(len(order)):
        rest = rests[order[k]]
        if rest < least:
            break
        enough = least / rest if rule == COSINE else least
        rank, weight = index.rank_of[items[order[k]]], weights[order[k]]
        begin = index.ends[rank]
        for at in range(begin, _enough(index.rests, begin, index.ends[rank + 1], enough)):
            place = index.holders[at]
            seen[count] = place
            count += sums[place] == 0
            sums[place] += weight * index.held[at] if rule == COSINE else min(weight, index.held[at])
    return count


@njit(nogil=True, cache=True)
def _search(rule, index, questions, first, last, lowest, tied, most_ties) -> Any:  # type: ignore[no-untyped-def]
    """Write the best sets for given sets first … last - 1; returns ties as `search.search_sets` does."""
    start, items, weights, rests, totals = questions
    sums, seen = np.zeros(len(index.totals)), np.empty(len(index.totals) + 1, np.int32)
    wanted, ties, listed, overflow = np.zeros(len(index.rank_of)), np.empty(1024, np.int64), 0, False
    for q in range(first, last):
        begin, end, asked = start[q], start[q + 1], totals[q]
        for at in range(begin, end):
            wanted[items[at]] = weights[at]
        order = begin + np.argsort(index.rank_of[items[begin:end]])
        best = _first_look(rule, index, order, items, weights, rests, asked, wanted, sums)
        # Of amounts, a set as good as the best has a total of at least best * asked, and shares as much.
        unseen = SLACK * SHARE * (best if rule == COSINE else best * asked)
        count, equals = _sum_up(rule, index, order, items, weights, rests, unseen, sums, seen), 0
        for k in range(count):
            place = seen[k]
            shared, sums[place] = sums[place], 0.0
            if shared + unseen >= SLACK * _least(rule, best, asked, index.totals[place]):
                score = _score(rule, index, place, wanted, asked)
                if score > best:
                    best, equals = score, 0
                if score == best and best > 0:
                    seen[equals] = place
                    equals += 1
        for at in range(begin, end):
            wanted[items[at]] = 0
        numbers = seen[:equals]
        lowest[q], tied[q] = numbers.min() if equals else -1, equals
        overflow = overflow or listed + equals > most_ties
        if not overflow:
            ties = append_values(ties, listed, numbers)
            listed += equals
    return ties[:listed].copy(), overflow

"""Compiled search for the sets of an index that fit each given set best: exact, with all ties.

Items are looked up rarest first, and the shared items of each holder are counted. As soon as one set fits so well that
a set without any of the items so far cannot fit as well, no new set is admitted, and sets that can no longer reach the
best score are dropped.

When comparing the few sets left item by item is cheaper than counting on, that is done.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.baskets.similarity_rules import best_possible, compare, score, size_window
from icefire.kernels.common.sorted_arrays import lower_bound

FIRST_CHECKS = 6  # holders of the rarest items that are compared at once, for a good score early
CHECK_COST = 100  # comparing a set costs about as much as counting so many items


@njit(nogil=True, cache=True)
def _count_holders(holders, begin, end, points, seen, count, top) -> Any:  # type: ignore[no-untyped-def]
    """Count one item for every holder; returns how many sets were seen, the highest count, and who has just got it."""
    leader = -1
    for k in range(begin, end):
        place = holders[k]
        have = points[place]
        seen[count] = place  # no branch: the processor could not predict whether a set is new
        count += have == 0
        points[place] = have + 1
        if have >= top:
            top, leader = have + 1, place
    return count, top, leader


@njit(nogil=True, cache=True)
def _count_admitted(holders, begin, end, points) -> Any:  # type: ignore[no-untyped-def]
    """Count one item for every holder that was admitted before."""
    for k in range(begin, end):
        points[holders[k]] += points[holders[k]] > 0


@njit(nogil=True, cache=True)
def _shared(ranks, begin, end, points, next_rank, asked_for) -> Any:  # type: ignore[no-untyped-def]
    """Return the items counted so far plus the shared ones among those not looked up yet, the most frequent ones."""
    while end > begin and ranks[end - 1] >= next_rank:
        end -= 1
        points += asked_for[ranks[end]]
    return points


@njit(nogil=True, cache=True)
def _drop_hopeless(rule, sizes, seen, count, points, left, asked, best) -> Any:  # type: ignore[no-untyped-def]
    """Keep the sets that may still reach the best score and clear the counts of others; returns how many are kept."""
    kept = 0
    for k in range(count):
        place = seen[k]
        size = sizes[place]
        if compare(score(rule, min(points[place] + left, size), size, asked), best) >= 0:
            seen[kept] = place
            kept += 1
        else:
            points[place] = 0
    return kept


@njit(nogil=True, cache=True)
def _admit(rule, index, workspace, ranks, begin, end, asked, q) -> Any:  # type: ignore[no-untyped-def]
    """Count items for every holder, until no new set can be among the best.

    Returns the position in `ranks` where that is, how many sets were seen, the best score so far, and the places that
    are not excluded by their size.
    """
    points, seen, checked, asked_for = workspace
    best = (0, 1, 0)
    low, high = size_window(rule, best, asked, end - begin, index.sizes)
    at, count, top, checks = begin, 0, 0, FIRST_CHECKS
    while at < end and compare(best_possible(rule, end - at, asked), best) >= 0:
        list_begin, list_end = _holders_in_window(index, ranks[at], low, high)
        new = count
        count, top, leader = _count_holders(index.holders, list_begin, list_end, points, seen, count, top)
        at += 1
        next_rank = ranks[at] if at < end else index.held
        stop = min(count, new + checks)
        checks -= stop - new
        before = best
        for k in range(new, stop + 1):
            place = seen[k] if k < stop else leader
            if place >= 0 and checked[place] != q:
                checked[place] = q
                a, b = index.start[place], index.start[place + 1]
                shared = _shared(index.ranks, a, b, points[place], next_rank, asked_for)
                fit = score(rule, shared, b - a, asked)
                if compare(fit, best) > 0:
                    best = fit
        if best != before:
            low, high = size_window(rule, best, asked, end - begin, index.sizes)
    return at, count, best, low, high


@njit(nogil=True, cache=True)
def _holders_in_window(index, rank, low, high) -> Any:  # type: ignore[no-untyped-def]
    """Return the range of an item's holders whose places are in the window."""
    begin = lower_bound(index.holders, index.ends[rank], index.ends[rank + 1], low)
    return begin, lower_bound(index.holders, begin, index.ends[rank + 1], high)


@njit(nogil=True, cache=True)
def _continue_counting(rule, index, workspace, ranks, at, end, asked, count, best, low, high) -> Any:  # type: ignore[no-untyped-def]
    """Go on counting for admitted sets while that is cheaper than comparing each; returns where, and how many."""
    points, seen = workspace[0], workspace[1]
    cost = 0
    for k in range(at, end):
        cost += index.ends[ranks[k] + 1] - index.ends[ranks[k]]
    count, spent = _drop_hopeless(rule, index.sizes, seen, count, points, end - at, asked, best), 0
    while at < end and count * CHECK_COST * len(index.sizes) > cost * (high - low):
        cost -= index.ends[ranks[at] + 1] - index.ends[ranks[at]]
        list_begin, list_end = _holders_in_window(index, ranks[at], low, high)
        _count_admitted(index.holders, list_begin, list_end, points)
        spent += list_end - list_begin
        at += 1
        if spent >= count:
            count, spent = _drop_hopeless(rule, index.sizes, seen, count, points, end - at, asked, best), 0
    return at, count


@njit(nogil=True, cache=True)
def _check(rule, index, workspace, count, left, next_rank, asked, best) -> Any:  # type: ignore[no-untyped-def]
    """Compare the sets seen item by item and clear their counts; the best come first. Returns how many tie."""
    points, seen, _, asked_for = workspace
    equals = 0
    for k in range(count):
        place = seen[k]
        a, b, gained = index.start[place], index.start[place + 1], points[place]
        points[place] = 0
        if compare(score(rule, min(gained + left, b - a), b - a, asked), best) < 0:
            continue
        fit = score(rule, _shared(index.ranks, a, b, gained, next_rank, asked_for), b - a, asked)
        gap = compare(fit, best)
        if gap > 0:
            best, equals = fit, 0
        if gap >= 0:
            seen[equals] = place
            equals += 1
    return equals


@njit(nogil=True, cache=True)
def _best_places(rule, index, workspace, start, ranks, q) -> Any:  # type: ignore[no-untyped-def]
    """Write the places of the best sets for query q to the front of those seen; returns how many."""
    asked_for = workspace[3]
    asked, begin = start[q + 1] - start[q], start[q]
    end = lower_bound(ranks, begin, start[q + 1], index.held)  # what nobody holds only makes the set larger
    for k in range(begin, end):
        asked_for[ranks[k]] = 1
    at, count, best, low, high = _admit(rule, index, workspace, ranks, begin, end, asked, q)
    at, count = _continue_counting(rule, index, workspace, ranks, at, end, asked, count, best, low, high)
    next_rank = ranks[at] if at < end else index.held
    equals = _check(rule, index, workspace, count, end - at, next_rank, asked, best)
    for k in range(begin, end):
        asked_for[ranks[k]] = 0
    return equals


@njit(nogil=True, cache=True)
def _workspace(index) -> Any:  # type: ignore[no-untyped-def]
    """Return working memory: counts by place, places seen, the last query a place was checked for, items asked for."""
    places = len(index.sizes)
    seen, checked = np.empty(places + 1, np.int32), np.full(places, -1, np.int32)
    return np.zeros(places, np.int32), seen, checked, np.zeros(index.held + 1, np.int32)


@njit(nogil=True, cache=True)
def search_sets(rule, index, start, ranks, first, last, lowest, tied, most_ties):  # type: ignore[no-untyped-def]
    """Find the best sets for queries first … last - 1, which are ranks[start[q]:start[q + 1]], ascending.

    Args:
        rule: Number of the rule in `similarity_rules`.
        index: The known sets.
        start: Offsets of the queries.
        ranks: Their items as ranks of the index.
        first: First query.
        last: Last query, plus one.
        lowest: Written: the lowest of the best sets of each query, -1 if no set shares an item.
        tied: Written: how many sets are as good.
        most_ties: Ties listed at most, over all queries.

    Returns:
        All of the best, in no order, one query after the other, and whether there were more than `most_ties`.
    """
    workspace = _workspace(index)
    ties, listed, overflow = np.empty(1024, np.int64), 0, False
    for q in range(first, last):
        equals = _best_places(rule, index, workspace, start, ranks, q)
        numbers = index.order[workspace[1][:equals]]
        lowest[q], tied[q] = numbers.min() if equals else -1, equals
        overflow = overflow or listed + equals > most_ties
        if not overflow:
            ties = append_values(ties, listed, numbers)
            listed += equals
    return ties[:listed].copy(), overflow


@njit(nogil=True, cache=True)
def append_values(array, at, values) -> Any:  # type: ignore[no-untyped-def]
    """Write values from a position on, and return the array, enlarged if necessary."""
    while at + len(values) > len(array):
        array = np.concatenate((array, array))
    array[at : at + len(values)] = values
    return array


@njit(nogil=True, cache=True)
def count_best_sets(rule, index, start, ranks, first, last, weight, right_start, right, counts):  # type: ignore[no-untyped-def]
    """Write for each query the weight of the best sets, and how many of the right ones are among them.

    Args:
        rule: Number of the rule in `similarity_rules`.
        index: The sets searched.
        start: Offsets of the queries.
        ranks: Their items as ranks of the index.
        first: First query.
        last: Last query, plus one.
        weight: One weight per indexed set.
        right_start: The right sets of query q are right[right_start[q]:right_start[q + 1]]; one may occur several
            times.
        right: See `right_start`.
        counts: Written: queries × 2.
    """
    workspace, named = _workspace(index), np.zeros(len(index.sizes), np.int64)
    for q in range(first, last):
        equals = _best_places(rule, index, workspace, start, ranks, q)
        for k in range(right_start[q], right_start[q + 1]):
            named[right[k]] += 1
        counts[q, 0], counts[q, 1] = 0, 0
        for k in range(equals):
            number = index.order[workspace[1][k]]
            counts[q, 0] += weight[number]
            counts[q, 1] += named[number]
        for k in range(right_start[q], right_start[q + 1]):
            named[right[k]] = 0

"""Compiled search for the sets with the highest Jaccard coefficient, by the rarest items of both sets: exact, all ties.

A first look at the rarest items of a given set finds a set that is similar (`_seed`). A set of a items that is as
similar to b items shares at least o = t (a + b) / (1 + t) of them, where t is the best coefficient so far. Of items
ordered by rarity, the first l shared ones are then among the first a - o + l of the one set and the first b - o + l of
the other. So only those are counted, class by class of sizes (`size_classes`), and only sets that reach l are compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.baskets.search import append_values
from icefire.kernels.common.sorted_arrays import lower_bound

SEED_SHARE = 0.02  # of the work that the similarity so far would leave, so much is spent on finding a better one
LEAST_COMMON, ONE_PER = 4, 12  # sets are compared that share 4 of the first items, and one more for every 12 asked


@njit(nogil=True, cache=True)
def _needed(best, size, asked) -> Any:  # type: ignore[no-untyped-def]
    """Return how many items a set of this size must share to be as similar as the best; best is shared, united."""
    return max(1, -(-(best[0] * (size + asked)) // (best[0] + best[1])))


@njit(nogil=True, cache=True)
def _common(asked) -> Any:  # type: ignore[no-untyped-def]
    """Return how many of the first items must be shared before a set is compared."""
    return LEAST_COMMON + asked // ONE_PER


@njit(nogil=True, cache=True)
def _shared(ranks, begin, end, asked_for, least) -> Any:  # type: ignore[no-untyped-def]
    """Count the items of a set that are asked for; -1 as soon as they cannot be as many as the least."""
    shared = 0
    while begin < end and shared + end - begin >= least:
        shared += asked_for[ranks[begin]]
        begin += 1
    return shared if begin == end else -1


@njit(nogil=True, cache=True)
def _mark(ranks, begin, end, asked_for, value) -> Any:  # type: ignore[no-untyped-def]
    for k in range(begin, end):
        asked_for[ranks[k]] = value


@njit(nogil=True, cache=True)
def _seed(index, ranks, begin, end, asked, best, points, asked_for) -> Any:  # type: ignore[no-untyped-def]
    """Return the similarity (shared, united) of a set that shares many of the rarest items, if it is above the best."""
    known = end - begin
    top, leader, last, spent, at = 0, -1, -1, 0, begin
    while at < end:
        needed = _needed(best, asked, asked)
        if needed > known or (best[0] > 0 and spent >= _left(index.ends, ranks, begin, end, needed, asked)):
            break
        for k in range(index.ends[ranks[at]], index.ends[ranks[at] + 1]):
            place = index.holders[k]
            points[place] += 1
            if points[place] > top:
                top, leader = points[place], place
        spent += index.ends[ranks[at] + 1] - index.ends[ranks[at]]
        at += 1
        if leader != last:
            last = leader
            a, b = index.start[leader], index.start[leader + 1]
            shared = _shared(index.ranks, a, b, asked_for, 0)
            if shared * best[1] > best[0] * (b - a + asked - shared):
                best = (shared, b - a + asked - shared)
    for k in range(begin, at):
        for holder in range(index.ends[ranks[k]], index.ends[ranks[k] + 1]):
            points[index.holders[holder]] = 0
    return best


@njit(nogil=True, cache=True)
def _left(ends, ranks, begin, end, needed, asked) -> Any:  # type: ignore[no-untyped-def]
    """Return how much may be spent on a better bound, by the holders of the items that will have to be looked up."""
    work = 0
    for k in range(begin, min(end, end - needed + _common(asked))):
        work += ends[ranks[k] + 1] - ends[ranks[k]]
    return SEED_SHARE * work


@njit(nogil=True, cache=True)
def _candidates(classes, c, ranks, begin, end, position, common, points, seen) -> Any:  # type: ignore[no-untyped-def]
    """Count the items of a query for the sets of a class that have them before a position.

    Writes those that share as many as `common` to `seen`, and returns how many they are.
    """
    count, cells, places = 0, classes.cells[c], classes.places
    for k in range(begin, end):
        first, stop = cells[ranks[k]], cells[ranks[k] + 1]
        if first < stop and classes.position[stop - 1] >= position:
            stop = lower_bound(classes.position, first, stop, position)
        for at in range(first, stop):
            place = places[at]
            have = points[place] + 1
            points[place] = have
            seen[count] = place  # no branch: the processor could not predict it
            count += have == common
    return count


@njit(nogil=True, cache=True)
def _search_class(index, classes, c, ranks, begin, end, asked, best, work) -> Any:  # type: ignore[no-untyped-def]
    """Compare a query with the sets of a class.

    Returns the best similarity; how many sets of the class have it, which are written to the front of those seen; and
    whether it is better than before.
    """
    points, seen, asked_for = work
    low, high, known = classes.first[c], classes.first[c + 1], end - begin
    smallest, largest = index.sizes[low], index.sizes[high - 1]
    needed, most_needed = _needed(best, smallest, asked), _needed(best, largest, asked)
    if most_needed > largest or needed > known:
        return best, 0, False
    common = min(_common(asked), needed)
    stop, position = begin + known - needed + common, largest - most_needed + common
    points[low:high] = 0
    count = _candidates(classes, c, ranks, begin, stop, position, common, points, seen)
    equals, better = 0, False
    if count:
        _mark(ranks, begin, end, asked_for, 1)
    for k in range(count):
        place = seen[k]
        a, b = index.start[place], index.start[place + 1]
        least = _needed(best, b - a, asked)
        # Shared items that were not counted follow all counted ones in both sets.
        if points[place] + max(end - stop, b - a - position) < least:
            continue
        shared = _shared(index.ranks, a, b, asked_for, least)
        gap = shared * best[1] - best[0] * (b - a + asked - shared) if shared > 0 else -1
        if gap > 0:
            best, equals, better = (shared, b - a + asked - shared), 0, True
        if gap >= 0:
            seen[equals] = place
            equals += 1
    if count:
        _mark(ranks, begin, end, asked_for, 0)
    return best, equals, better


@njit(nogil=True, cache=True)
def _bounds(index, start, ranks, queries, first, last, best, points, asked_for, ends) -> Any:  # type: ignore[no-untyped-def]
    """Raise the best for some queries to what some set has, and write where the items that anybody holds end."""
    for k in range(first, last):
        q = queries[k]
        begin, end = start[q], lower_bound(ranks, start[q], start[q + 1], index.held)
        _mark(ranks, begin, end, asked_for, 1)
        located = _seed(index, ranks, begin, end, start[q + 1] - begin, (best[q, 0], best[q, 1]), points, asked_for)
        _mark(ranks, begin, end, asked_for, 0)
        best[q, 0], best[q, 1], ends[k - first] = located[0], located[1], end


@njit(nogil=True, cache=True)
def _still_best(owners, sets, versions, count, version, first) -> Any:  # type: ignore[no-untyped-def]
    """Drop ties that a better set has replaced; returns how many are left."""
    kept = 0
    for k in range(count):
        if versions[k] == version[owners[k] - first]:
            owners[kept], sets[kept], versions[kept] = owners[k], sets[k], versions[k]
            kept += 1
    return kept


@njit(nogil=True, cache=True)
def search_classes(index, classes, start, ranks, queries, first, last, lowest, tied, best, most_ties):  # type: ignore[no-untyped-def]
    """Find the most similar sets for some queries, which are ranks[start[q]:start[q + 1]], ascending.

    Args:
        index: The known sets.
        classes: The same by size.
        start: Offsets of the queries.
        ranks: Their items as ranks of the index.
        queries: Queries by size, so that neighbours look at the same classes.
        first: First of these.
        last: Last of these, plus one.
        lowest: Written: the lowest of the best sets of each query, -1 if there is none.
        tied: Written: how many sets are as good.
        best: Shared and united items of the best set of each query; sets below what it holds before are left out.
        most_ties: Ties listed at most.

    Returns:
        The query of each tie, the sets tied, and whether there were more than `most_ties`.
    """
    points, seen = np.zeros(len(index.sizes) + 1, np.int32), np.empty(len(index.sizes) + 1, np.int32)
    work = (points, seen, np.zeros(index.held + 1, np.int32))
    ends = np.zeros(last - first, np.int64)
    _bounds(index, start, ranks, queries, first, last, best, points, work[2], ends)
    version = np.zeros(last - first, np.int64)
    owners, sets, versions = np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024, np.int64)
    listed, overflow = 0, False
    for c in range(len(classes.first) - 1):
        for k in range(first, last):
            q, at = queries[k], k - first
            before = (best[q, 0], best[q, 1])
            located, equals, better = _search_class(
                index, classes, c, ranks, start[q], ends[at], start[q + 1] - start[q], before, work
            )
            if better:
                best[q, 0], best[q, 1] = located
                version[at] += 1
                lowest[q], tied[q] = -1, 0
            for e in range(equals):
                number = index.order[seen[e]]
                lowest[q] = number if lowest[q] < 0 else min(number, lowest[q])
            tied[q] += equals
            if equals and not overflow:
                if listed + equals > len(sets):
                    listed = _still_best(owners, sets, versions, listed, version, first)
                overflow = listed + equals > most_ties
                sets = append_values(sets, listed, index.order[seen[:equals]])
                owners = append_values(owners, listed, np.full(equals, k, np.int64))
                versions = append_values(versions, listed, np.full(equals, version[at], np.int64))
                listed += equals
    listed = _still_best(owners, sets, versions, listed, version, first)
    return queries[owners[:listed]], sets[:listed].copy(), overflow

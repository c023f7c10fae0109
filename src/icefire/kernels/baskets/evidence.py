"""Known sets that explain a given set whose items are more or less credible, each with its score.

An item that both sets hold counts with its weight (above zero if credible, below otherwise); an item of the known set
that the given set lacks costs a fixed amount. Candidates are the holders of credible items; the rarest items are looked
up first, until no further set can come near the best score. Candidates may also be proposed by the caller.

Of equal scores the lowest set comes first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.baskets import inverted_index as basket_index
from icefire.kernels.baskets.search import append_values
from icefire.kernels.baskets.top_list import insert_if_better
from icefire.kernels.common import threads
from icefire.kernels.common.ranges import offsets
from icefire.kernels.types import Float, Int, Int32

ROUNDING = 1e-6  # sums of the same weights in another order differ by less


class Explanations(NamedTuple):
    """Known sets that may explain each given set: set j by sets[ends[j]:ends[j + 1]], the best first."""

    ends: Int
    sets: Int
    lead: Float  # from above 0, for one just not left out, up to the slack, for the best


def best_explanations(
    known: tuple[Int, Int32],
    shown: tuple[Int, Int32, Float],
    proposed: tuple[Int, Int, Int],
    goods: int,
    missing: float,
    slack: float,
    most: int,
) -> Explanations:
    """Find for each given set the known sets that score less than `slack` below the best.

    Args:
        known: Offsets and items (ascending in each set) of the known sets.
        shown: Offsets, items and weights of the given sets.
        proposed: Known sets proposed as candidates, and for each given set where its own begin and end there.
        goods: Number of items; all lie below it.
        missing: Cost of an item of the known set that the given set lacks.
        slack: Sets that score so far below the best, or farther, are left out.
        most: Sets kept at most for each given set.

    Returns:
        The known sets and by how much they are ahead of those left out.
    """
    index = basket_index.build_index(*known, goods)
    place = np.empty(len(index.order), np.int32)
    place[index.order] = np.arange(len(index.order), dtype=np.int32)
    start, items, weights = shown
    ranks = index.rank_of[items]
    order = np.lexsort((ranks, np.repeat(np.arange(len(start) - 1), np.diff(start))))
    candidates, begin, end = proposed
    arguments = (index, start, ranks[order], weights[order], place[candidates], begin, end, missing, slack, most)
    parts = threads.starmap(
        _best_explanations, [(*arguments, *span) for span in threads.spans(len(start) - 1, 256, 256)]
    )
    counts, sets, lead = (np.concatenate(pieces) for pieces in zip(*parts, strict=True))
    return Explanations(offsets(counts), sets, lead)


@njit(nogil=True, cache=True)
def _score(ranks, begin, end, gain, missing) -> Any:  # type: ignore[no-untyped-def]
    """Return the score of a known set."""
    total = -missing * (end - begin)
    for at in range(begin, end):
        total += gain[ranks[at]]
    return total


@njit(nogil=True, cache=True)
def _sum_up(holders, begin, end, weight, sums, seen, count) -> Any:  # type: ignore[no-untyped-def]
    """Add a weight above zero for every holder; returns how many were seen, and the leader among those met here."""
    leader = -1
    for k in range(begin, end):
        place = holders[k]
        seen[count] = place
        count += sums[place] == 0
        sums[place] += weight
        if leader < 0 or sums[place] > sums[leader]:
            leader = place
    return count, leader


@njit(nogil=True, cache=True)
def _check(index, places, count, gain, missing, exact, checked, q, scored, listed, best) -> Any:  # type: ignore[no-untyped-def]
    """Score places not scored before and list them; returns how many are listed, and the best score."""
    for k in range(count):
        place = places[k]
        if checked[place] != q:
            checked[place] = q
            exact[place] = _score(index.ranks, index.start[place], index.start[place + 1], gain, missing)
            best = max(best, exact[place])
            scored[listed] = place
            listed += 1
    return listed, best


@njit(nogil=True, cache=True)
def _explain(index, workspace, ranks, weights, begin, end, proposed, missing, slack, q) -> Any:  # type: ignore[no-untyped-def]
    """Score the proposed sets and those that credible items lead to; returns how many, and the best score."""
    gain, sums, exact, seen, checked, scored = workspace
    rest = 0.0
    for at in range(begin, end):
        gain[ranks[at]] = weights[at] + missing
        rest += max(weights[at], 0.0)
    listed, best = _check(index, proposed, len(proposed), gain, missing, exact, checked, q, scored, 0, -np.inf)
    count, at = 0, begin
    while at < end and ranks[at] < index.held and rest + ROUNDING >= best - slack:
        if weights[at] > 0:
            rank = ranks[at]
            count, leader = _sum_up(
                index.holders, index.ends[rank], index.ends[rank + 1], weights[at], sums, seen, count
            )
            rest -= weights[at]
            seen[count] = leader
            ahead = seen[count : count + 1]
            listed, best = _check(index, ahead, 1, gain, missing, exact, checked, q, scored, listed, best)
        at += 1
    kept = 0
    for k in range(count):
        place = seen[k]
        seen[kept] = place
        kept += sums[place] + rest + ROUNDING >= best - slack
        sums[place] = 0.0
    listed, best = _check(index, seen, kept, gain, missing, exact, checked, q, scored, listed, best)
    for at in range(begin, end):
        gain[ranks[at]] = 0.0
    return listed, best


@njit(nogil=True, cache=True)
def _best_explanations(index, start, ranks, weights, proposed, begin, end, missing, slack, most, first, last) -> Any:  # type: ignore[no-untyped-def]
    """Find the best explanations of given sets first … last - 1; returns counts, sets and leads."""
    n = len(index.sizes)
    gain, sums, exact = np.zeros(len(index.ends)), np.zeros(n), np.zeros(n)
    seen, checked, scored = np.empty(n + 1, np.int32), np.full(n, -1, np.int32), np.empty(n, np.int32)
    workspace = (gain, sums, exact, seen, checked, scored)
    counts, values, numbers = np.zeros(last - first, np.int64), np.empty(most), np.empty(most, np.int64)
    sets, lead, size = np.empty(1024, np.int64), np.empty(1024), 0
    for q in range(first, last):
        own = proposed[begin[q] : end[q]]
        listed, best = _explain(index, workspace, ranks, weights, start[q], start[q + 1], own, missing, slack, q)
        chosen = 0
        for k in range(listed):
            ahead = exact[scored[k]] - (best - slack)
            if ahead > 0:
                chosen = insert_if_better(values, numbers, chosen, ahead, index.order[scored[k]])
        sets, lead = append_values(sets, size, numbers[:chosen]), append_values(lead, size, values[:chosen])
        size += chosen
        counts[q - first] = chosen
    return counts, sets[:size].copy(), lead[:size].copy()

"""The few known sets most similar to each given set, with their Jaccard similarity, for a later assignment."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from icefire.kernels.baskets import inverted_index as basket_index
from icefire.kernels.baskets.search import append_values
from icefire.kernels.baskets.top_list import insert_if_better
from icefire.kernels.common import threads
from icefire.kernels.common.ranges import offsets
from icefire.kernels.types import Float, Int, Int32


def top_matches(known: tuple[Int, Int32], shown: tuple[Int, Int32], goods: int, most: int) -> tuple[Int, Int, Float]:
    """Return for each given set up to `most` known sets by Jaccard similarity.

    Args:
        known: Offsets and items (ascending in each set) of the known sets.
        shown: Offsets and items of the given sets.
        goods: Number of items; all lie below it.
        most: Known sets kept at most for each given set.

    Returns:
        Offsets, sets and similarities: given set j gets sets[ends[j]:ends[j + 1]], the most similar first, ties by the
        lowest set. Sets that share no item are left out.
    """
    index = basket_index.build_index(*known, goods)
    start, items = shown
    ranks = basket_index.ranks_of_items(index, start, items)
    spans = threads.spans(len(start) - 1, 256, 256)
    parts = threads.starmap(_top_matches, [(index, start, ranks, min(most, len(index.sizes)), *span) for span in spans])
    counts, sets, likeness = (np.concatenate(pieces) for pieces in zip(*parts, strict=True))
    return offsets(counts), sets, likeness


@njit(nogil=True, cache=True)
def _count_holders(holders, begin, end, points, seen, count) -> Any:  # type: ignore[no-untyped-def]
    """Count one item for every holder; returns how many sets were seen."""
    for k in range(begin, end):
        place = holders[k]
        seen[count] = place
        count += points[place] == 0
        points[place] += 1
    return count


@njit(nogil=True, cache=True)
def _top_matches(index, start, ranks, most, first, last) -> Any:  # type: ignore[no-untyped-def]
    """Find the top matches of given sets first … last - 1; returns how many each has, the sets, and similarities."""
    points, seen = np.zeros(len(index.sizes), np.int32), np.empty(len(index.sizes) + 1, np.int32)
    values, numbers, counts = np.empty(most), np.empty(most, np.int64), np.zeros(last - first, np.int64)
    sets, likeness, written = np.empty(1024, np.int64), np.empty(1024), 0
    for q in range(first, last):
        count, listed, asked = 0, 0, start[q + 1] - start[q]
        for at in range(start[q], start[q + 1]):
            if ranks[at] < index.held:
                begin, end = index.ends[ranks[at]], index.ends[ranks[at] + 1]
                count = _count_holders(index.holders, begin, end, points, seen, count)
        for k in range(count):
            place = seen[k]
            value = points[place] / (index.sizes[place] + asked - points[place])
            listed = insert_if_better(values, numbers, listed, value, index.order[place])
            points[place] = 0
        sets, likeness = (
            append_values(sets, written, numbers[:listed]),
            append_values(likeness, written, values[:listed]),
        )
        written += listed
        counts[q - first] = listed
    return counts, sets[:written].copy(), likeness[:written].copy()

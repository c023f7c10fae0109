"""Jaccard similarity of pairs of subjects: sums, maximum and histogram over all pairs, or over some."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.sorted_arrays import count_common
from icefire.kernels.types import Int, Int32

SPANS = 64


@dataclass(frozen=True, slots=True)
class PairSimilarity:
    """Sums, maximum and histogram of the Jaccard coefficient over pairs of subjects."""

    pairs: int
    total: float
    """Sum of the coefficients."""
    shared: int
    """Sum of the numbers of items both have."""
    largest: float
    bins: Int
    """Pairs by coefficient in steps of equal width; 1 lies in the last."""


def all_pairs(start: Int, items: Int32, by_item: tuple[Int, Int32], bins: int) -> PairSimilarity:
    """Compare every pair of subjects once; quadratic in the number of subjects.

    Args:
        start: Subject u holds items[start[u]:start[u + 1]], ascending.
        items: See `start`.
        by_item: Offsets and subjects: those that hold each item, ascending (see `Baskets.by_item`).
        bins: Number of bins of the histogram.

    Returns:
        The totals over all pairs.
    """
    subjects = len(start) - 1
    room = np.zeros((SPANS, bins), np.int64)
    # Later subjects have fewer partners left; many short spans balance the work.
    spans = threads.spans(subjects, 16, SPANS)
    calls = [(start, items, *by_item, room[i], low, high) for i, (low, high) in enumerate(spans)]
    return _summed(threads.starmap(_count_all, calls), room, subjects * (subjects - 1) // 2)


def some_pairs(start: Int, items: Int32, left: Int, right: Int, bins: int) -> PairSimilarity:
    """Compare the pairs (left[k], right[k]).

    Args:
        start: Subject u holds items[start[u]:start[u + 1]], ascending.
        items: See `start`.
        left: One subject of each pair.
        right: The other subject.
        bins: Number of bins of the histogram.

    Returns:
        The totals over these pairs.
    """
    room = np.zeros((SPANS, bins), np.int64)
    spans = threads.spans(len(left), 1024, SPANS)
    calls = [(start, items, left, right, room[i], low, high) for i, (low, high) in enumerate(spans)]
    return _summed(threads.starmap(_count_some, calls), room, len(left))


def _summed(parts: list[tuple[float, int, float]], room: Int, pairs: int) -> PairSimilarity:
    """Add up the results of all spans."""
    totals, shared, largest = zip(*parts, strict=True)
    return PairSimilarity(pairs, float(sum(totals)), int(sum(shared)), float(max(largest)), room.sum(axis=0))


@njit(nogil=True, cache=True)
def _count_all(start, items, listed, subjects, room, first, last):  # type: ignore[no-untyped-def]
    """Compare subjects first … last - 1 with all later ones; returns sum, shared items and maximum."""
    count = len(start) - 1
    common, position = np.zeros(count, np.int64), listed[:-1].copy()
    total, shared, largest = 0.0, 0, 0.0
    for a in range(first, last):
        for entry in range(start[a], start[a + 1]):
            item = items[entry]
            place, end = position[item], listed[item + 1]
            while place < end and subjects[place] <= a:
                place += 1
            position[item] = place
            for other in range(place, end):
                common[subjects[other]] += 1
        size = start[a + 1] - start[a]
        for b in range(a + 1, count):
            both = common[b]
            if both == 0:
                room[0] += 1
                continue
            common[b] = 0
            either = size + start[b + 1] - start[b] - both
            room[min(both * len(room) // either, len(room) - 1)] += 1
            total += both / either
            shared += both
            largest = max(largest, both / either)
    return total, shared, largest


@njit(nogil=True, cache=True)
def _count_some(start, items, left, right, room, first, last):  # type: ignore[no-untyped-def]
    """Compare pairs first … last - 1; returns sum, shared items and maximum."""
    total, shared, largest = 0.0, 0, 0.0
    for pair in range(first, last):
        i, i_end = start[left[pair]], start[left[pair] + 1]
        j, j_end = start[right[pair]], start[right[pair] + 1]
        both = count_common(items, i, i_end, items, j, j_end)
        either = i_end - i + j_end - j - both
        if both == 0:
            room[0] += 1
            continue
        room[min(both * len(room) // either, len(room) - 1)] += 1
        total += both / either
        shared += both
        largest = max(largest, both / either)
    return total, shared, largest

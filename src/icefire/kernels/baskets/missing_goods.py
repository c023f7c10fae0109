"""The goods that each subject lacks of its cluster: counted in a first pass, written in a second."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from icefire.kernels.common import threads
from icefire.kernels.common.counting_sort import positions_by_label
from icefire.kernels.common.ranges import offsets
from icefire.kernels.types import Int, Int32


def missing_goods(start: Int, items: Int32, goods: int, labels: Int, c: int) -> tuple[Int, Int32]:
    """Return the goods of its cluster that each subject lacks, ascending.

    Args:
        start: Subject u holds items[start[u]:start[u + 1]], ascending.
        items: See `start`.
        goods: Number of goods; items lie below it.
        labels: Cluster of each subject; one with a negative label is in no cluster and lacks nothing.
        c: Number of clusters.

    Returns:
        Offsets (subjects + 1) and goods: subject u lacks missing[first[u]:first[u + 1]]. Memory beyond the result grows
        with the number of goods and of subjects only.
    """
    begin, members = positions_by_label(labels, c)
    parts = threads.spans(c, 8)
    count = np.zeros(len(labels), np.int64)
    threads.starmap(_count, [(start, items, goods, begin, members, count, *part) for part in parts])
    first = offsets(count)
    missing = np.empty(first[-1], np.int32)
    threads.starmap(_write, [(start, items, goods, begin, members, first, missing, *part) for part in parts])
    return first, missing


def missing_counts(start: Int, items: Int32, goods: int, labels: Int, c: int) -> Int:
    """Return how many goods of its cluster each subject lacks; the sum is Δm.

    Args:
        start: Subject u holds items[start[u]:start[u + 1]], each once; the items may be on disk.
        items: See `start`.
        goods: Number of goods; items lie below it.
        labels: Cluster of each subject; one with a negative label is in no cluster and lacks nothing.
        c: Number of clusters.

    Returns:
        One number for each subject. Memory grows with the number of goods and of subjects only.
    """
    begin, members = positions_by_label(labels, c)
    count = np.zeros(len(labels), np.int64)
    threads.starmap(_count, [(start, items, goods, begin, members, count, *part) for part in threads.spans(c, 8)])
    return count


@numba.njit(nogil=True, cache=True)
def _union(start, items, members, stamp, mark, union) -> Any:  # type: ignore[no-untyped-def]
    """Write the distinct goods of some subjects; returns how many there are."""
    size = 0
    for u in members:
        for p in range(start[u], start[u + 1]):
            if stamp[items[p]] != mark:
                stamp[items[p]] = mark
                union[size] = items[p]
                size += 1
    return size


@numba.njit(nogil=True, cache=True)
def _count(start, items, goods, begin, members, count, low, high) -> Any:  # type: ignore[no-untyped-def]
    """Write how many goods each subject of clusters low … high - 1 lacks."""
    stamp, union = np.full(goods, -1, np.int64), np.empty(goods, np.int32)
    for x in range(low, high):
        inside = members[begin[x] : begin[x + 1]]
        size = _union(start, items, inside, stamp, x, union)
        for u in inside:
            count[u] = size - (start[u + 1] - start[u])


@numba.njit(nogil=True, cache=True)
def _write(start, items, goods, begin, members, first, missing, low, high) -> Any:  # type: ignore[no-untyped-def]
    """Write the goods that each subject of clusters low … high - 1 lacks."""
    stamp, union = np.full(goods, -1, np.int64), np.empty(goods, np.int32)
    for x in range(low, high):
        inside = members[begin[x] : begin[x + 1]]
        size = _union(start, items, inside, stamp, x, union)
        union[:size].sort()
        for u in inside:
            # Both lists ascend, so that one pass finds what the subject holds.
            mine, place = start[u], first[u]
            for g in union[:size]:
                if mine < start[u + 1] and items[mine] == g:
                    mine += 1
                else:
                    missing[place] = g
                    place += 1

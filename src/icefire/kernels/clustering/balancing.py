"""Small clusters filled from the largest, each time with the subject most similar to one already there."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from icefire.kernels.common.counting_sort import positions_by_label
from icefire.kernels.types import Int, Int32


def balance_clusters(start: Int, items: Int32, goods: int, labels: Int, c: int, least: int) -> Int:
    """Move subjects until every cluster has at least `least`; there must be c · least subjects or more.

    Small clusters are filled in ascending order. Before every move the largest cluster is looked up (ties: the first);
    of its subjects the one with the best Jaccard similarity to any subject of the small cluster moves (ties: the
    lowest). If the small cluster is empty, the first subject of the largest moves.

    Args:
        start: Subject u holds items[start[u]:start[u + 1]].
        items: See `start`.
        goods: Number of items; all lie below it.
        labels: Cluster of each subject.
        c: Number of clusters.
        least: Least size of a cluster.

    Returns:
        Cluster of each subject.
    """
    filled = labels.astype(np.int64)
    _fill(start, items, goods, filled, c, least, np.arange(c), True)
    return filled


def balance_smallest_first(start: Int, items: Int32, goods: int, labels: Int, c: int, least: int) -> Int:
    """Move subjects until every cluster has at least `least`, the smallest clusters first.

    As `balance_clusters`, but the smallest clusters are filled first (ties: the first), and the largest cluster is
    looked up once for each cluster that is filled; again only when it is down to `least` itself.

    Args:
        start: Subject u holds items[start[u]:start[u + 1]].
        items: See `start`.
        goods: Number of items; all lie below it.
        labels: Cluster of each subject.
        c: Number of clusters.
        least: Least size of a cluster.

    Returns:
        Cluster of each subject.
    """
    filled = labels.astype(np.int64)
    order = np.argsort(np.bincount(filled, minlength=c), kind="stable")
    _fill(start, items, goods, filled, c, least, order, False)
    return filled


@numba.njit(nogil=True, cache=True)
def _fill(start, items, goods, labels, c, least, order, every_move) -> Any:  # type: ignore[no-untyped-def]
    """Fill small clusters in place, in this order; the largest is looked up before every move, or once for each."""
    begin, members = positions_by_label(labels, c)
    sizes = np.diff(begin)
    stamp, mark = np.full(goods, -1, np.int64), 0
    joined = np.empty(max(least, 1), np.int64)
    # No cluster is filled beyond `least`, and while one is smaller the largest has more. So the order "by descending
    # size, then by number" loses clusters at its front only, and one pass per size finds the largest every time.
    level, giver = sizes.max(), 0
    for x in order:
        count = sizes[x]
        if count >= least:
            continue
        for i in range(count):
            joined[i] = members[begin[x] + i]
        if not every_move:
            giver = int(np.argmax(sizes))
        while count < least:
            if every_move:
                while sizes[giver] != level:
                    giver += 1
                    if giver == c:
                        giver, level = 0, level - 1
            elif sizes[giver] <= least:
                giver = int(np.argmax(sizes))
            size = sizes[giver]
            mark, place = _best(start, items, stamp, mark, joined[:count], members[begin[giver] : begin[giver] + size])
            u = members[begin[giver] + place]
            # The others keep their order: ties go to the lowest number.
            for i in range(begin[giver] + place, begin[giver] + size - 1):
                members[i] = members[i + 1]
            labels[u], joined[count] = x, u
            sizes[giver] -= 1
            count += 1
        sizes[x] = count


@numba.njit(nogil=True, cache=True)
def _best(start, items, stamp, mark, there, candidates) -> Any:  # type: ignore[no-untyped-def]
    """Return the candidate with the best Jaccard similarity to any subject there; fractions are compared exactly."""
    best_common, best_union, chosen = 0, 1, 0
    for v in there:
        mark += 1
        for p in range(start[v], start[v + 1]):
            stamp[items[p]] = mark
        for place in range(candidates.size):
            u, common = candidates[place], 0
            for p in range(start[u], start[u + 1]):
                common += stamp[items[p]] == mark
            union = start[v + 1] - start[v] + start[u + 1] - start[u] - common
            ahead = common * best_union - best_common * union
            if ahead > 0 or (ahead == 0 and place < chosen):
                best_common, best_union, chosen = common, union, place
    return mark, chosen

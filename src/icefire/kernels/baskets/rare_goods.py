"""Goods to remove so that every combination of up to m goods that occurs is held by at least k subjects.

Goods are removed greedily; ties go to the first good.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from icefire.kernels.baskets.incidence import Incidence
from icefire.kernels.types import Bool, Int

PAIR, TRIPLE = 2, 3


class _Workspace(NamedTuple):
    """Room to count on; counts are zero between two uses, and nobody is marked."""

    times: Int
    met: Int
    inner_times: Int
    inner_met: Int
    marked: NDArray[np.bool_]


def goods_to_keep(held: Incidence, k: int, m: int) -> Bool:
    """Return which goods stay, for m = 1, 2 or 3.

    Fewer than k buyers: the good goes. Then, as long as some pair is rare (somebody has both, but fewer than k do), the
    good goes that is in most rare pairs for each of its buyers (the first of equals); triples likewise. Leaving a good
    out changes no other combination, so that a smaller size never needs to be looked at again. In the end goods that
    make no rare combination with those that stayed come back, the most bought first.
    """
    buyers = np.diff(held.good_start)
    alive: Bool = buyers >= k
    goods, subjects = len(buyers), len(held.start) - 1
    times, met, inner_times, inner_met = np.zeros((4, goods), np.int64)
    desk = _Workspace(times, met, inner_times, inner_met, np.zeros(subjects, bool))
    wanted = alive.copy()
    for size in range(PAIR, m + 1):
        _remove_rare(held, k, size, buyers, alive, desk)
    _bring_back(held, k, m, wanted & ~alive, buyers, alive, desk)
    return alive


@numba.njit(nogil=True, cache=True)
def _remove_rare(held, k, size, buyers, alive, desk) -> Any:  # type: ignore[no-untyped-def]
    rare, nowhere = np.zeros(alive.size, np.int64), np.zeros(alive.size, np.int64)
    for g in range(alive.size):
        if alive[g]:
            rare[g] = _count_rare(held, k, size, g, alive, desk, nowhere, 0)
    worst = _rarest_good(rare, buyers, alive)
    while worst >= 0:
        alive[worst] = False
        _count_rare(held, k, size, worst, alive, desk, rare, -1)
        worst = _rarest_good(rare, buyers, alive)


@numba.njit(nogil=True, cache=True)
def _bring_back(held, k, m, gone, buyers, alive, desk) -> Any:  # type: ignore[no-untyped-def]
    nowhere = np.zeros(alive.size, np.int64)
    for g in np.argsort(-buyers, kind="mergesort"):
        if gone[g]:
            rare = 0
            for size in range(PAIR, m + 1):
                if rare == 0:
                    rare = _count_rare(held, k, size, g, alive, desk, nowhere, 0)
            alive[g] = rare == 0


@numba.njit(nogil=True, cache=True)
def _rarest_good(rare, buyers, alive) -> Any:  # type: ignore[no-untyped-def]
    """The good in most rare combinations for each of its buyers, -1 if there is none."""
    worst = -1
    for g in range(alive.size):
        if alive[g] and rare[g] > 0 and (worst < 0 or rare[g] * buyers[worst] > rare[worst] * buyers[g]):
            worst = g
    return worst


@numba.njit(nogil=True, cache=True)
def _count_rare(held, k, size, g, alive, desk, change, by) -> Any:  # type: ignore[no-untyped-def]
    """Count the rare combinations of g with others alive, and add `by` to the number every other has of them."""
    met, rare = _partners(held, g, -1, alive, desk.marked, False, desk.times, desk.met), 0
    if size == PAIR:
        for i in range(met):
            h = desk.met[i]
            if desk.times[h] < k:
                rare += 1
                change[h] += by
    else:
        _mark(held, g, desk.marked, True)
        for i in range(met):
            rare += _count_rare_triples(held, k, desk.met[i], g, alive, desk, change, by)
        _mark(held, g, desk.marked, False)
    for i in range(met):
        desk.times[desk.met[i]] = 0
    return rare


@numba.njit(nogil=True, cache=True)
def _count_rare_triples(held, k, h, g, alive, desk, change, by) -> Any:  # type: ignore[no-untyped-def]
    """Count the rare triples of g (whose buyers are marked), h, and a good after h."""
    met, rare = _partners(held, h, g, alive, desk.marked, True, desk.inner_times, desk.inner_met), 0
    for i in range(met):
        other = desk.inner_met[i]
        if other > h and desk.inner_times[other] < k:
            rare += 1
            change[h] += by
            change[other] += by
        desk.inner_times[other] = 0
    return rare


@numba.njit(nogil=True, cache=True)
def _partners(held, g, besides, alive, marked, marked_only, count, met) -> Any:  # type: ignore[no-untyped-def]
    """Count how many buyers of g have each other good that is alive; returns how many such goods were met."""
    size = 0
    for q in range(held.good_start[g], held.good_start[g + 1]):
        u = held.owners[q]
        if marked_only and not marked[u]:
            continue
        for p in range(held.start[u], held.start[u + 1]):
            h = held.items[p]
            if alive[h] and h != g and h != besides:
                if count[h] == 0:
                    met[size] = h
                    size += 1
                count[h] += 1
    return size


@numba.njit(nogil=True, cache=True)
def _mark(held, g, marked, as_) -> Any:  # type: ignore[no-untyped-def]
    for q in range(held.good_start[g], held.good_start[g + 1]):
        marked[held.owners[q]] = as_

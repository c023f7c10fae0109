"""Goods to remove so that every combination of up to m goods that occurs is held by at least k subjects.

Goods are removed greedily; ties go to the first good.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from icefire.kernels.baskets.incidence import Incidence
from icefire.kernels.types import Bool, Int

PAIR, TRIPLE = 2, 3


class _Workspace(NamedTuple):
    """Working memory; counts are zero between two uses, and nobody is marked."""

    times: Int
    met: Int
    inner_times: Int
    inner_met: Int
    marked: Bool


def goods_to_keep(held: Incidence, k: int, m: int) -> Bool:
    """Tell for each good whether it stays, for m = 1, 2 or 3.

    A good with fewer than k holders goes. Then, as long as some pair is rare (it occurs, but fewer than k subjects hold
    it), the good goes that is in most rare pairs per holder (ties: the first); triples likewise. Removing a good
    changes no other combination, so that a smaller size need not be checked again. At last, goods that make no rare
    combination with those that stayed come back, the most held first.
    """
    buyers = np.diff(held.good_start)
    alive: Bool = buyers >= k
    goods, subjects = len(buyers), len(held.start) - 1
    times, met, inner_times, inner_met = np.zeros((4, goods), np.int64)
    workspace = _Workspace(times, met, inner_times, inner_met, np.zeros(subjects, bool))
    wanted = alive.copy()
    for size in range(PAIR, m + 1):
        _remove_rare(held, k, size, buyers, alive, workspace)
    _bring_back(held, k, m, wanted & ~alive, buyers, alive, workspace)
    return alive


@numba.njit(nogil=True, cache=True)
def _remove_rare(held, k, size, buyers, alive, workspace) -> Any:  # type: ignore[no-untyped-def]
    """Remove goods until no combination of this size is rare."""
    rare, nowhere = np.zeros(alive.size, np.int64), np.zeros(alive.size, np.int64)
    for g in range(alive.size):
        if alive[g]:
            rare[g] = _count_rare(held, k, size, g, alive, workspace, nowhere, 0)
    worst = _rarest_good(rare, buyers, alive)
    while worst >= 0:
        alive[worst] = False
        _count_rare(held, k, size, worst, alive, workspace, rare, -1)
        worst = _rarest_good(rare, buyers, alive)


@numba.njit(nogil=True, cache=True)
def _bring_back(held, k, m, gone, buyers, alive, workspace) -> Any:  # type: ignore[no-untyped-def]
    """Bring back removed goods that make no rare combination, the most held first."""
    nowhere = np.zeros(alive.size, np.int64)
    for g in np.argsort(-buyers, kind="mergesort"):
        if gone[g]:
            rare = 0
            for size in range(PAIR, m + 1):
                if rare == 0:
                    rare = _count_rare(held, k, size, g, alive, workspace, nowhere, 0)
            alive[g] = rare == 0


@numba.njit(nogil=True, cache=True)
def _rarest_good(rare, buyers, alive) -> Any:  # type: ignore[no-untyped-def]
    """Return the good in most rare combinations per holder, -1 if there is none."""
    worst = -1
    for g in range(alive.size):
        if alive[g] and rare[g] > 0 and (worst < 0 or rare[g] * buyers[worst] > rare[worst] * buyers[g]):
            worst = g
    return worst


@numba.njit(nogil=True, cache=True)
def _count_rare(held, k, size, g, alive, workspace, change, by) -> Any:  # type: ignore[no-untyped-def]
    """Count the rare combinations of g with other goods alive, and add `by` to the count of each good in them."""
    met, rare = _partners(held, g, -1, alive, workspace.marked, False, workspace.times, workspace.met), 0
    if size == PAIR:
        for i in range(met):
            h = workspace.met[i]
            if workspace.times[h] < k:
                rare += 1
                change[h] += by
    else:
        _mark(held, g, workspace.marked, True)
        for i in range(met):
            rare += _count_rare_triples(held, k, workspace.met[i], g, alive, workspace, change, by)
        _mark(held, g, workspace.marked, False)
    for i in range(met):
        workspace.times[workspace.met[i]] = 0
    return rare


@numba.njit(nogil=True, cache=True)
def _count_rare_triples(held, k, h, g, alive, workspace, change, by) -> Any:  # type: ignore[no-untyped-def]
    """Count the rare triples of g (whose holders are marked), h, and a good after h."""
    met, rare = _partners(held, h, g, alive, workspace.marked, True, workspace.inner_times, workspace.inner_met), 0
    for i in range(met):
        other = workspace.inner_met[i]
        if other > h and workspace.inner_times[other] < k:
            rare += 1
            change[h] += by
            change[other] += by
        workspace.inner_times[other] = 0
    return rare


@numba.njit(nogil=True, cache=True)
def _partners(held, g, besides, alive, marked, marked_only, count, met) -> Any:  # type: ignore[no-untyped-def]
    """Count how many holders of g hold each other good that is alive; returns how many such goods there are."""
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
    """Mark the holders of a good, or clear their marks."""
    for q in range(held.good_start[g], held.good_start[g + 1]):
        marked[held.owners[q]] = as_

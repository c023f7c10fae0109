"""Simulated annealing of clusters, for the fewest goods to add until all subjects of a cluster hold the same set.

Minimised is the sum over clusters of size × number of different goods; less the goods the subjects hold themselves,
that is the number of dummies. Two changes are tried: one subject moves, or two subjects swap clusters.

Three tables make a try cheap.
`tally[x, g]` holds how many subjects of cluster x hold good g and, in its lower 40 bits,
the sum of their numbers, so that a single holder is known. `missing[x, u]` counts the goods of subject u that x lacks.
`alone[u]` counts the goods that only u holds in its cluster. They give the cost of a move exactly and a lower bound for
a swap; most tries fail by that bound without a look at a single good.

Memory: clusters × (goods + subjects).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from icefire.kernels.baskets.incidence import Incidence
from icefire.kernels.common.random_draws import random_below, random_bits, random_open_fraction
from icefire.kernels.types import Int

HEAD = 1 << 40
COOLING_STEP = 1024
"""Tries between two changes of temperature."""
HOPELESS = 40.0
"""An increase of so many temperatures is never accepted: exp(-40) is below the smallest draw."""


class AnnealingSchedule(NamedTuple):
    """First and last temperature, number of tries, and seed."""

    hot: float
    cold: float
    tries: int
    seed: int


def anneal_clusters(sets: Incidence, labels: Int, c: int, least: int, schedule: AnnealingSchedule) -> tuple[Int, int]:
    """Return the best clusters seen, and their sum of size × number of different goods.

    Args:
        sets: Who holds which goods.
        labels: Cluster of each subject to begin with.
        c: Number of clusters.
        least: No cluster falls below this size by a move.
        schedule: Temperatures, tries and seed.

    Returns:
        Cluster of each subject, and the sum. Memory: c × (goods + subjects).
    """
    clusters = labels.astype(np.int64)
    seed = np.array([schedule.seed], np.uint64)
    best: int = _anneal(sets, clusters, c, least, schedule.hot, schedule.cold, schedule.tries, seed)
    return clusters, best


@numba.njit(nogil=True, cache=True)
def _enter(u, x, sets, tally, union, missing, alone) -> Any:  # type: ignore[no-untyped-def]
    """Add subject u to cluster x and update the tables."""
    mine = 0
    for p in range(sets.start[u], sets.start[u + 1]):
        g = sets.items[p]
        before = tally[x, g]
        if before == 0:
            union[x] += 1
            mine += 1
            for q in range(sets.good_start[g], sets.good_start[g + 1]):
                missing[x, sets.owners[q]] -= 1
        elif before >> 40 == 1:
            alone[before - HEAD] -= 1
        tally[x, g] = before + HEAD + u
    alone[u] = mine


@numba.njit(nogil=True, cache=True)
def _leave(u, x, sets, tally, union, missing, alone) -> Any:  # type: ignore[no-untyped-def]
    """Remove subject u from cluster x and update the tables."""
    for p in range(sets.start[u], sets.start[u + 1]):
        g = sets.items[p]
        left = tally[x, g] - HEAD - u
        tally[x, g] = left
        if left == 0:
            union[x] -= 1
            for q in range(sets.good_start[g], sets.good_start[g + 1]):
                missing[x, sets.owners[q]] += 1
        elif left >> 40 == 1:
            alone[left - HEAD] += 1


@numba.njit(nogil=True, cache=True)
def _goods_replaced(u, v, x, sets, tally) -> Any:  # type: ignore[no-untyped-def]
    """Count the goods that only u holds in x and that v, who replaces u, holds as well."""
    count = 0
    for p in range(sets.start[v], sets.start[v + 1]):
        count += tally[x, sets.items[p]] == HEAD + u
    return count


@numba.njit(nogil=True, cache=True)
def _anneal(sets, labels, c, least, hot, cold, tries, state) -> Any:  # type: ignore[no-untyped-def]
    """Anneal in place and leave the best labels seen in `labels`; returns their sum."""
    n, goods = labels.size, sets.good_start.size - 1
    tally, missing = np.zeros((c, goods), np.int64), np.empty((c, n), np.int32)
    union, size, alone = np.zeros(c, np.int64), np.zeros(c, np.int64), np.zeros(n, np.int64)
    for u in range(n):
        missing[:, u] = sets.start[u + 1] - sets.start[u]
    for u in range(n):
        size[labels[u]] += 1
        _enter(u, labels[u], sets, tally, union, missing, alone)
    cost = (size * union).sum()
    best, chosen = cost, labels.copy()
    temperature, cooling = hot, (cold / hot) ** (COOLING_STEP / max(tries, 1))
    for turn in range(tries):
        if turn % COOLING_STEP == COOLING_STEP - 1:
            temperature *= cooling
        u, v = random_below(state, n), random_below(state, n)
        a, b = labels[u], labels[v]
        if a == b:
            continue
        moves = size[a] > least and random_bits(state) & np.uint64(1)
        if moves:
            worse = (size[a] - 1) * (union[a] - alone[u]) - size[a] * union[a]
            worse += (size[b] + 1) * (union[b] + missing[b, u]) - size[b] * union[b]
        else:
            worse = size[a] * (missing[a, v] - alone[u]) + size[b] * (missing[b, u] - alone[v])
        if worse > HOPELESS * temperature:
            continue
        limit = -temperature * np.log(random_open_fraction(state))
        if worse <= limit and not moves:
            worse += size[a] * _goods_replaced(u, v, a, sets, tally) + size[b] * _goods_replaced(v, u, b, sets, tally)
        if worse > limit:
            continue
        _leave(u, a, sets, tally, union, missing, alone)
        if moves:
            size[a] -= 1
            size[b] += 1
        else:
            _leave(v, b, sets, tally, union, missing, alone)
            _enter(v, a, sets, tally, union, missing, alone)
            labels[v] = a
        _enter(u, b, sets, tally, union, missing, alone)
        labels[u] = b
        cost += worse
        if cost < best:
            best = cost
            chosen[:] = labels
    labels[:] = chosen
    return best

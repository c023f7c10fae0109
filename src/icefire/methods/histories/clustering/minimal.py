"""Minimal clusters: annealing for clusters that need as few dummies as possible.

Starts from balanced clusters and lets annealing move and swap subjects. The work is a fixed number of tries, never a
time, so that a seed always gives the same clusters. Many subjects are annealed in neighbourhoods of some clusters
each, in several rounds with other neighbourhoods: tables and time stay bounded.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from icefire.core.history.baskets import Baskets
from icefire.kernels.baskets.incidence import Incidence
from icefire.kernels.clustering import annealing
from icefire.kernels.clustering.annealing import AnnealingSchedule
from icefire.kernels.common import threads
from icefire.kernels.types import Int
from icefire.methods.histories.clustering import balanced
from icefire.methods.histories.clustering.cluster_goods import chosen, unions
from icefire.methods.histories.clustering.starts import MOST_STARTS

HOT = 0.03
"""The first temperature, in goods of a mean basket for every subject of a mean cluster."""
COOLING = 10.0
"""The first temperature over the last."""
TRIES_PER_SUBJECT = 60_000
MOST_TRIES = 200_000_000
TRIES_IN_PARTS = 10_000
"""Tries for each of so many subjects that they are clustered in parts: as many as the most that are not have."""
TOGETHER, CELLS = 1_200, 1 << 24
"""Subjects that are annealed at once, and clusters times goods, at most."""
ROUNDS = 8
CHAINS = 2
"""Independent runs where there is one neighbourhood only; the better one wins."""
LEADING = 3
"""Goods by which clusters are sorted into neighbourhoods."""


def labels(
    baskets: Baskets,
    clusters: int,
    min_size: int,
    rng: np.random.Generator,
    most_starts: int = MOST_STARTS,
    tries_per_subject: int = TRIES_PER_SUBJECT,
) -> Int:
    """Return clusters of at least `min_size` for which Δm is small."""
    start = balanced.labels(baskets, clusters, min_size, rng, most_starts)
    if clusters == 1 or not len(baskets.items):
        return start
    hot = HOT * len(baskets.items) / clusters
    parts = min(max(-(-baskets.subjects // TOGETHER), -(-clusters * baskets.goods // CELLS)), clusters)
    if parts == 1:
        return _best_chain(baskets, start, clusters, min_size, hot, rng)
    tries = min(tries_per_subject * baskets.subjects, MOST_TRIES)
    return _by_neighbourhood(baskets, start, min_size, hot, (parts, tries), rng)


def _best_chain(baskets: Baskets, labels: Int, clusters: int, least: int, hot: float, rng: np.random.Generator) -> Int:
    tries = TRIES_PER_SUBJECT * baskets.subjects
    schedules = [AnnealingSchedule(hot, hot / COOLING, tries, _seed(rng)) for _ in range(CHAINS)]
    sets = _sets(baskets)
    runs = threads.starmap(
        annealing.anneal_clusters, [(sets, labels, clusters, least, schedule) for schedule in schedules]
    )
    best: Int = min(runs, key=lambda run: run[1])[0]
    return best


def _by_neighbourhood(
    baskets: Baskets, labels: Int, least: int, hot: float, effort: tuple[int, int], rng: np.random.Generator
) -> Int:
    """Anneal neighbourhoods of some clusters in several rounds; `effort` is how many of them, and tries in all."""
    labels, (parts, tries) = labels.copy(), effort
    for step in range(ROUNDS):
        warm, cool = hot * COOLING ** (-step / ROUNDS), hot * COOLING ** (-(step + 1) / ROUNDS)
        calls = []
        for near in _neighbourhoods(baskets, labels, parts, by_size=step % 2 == 0, rng=rng):
            share = tries // ROUNDS * len(near) // baskets.subjects
            calls.append((baskets, labels, near, least, AnnealingSchedule(warm, cool, share, _seed(rng))))
        for near, new_labels in threads.starmap(_annealed_part, calls):
            labels[near] = new_labels
    return labels


def _annealed_part(
    baskets: Baskets, labels: Int, near: Int, least: int, schedule: AnnealingSchedule
) -> tuple[Int, Int]:
    """Anneal some clusters by themselves; returns their subjects and where each is now."""
    numbers, inside = np.unique(labels[near], return_inverse=True)
    annealed, _ = annealing.anneal_clusters(_sets(chosen(baskets, near)), inside, len(numbers), least, schedule)
    return near, numbers[annealed]


def _neighbourhoods(baskets: Baskets, labels: Int, parts: int, by_size: bool, rng: np.random.Generator) -> list[Int]:
    """Cut the subjects into about so many parts, whole clusters each, alike in size or in some random goods."""
    together = unions(baskets, labels)
    order = np.argsort(together.sizes, kind="stable") if by_size else _alike(together, rng)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    subjects = np.argsort(place[labels], kind="stable")
    before = np.cumsum(np.bincount(labels)[order])
    edges = (np.arange(parts) + rng.random()) * (before[-1] / parts)
    cuts = np.concatenate(([0], before[np.searchsorted(before, edges)], before[-1:]))
    return [np.sort(subjects[low:high]) for low, high in pairwise(cuts) if low < high]


def _alike(together: Baskets, rng: np.random.Generator) -> Int:
    """Order clusters by the first goods they have in a random order of all goods: neighbours share some."""
    rank = rng.permutation(together.goods)[together.items]
    sorted_cells = np.lexsort((rank, together.owners))
    leading = np.full((together.subjects, LEADING), together.goods)
    for step in range(LEADING):
        has = together.sizes > step
        leading[has, step] = rank[sorted_cells[together.start[:-1][has] + step]]
    return np.lexsort(leading.T[::-1])


def _sets(baskets: Baskets) -> Incidence:
    return Incidence(baskets.start, baskets.items, *baskets.by_item())


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(1 << 63))

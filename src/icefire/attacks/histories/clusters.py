"""Clusters of released customers with equal sets of goods, and the original customers likely to be in each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from icefire.core.history import Baskets, HistoryCase
from icefire.kernels.baskets import set_groups, similarity
from icefire.kernels.baskets.set_groups import SetGroups
from icefire.kernels.baskets.similarity import ItemSets
from icefire.kernels.types import Int

ROUNDS = 20


class Clusters(NamedTuple):
    """Released customers by equal sets, and where the original customers went."""

    released: SetGroups
    """The released customers of each cluster."""
    of_original: Int
    """The likely cluster of each original customer, or -1."""
    covered: float
    """The share of the original goods that are in the set of the likely cluster."""

    def originals(self, most: int | None = None) -> tuple[Int, Int, Int]:
        """The original customers by cluster, and where those for each released customer begin and end.

        Clusters with more than `most` count as empty.
        """
        placed = np.flatnonzero(self.of_original >= 0)
        people = placed[np.argsort(self.of_original[placed], kind="stable")]
        ends = np.searchsorted(self.of_original[people], np.arange(len(self.released.first) + 1))
        start, stop = ends[self.released.label], ends[self.released.label + 1]
        return people, start, stop if most is None else np.where(stop - start > most, start, stop)


def find_clusters(case: HistoryCase) -> Clusters:
    """Find the clusters of released customers with equal sets, and the likely cluster of each original one.

    An original customer belongs where most of his goods are, among such clusters to the one with fewest goods. A
    cluster has as many seats as members; where more want to sit, the most similar stay, and the others look for one
    with seats left.
    """
    return case.cached("clusters", lambda: _find_clusters(case.known, case.shown))


def _find_clusters(known: Baskets, shown: Baskets) -> Clusters:
    clusters = set_groups.group_equal_sets(shown.start, shown.items)
    sets = set_groups.select_sets(shown.start, shown.items, clusters.first)
    seats, everybody = np.diff(clusters.start), (known.start, known.items)
    cluster = np.full(known.subjects, -1)
    looking, left = np.arange(known.subjects), np.arange(len(seats))
    covered = 0.0
    for turn in range(ROUNDS):
        offered, asking = set_groups.select_sets(*sets, left), set_groups.select_sets(*everybody, looking)
        cluster[looking] = np.append(left, -1)[similarity.best_matches(offered, asking, known.goods, "covering").rows]
        shared = _shared(everybody, sets, cluster, known.goods)
        covered = shared.sum() / max(len(known.items), 1) if turn == 0 else covered
        union = known.sizes + np.append(np.diff(sets[0]), 0)[cluster] - shared
        looking = _without_seat(cluster, shared / np.maximum(union, 1), seats)
        cluster[looking] = -1
        left = np.flatnonzero(np.bincount(cluster[cluster >= 0], minlength=len(seats)) < seats)
        if not len(looking) or not len(left):
            break
    return Clusters(clusters, cluster, float(covered))


def _shared(everybody: ItemSets, sets: ItemSets, cluster: Int, goods: int) -> Int:
    """How many goods of every original customer are in the set of his cluster."""
    start, items = everybody
    owners = np.repeat(np.arange(len(cluster)), np.diff(start))
    held = np.append(np.repeat(np.arange(len(sets[0]) - 1), np.diff(sets[0])) * goods + sets[1], -1)
    asked = cluster[owners] * goods + items
    there = held[np.searchsorted(held[:-1], asked)] == asked
    return np.bincount(owners[there & (cluster[owners] >= 0)], minlength=len(cluster))


def _without_seat(cluster: Int, likeness: NDArray[np.float64], seats: Int) -> Int:
    """Those for whom there is no seat: enough others are more similar, or as similar and come first."""
    seated = np.flatnonzero(cluster >= 0)
    order = seated[np.lexsort((seated, -likeness[seated], cluster[seated]))]
    rank = np.arange(len(order)) - np.searchsorted(cluster[order], cluster[order])
    return np.sort(order[rank >= seats[cluster[order]]])

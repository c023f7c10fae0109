"""Clusters of released customers with equal sets of goods, and the original customers likely to be in each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from icefire.core.history import Baskets, HistoryCase
from icefire.kernels.baskets import set_groups, similarity
from icefire.kernels.baskets.set_groups import SetGroups
from icefire.kernels.baskets.similarity import ItemSets
from icefire.kernels.types import Float, Int

ROUNDS = 20
"""How often customers beyond the capacity of a cluster are placed again."""


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
    cluster takes as many as it has members; where more belong to it, the most similar stay, and the others go to
    clusters with room.
    """
    return case.cached("clusters", lambda: _find_clusters(case.known_baskets, case.released_baskets))


def _find_clusters(known: Baskets, shown: Baskets) -> Clusters:
    clusters = set_groups.group_equal_sets(shown.start, shown.items)
    sets = set_groups.select_sets(shown.start, shown.items, clusters.first)
    capacity, everybody = np.diff(clusters.start), (known.start, known.items)
    cluster = np.full(known.subjects, -1)
    unplaced, open_clusters = np.arange(known.subjects), np.arange(len(capacity))
    covered = 0.0
    for turn in range(ROUNDS):
        open_sets, their_sets = (
            set_groups.select_sets(*sets, open_clusters),
            set_groups.select_sets(*everybody, unplaced),
        )
        cluster[unplaced] = np.append(open_clusters, -1)[
            similarity.best_matches(open_sets, their_sets, known.goods, "covering").rows
        ]
        shared = _shared(everybody, sets, cluster, known.goods)
        covered = shared.sum() / max(len(known.items), 1) if turn == 0 else covered
        union = known.sizes + np.append(np.diff(sets[0]), 0)[cluster] - shared
        unplaced = _beyond_capacity(cluster, shared / np.maximum(union, 1), capacity)
        cluster[unplaced] = -1
        open_clusters = np.flatnonzero(np.bincount(cluster[cluster >= 0], minlength=len(capacity)) < capacity)
        if not len(unplaced) or not len(open_clusters):
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


def _beyond_capacity(cluster: Int, likeness: Float, capacity: Int) -> Int:
    """Return those beyond the capacity of their cluster: others are more similar, or as similar and come first."""
    placed = np.flatnonzero(cluster >= 0)
    order = placed[np.lexsort((placed, -likeness[placed], cluster[placed]))]
    rank = np.arange(len(order)) - np.searchsorted(cluster[order], cluster[order])
    return np.sort(order[rank >= capacity[cluster[order]]])

"""Clusters of many subjects: sampled centres put subjects that are alike into parts, and each part is clustered alone.

Centres of so many small clusters would meet every subject in every round: the work grows with the square of the
subjects. Here all subjects meet a few hundred centres, which are learned from a sample, once. They are then lined up,
neighbouring centres alike, and cut into parts of equal shares of the clusters. Memory: the baskets, of which the items
may be on disk, 8 bytes a few times over for each subject, and some copies of one part for each thread.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from icefire.core.history.baskets import Baskets
from icefire.kernels.clustering import kmeans as kernel
from icefire.kernels.clustering.kmeans import Centres, SparseVectors
from icefire.kernels.common import threads
from icefire.kernels.common.ranges import concatenated_ranges
from icefire.kernels.types import Float, Int
from icefire.methods.histories.clustering.cluster_goods import chosen

MANY = 20_000
"""More subjects than this are clustered in parts."""
TOGETHER = 4_000
"""Subjects of a part, about."""
SAMPLE = 40
"""Subjects, for each centre, that the centres are learned from."""
ROUNDS = 10
SUBJECTS_AT_ONCE, SPAN = 20_000, 1 << 22
"""Subjects whose vectors are in memory, and items that are counted, at a time, at least."""
MOST_CELLS = 1 << 25
"""Centres times goods, at most, for the centres to be lined up."""

Labelled = Callable[[Baskets, int, np.random.Generator], Int]
"""Clusters some subjects: takes their baskets, the number of clusters and a generator."""


def labels(baskets: Baskets, clusters: int, rng: np.random.Generator, cluster_part: Labelled) -> Int:
    """Return the cluster of every subject; every part gets its share of the clusters.

    A part of so many clusters holds at least their share of the subjects: if all clusters together can be filled up to
    some least size, those of every part can.

    Args:
        baskets: The subjects, each with items.
        clusters: Number of clusters.
        rng: Source of the sample and of the generators of the parts.
        cluster_part: Clusters the subjects of one part.
    """
    parts = min(-(-baskets.subjects // TOGETHER), clusters)
    order = _lined_up(baskets, parts, rng)
    before = clusters * np.arange(parts + 1) // parts
    cuts = baskets.subjects * before // clusters
    cluster_of = np.empty(baskets.subjects, np.int64)

    def work(part: int, seed: int) -> None:
        some = np.sort(order[cuts[part] : cuts[part + 1]])
        count = int(before[part + 1] - before[part])
        cluster_of[some] = before[part] + cluster_part(chosen(baskets, some), count, np.random.default_rng(seed))

    threads.starmap(work, list(enumerate(rng.integers(1 << 62, size=parts).tolist())))
    return cluster_of


def _lined_up(baskets: Baskets, parts: int, rng: np.random.Generator) -> Int:
    """Return the subjects in an order in which neighbours are alike."""
    rarity = np.log(baskets.subjects / np.maximum(_buyers(baskets), 1)) + 1.0
    sample = np.sort(rng.permutation(baskets.subjects)[: SAMPLE * parts])
    some = chosen(baskets, sample)
    items = baskets.items[concatenated_ranges(baskets.start[sample], baskets.sizes[sample])]
    sampled = kernel.unit_vectors(some.start, items, rarity[items], baskets.goods)
    sampled_labels = kernel.kmeans(
        sampled._replace(items=some.items, goods=some.goods), rng.permutation(len(sample))[:parts], ROUNDS, False
    ).labels
    nearest = _nearest(baskets, rarity, kernel.centres_of(sampled, sampled_labels, parts))
    places = _places(sampled._replace(items=some.items, goods=some.goods), sampled_labels, parts)
    return np.argsort(places[nearest], kind="stable")


def _buyers(baskets: Baskets) -> Int:
    """Return how many subjects have each item, a span of the items at a time: they may be on disk."""
    spans = threads.spans(len(baskets.items), SPAN, len(baskets.items))
    counts: Int = np.sum([np.bincount(baskets.items[low:high], minlength=baskets.goods) for low, high in spans], axis=0)
    return counts


def _nearest(baskets: Baskets, rarity: Float, centres: Centres) -> Int:
    """Return the most similar centre of every subject, with the vectors of some subjects in memory at a time."""
    nearest = [np.empty(0, np.int64)]
    for low, high in threads.spans(baskets.subjects, SUBJECTS_AT_ONCE, baskets.subjects):
        start = baskets.start[low : high + 1]
        items = np.ascontiguousarray(baskets.items[start[0] : start[-1]])
        vectors = kernel.unit_vectors(start - start[0], items, rarity[items], baskets.goods)
        nearest.append(kernel.nearest_centres(vectors, centres))
    return np.concatenate(nearest)


def _places(vectors: SparseVectors, sampled_labels: Int, centres: int) -> Int:
    """Return the place of every centre in a line that goes on to the most similar centre that is left."""
    if centres * vectors.goods > MOST_CELLS:
        return np.arange(centres)
    table = np.zeros((centres, vectors.goods))
    np.add.at(table, (np.repeat(sampled_labels, np.diff(vectors.start)), vectors.items), vectors.weight)
    table /= np.sqrt((table * table).sum(axis=1, keepdims=True))
    alike = table @ table.T
    places, at = np.full(centres, -1), 0
    for place in range(centres):
        places[at] = place
        alike[:, at] = -1.0
        at = int(alike[at].argmax())
    return places

"""K-means from several random starts."""

from __future__ import annotations

import numpy as np

from icefire.kernels.clustering import kmeans as kernel
from icefire.kernels.clustering.kmeans import SparseVectors
from icefire.kernels.types import Int

LEAST_ROUNDS, MOST_ROUNDS = 10, 100
MOST_WORK = 1e11
"""Meetings of a subject's item with a centre's, over all rounds; more of them in a round, fewer rounds."""
MOST_STARTS = 5
SUBJECTS_IN_ALL = 20_000
"""So many subjects are clustered in all, over all starts; more subjects, fewer starts."""


def best_of(
    vectors: SparseVectors, clusters: int, rng: np.random.Generator, jaccard: bool, most_starts: int = MOST_STARTS
) -> Int:
    """Start from random subjects as centres, several times; the clusters most like their centres win."""
    subjects = len(vectors.start) - 1
    starts = max(1, min(most_starts, SUBJECTS_IN_ALL // subjects))
    seeds = [rng.permutation(subjects)[:clusters] for _ in range(starts)]
    buyers = np.bincount(vectors.items)
    rounds = int(np.clip(MOST_WORK / (buyers * np.minimum(buyers, clusters)).sum(), LEAST_ROUNDS, MOST_ROUNDS))
    tried = [kernel.kmeans(vectors, first, rounds, jaccard) for first in seeds]
    return max(tried, key=lambda grouping: grouping.likeness).labels

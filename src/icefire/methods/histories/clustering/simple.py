"""Simple clusters: k-means with Jaccard similarity on the sets of goods."""

from __future__ import annotations

import numpy as np

from icefire.core.history.baskets import Baskets
from icefire.kernels.clustering import kmeans as kernel
from icefire.kernels.types import Int
from icefire.methods.histories.clustering.starts import MOST_STARTS, best_of


def labels(baskets: Baskets, clusters: int, rng: np.random.Generator, most_starts: int = MOST_STARTS) -> Int:
    """Cluster the 0/1 vectors by k-means with Jaccard similarity; centres are means of such vectors."""
    ones = np.ones(len(baskets.items))
    vectors = kernel.sparse_vectors(baskets.start, baskets.items, ones, baskets.goods)
    return best_of(vectors, clusters, rng, jaccard=True, most_starts=most_starts)

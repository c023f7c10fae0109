"""TF-IDF clusters: k-means with cosine similarity, in which rare goods weigh more."""

from __future__ import annotations

import numpy as np

from icefire.core.history.baskets import Baskets
from icefire.kernels.clustering import kmeans as kernel
from icefire.kernels.types import Int
from icefire.methods.histories.clustering.starts import MOST_STARTS, best_of


def labels(baskets: Baskets, clusters: int, rng: np.random.Generator, most_starts: int = MOST_STARTS) -> Int:
    """Cluster by k-means with cosine similarity; the weight of a good is ln(n / buyers) + 1 over the subject's goods.

    Division by the number of the subject's goods changes no cosine and is left out.
    """
    rarity = np.log(baskets.subjects / np.maximum(baskets.buyers, 1)) + 1.0
    vectors = kernel.unit_vectors(baskets.start, baskets.items, rarity[baskets.items], baskets.goods)
    return best_of(vectors, clusters, rng, jaccard=False, most_starts=most_starts)

"""Balanced clusters: TF-IDF clusters, of which the small ones are filled up."""

from __future__ import annotations

import numpy as np

from icefire.core.history.baskets import Baskets
from icefire.kernels.clustering import balancing
from icefire.kernels.types import Int
from icefire.methods.histories.clustering import tfidf


def labels(baskets: Baskets, clusters: int, min_size: int, rng: np.random.Generator) -> Int:
    """Fill every TF-IDF cluster up to `min_size` with the most similar subjects of the largest ones."""
    by_rarity = tfidf.labels(baskets, clusters, rng)
    return balancing.balance_clusters(baskets.start, baskets.items, baskets.goods, by_rarity, clusters, min_size)

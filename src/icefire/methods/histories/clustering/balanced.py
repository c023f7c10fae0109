"""Balanced clusters: TF-IDF clusters, of which the small ones are filled up."""

from __future__ import annotations

import numpy as np

from icefire.core.history.baskets import Baskets
from icefire.kernels.clustering import balancing
from icefire.kernels.types import Int
from icefire.methods.histories.clustering import tfidf
from icefire.methods.histories.clustering.starts import MOST_STARTS


def labels(
    baskets: Baskets, clusters: int, min_size: int, rng: np.random.Generator, most_starts: int = MOST_STARTS
) -> Int:
    """Fill every TF-IDF cluster up to `min_size` with the most similar subjects of the largest ones."""
    by_rarity = tfidf.labels(baskets, clusters, rng, most_starts)
    return balancing.balance_clusters(baskets.start, baskets.items, baskets.goods, by_rarity, clusters, min_size)


def labels_smallest_first(
    baskets: Baskets, clusters: int, min_size: int, rng: np.random.Generator, most_starts: int = MOST_STARTS
) -> Int:
    """Fill the smallest TF-IDF clusters first, each from the cluster that is largest when its turn comes."""
    by_rarity = tfidf.labels(baskets, clusters, rng, most_starts)
    return balancing.balance_smallest_first(baskets.start, baskets.items, baskets.goods, by_rarity, clusters, min_size)

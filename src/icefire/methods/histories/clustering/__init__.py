"""Put subjects with similar goods into clusters, so that few dummies make all subjects of a cluster alike.

    from icefire.methods.histories import clustering

    labels = clustering.labels(history.baskets, "minimal", 50, 8, rng)     # the cluster of every subject
    clustering.dummies_needed(history.baskets, labels)                     # Δm

Subjects without any item take no part: they are alike already. Their label is -1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from icefire.core.errors import ParameterError
from icefire.core.history.baskets import Baskets
from icefire.kernels.types import Int
from icefire.methods.histories.clustering import balanced, large, minimal, simple, tfidf
from icefire.methods.histories.clustering.cluster_goods import chosen, dummies_needed, unions
from icefire.methods.histories.clustering.starts import MOST_STARTS

__all__ = ["SIZED", "Clustering", "dummies_needed", "labels", "least_size", "unions"]

Clustering = Literal["simple", "tfidf", "balanced", "smallest_first", "minimal"]
SIZED = ("balanced", "smallest_first", "minimal")
"""Those that keep a least size."""


def labels(baskets: Baskets, how: Clustering, clusters: int, min_size: int | None, rng: np.random.Generator) -> Int:
    """Return the cluster of every subject, numbered from 0, none of them empty; -1 for a subject without items.

    More than 20,000 subjects are clustered in parts of subjects that are alike (`large`).
    `min_size` is for those that are `SIZED`: the least number of subjects in a cluster, by default as many as there
    can be in all of them.
    """
    taking_part = np.flatnonzero(baskets.sizes)
    least = least_size(how, len(taking_part), clusters, min_size)
    cluster_of = np.full(baskets.subjects, -1, np.int64)
    if not len(taking_part):
        return cluster_of
    some = baskets if len(taking_part) == baskets.subjects else chosen(baskets, taking_part)
    if len(taking_part) <= large.MANY:
        cluster_of[taking_part] = _labels(some, how, clusters, least, rng, in_parts=False)
    else:
        cluster_of[taking_part] = large.labels(
            some, clusters, rng, lambda part, count, own: _labels(part, how, count, least, own, in_parts=True)
        )
    return cluster_of


def _labels(
    baskets: Baskets, how: Clustering, clusters: int, least: int, rng: np.random.Generator, in_parts: bool
) -> Int:
    most_starts = 1 if in_parts else MOST_STARTS
    if how == "minimal":
        tries = minimal.TRIES_IN_PARTS if in_parts else minimal.TRIES_PER_SUBJECT
        return minimal.labels(baskets, clusters, least, rng, most_starts, tries)
    if how in _BALANCED_LABELS:
        return _BALANCED_LABELS[how](baskets, clusters, least, rng, most_starts)
    if how == "tfidf":
        return tfidf.labels(baskets, clusters, rng, most_starts)
    return simple.labels(baskets, clusters, rng, most_starts)


_BALANCED_LABELS: dict[str, Callable[[Baskets, int, int, np.random.Generator, int], Int]] = {
    "balanced": balanced.labels,
    "smallest_first": balanced.labels_smallest_first,
}


def least_size(how: Clustering, subjects: int, clusters: int, min_size: int | None) -> int:
    """Return the least size of a cluster; what so many subjects with items cannot fill is an error."""
    if how not in get_args(Clustering):
        raise ParameterError(f"clustering {how!r} is unknown; choose from {', '.join(get_args(Clustering))}")
    if min_size is not None and how not in SIZED:
        raise ParameterError(
            f"min_size is {min_size}, but {how} clusters have no least size; "
            f"choose the clustering {', '.join(SIZED[:-1])} or {SIZED[-1]}, or leave min_size out"
        )
    if clusters > max(subjects, 1):
        raise ParameterError(
            f"clusters is {clusters}, but only {subjects} customers have purchases; choose at most {subjects}"
        )
    if min_size is None:
        return max(subjects // clusters, 1) if how in SIZED else 1
    if clusters * min_size > max(subjects, 1):
        raise ParameterError(
            f"{clusters} clusters of {min_size} or more need {clusters * min_size} customers, but only {subjects} have "
            f"purchases; choose a min_size of at most {subjects // clusters}, or {subjects // min_size} clusters"
        )
    return min_size

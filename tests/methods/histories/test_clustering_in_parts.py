"""Clusters of very many customers, made in parts of customers who are alike."""

from __future__ import annotations

import numpy as np
import pytest
from support.history_tables import baskets_of

from icefire.methods.histories import clustering
from icefire.methods.histories.clustering import large, minimal
from icefire.samples import shop

HOWS = ("simple", "tfidf", "balanced", "smallest_first", "minimal")


@pytest.fixture
def in_parts(monkeypatch):
    """Forty customers are many, and are clustered in parts of ten, with little annealing."""
    monkeypatch.setattr(minimal, "TRIES_PER_SUBJECT", 500)
    monkeypatch.setattr(minimal, "TRIES_IN_PARTS", 500)
    monkeypatch.setattr(large, "MANY", 40)
    monkeypatch.setattr(large, "TOGETHER", 10)


def tastes(subjects, rng):
    """Customers of four tastes, ten goods each, in turn."""
    return baskets_of([{int(10 * (u % 4) + g) for g in rng.permutation(10)[:5]} for u in range(subjects)], 40)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize(("subjects", "clusters"), [(41, 3), (57, 11), (90, 18), (50, 50)])
def test_many_customers_get_as_many_clusters_as_asked_for_each_of_its_least_size(in_parts, how, subjects, clusters):
    held = tastes(subjects, np.random.default_rng(subjects))
    labels = clustering.labels(held, how, clusters, None, np.random.default_rng(1))
    sizes = np.bincount(labels)
    assert len(sizes) == clusters
    assert sizes.min() >= (subjects // clusters if how in clustering.SIZED else 1)


def test_customers_of_one_taste_stay_together_in_parts(in_parts):
    held = tastes(80, np.random.default_rng(2))
    labels = clustering.labels(held, "balanced", 20, None, np.random.default_rng(1))
    tastes_in = [len(set((np.flatnonzero(labels == x) % 4).tolist())) for x in range(20)]
    assert np.mean(tastes_in) < 1.5


def test_clusters_in_parts_need_about_as_many_dummies_as_those_of_all_at_once(monkeypatch):
    monkeypatch.setattr(minimal, "TRIES_PER_SUBJECT", 500)
    monkeypatch.setattr(minimal, "TRIES_IN_PARTS", 500)
    held = tastes(200, np.random.default_rng(3))
    needed = []
    for many in (1_000, 100):
        monkeypatch.setattr(large, "MANY", many)
        monkeypatch.setattr(large, "TOGETHER", 50)
        labels = clustering.labels(held, "minimal", 40, None, np.random.default_rng(1))
        needed.append(clustering.dummies_needed(held, labels))
    assert needed[1] <= 1.1 * needed[0]


def test_threads_do_not_change_clusters_in_parts(in_parts, monkeypatch):
    held, found = tastes(90, np.random.default_rng(4)), []
    for threads in ("1", "3"):
        monkeypatch.setenv("ICEFIRE_THREADS", threads)
        found.append(clustering.labels(held, "minimal", 15, None, np.random.default_rng(1)))
    assert (found[0] == found[1]).all()


def test_vectors_of_some_subjects_at_a_time_give_the_same_parts(monkeypatch):
    held = shop.history(300, seed=2).baskets
    monkeypatch.setattr(large, "MANY", 100)
    monkeypatch.setattr(large, "TOGETHER", 60)
    together = clustering.labels(held, "tfidf", 60, None, np.random.default_rng(1))
    monkeypatch.setattr(large, "SUBJECTS_AT_ONCE", 7)
    monkeypatch.setattr(large, "SPAN", 100)
    assert clustering.labels(held, "tfidf", 60, None, np.random.default_rng(1)).tolist() == together.tolist()

"""Clusters of customers: k-means, balancing and annealing against plain versions, and the figures of the paper."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.history_tables import baskets_of, contest_data, sets

from icefire.core.errors import ParameterError
from icefire.core.history.baskets import Baskets
from icefire.kernels.baskets.incidence import Incidence
from icefire.kernels.clustering import annealing, balancing, kmeans
from icefire.kernels.clustering.annealing import AnnealingSchedule
from icefire.methods.histories import clustering
from icefire.methods.histories.clustering import cluster_goods, minimal, starts

FEW = settings(max_examples=60, deadline=None)
HOWS = ("simple", "tfidf", "balanced", "smallest_first", "minimal")


@st.composite
def baskets(draw, least=1, most=12, goods=8):
    """Sets of goods, none of them empty."""
    found = draw(st.lists(st.sets(st.integers(0, goods - 1), min_size=1), min_size=least, max_size=most))
    return baskets_of(found, goods)


def as_sets(held: Baskets) -> list[set[int]]:
    return [set(held.items[held.start[u] : held.start[u + 1]].tolist()) for u in range(held.subjects)]


def plain_dummies(held: Baskets, labels) -> int:
    goods, total = as_sets(held), 0
    for x in set(labels.tolist()) - {-1}:
        inside = [goods[u] for u in np.flatnonzero(labels == x)]
        total += len(set().union(*inside)) * len(inside) - sum(map(len, inside))
    return total


@pytest.fixture
def quick(monkeypatch):
    """Little annealing, for histories of a few customers."""
    monkeypatch.setattr(minimal, "TRIES_PER_SUBJECT", 500)


# -- counting ------------------------------------------------------------------------------------------------


def test_what_clusters_cost_by_hand():
    # {a, b, c} and {a, b} lack c once; {d} is alone with {d, e}: it lacks e.
    held = sets("abc", "ab", "d", "de").baskets
    assert clustering.dummies_needed(held, np.array([0, 0, 1, 1])) == 2
    assert clustering.dummies_needed(held, np.array([0, 1, 0, 1])) == 4 + 4
    assert clustering.unions(held, np.array([0, 0, 1, 1])).sizes.tolist() == [3, 2]


@FEW
@given(baskets(), st.data())
def test_dummies_are_counted_as_by_sets(held, data):
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=held.subjects, max_size=held.subjects)))
    assert clustering.dummies_needed(held, labels) == plain_dummies(held, labels)


@FEW
@given(baskets(), st.data())
def test_some_subjects_keep_their_sets(held, data):
    some = np.array(data.draw(st.lists(st.integers(0, held.subjects - 1), min_size=1, unique=True)))
    found = cluster_goods.chosen(held, some)
    before, after = as_sets(held), as_sets(found)
    number = {good: place for place, good in enumerate(sorted(set().union(*(before[u] for u in some))))}
    assert after == [{number[good] for good in before[u]} for u in some]
    assert found.goods == len(number)


# -- k-means -------------------------------------------------------------------------------------------------


def table(vectors: kmeans.SparseVectors) -> np.ndarray:
    full = np.zeros((len(vectors.start) - 1, vectors.goods))
    full[np.repeat(np.arange(len(full)), np.diff(vectors.start)), vectors.items] = vectors.weight
    return full


def similarities(points: np.ndarray, centres: np.ndarray, jaccard: bool) -> np.ndarray:
    dots, a, b = points @ centres.T, (points**2).sum(1)[:, None], (centres**2).sum(1)[None]
    return dots / (a + b - dots) if jaccard else dots / np.sqrt(a * b)


@pytest.mark.parametrize("jaccard", [False, True])
@pytest.mark.parametrize("few", [0, 200])
@FEW
@given(held=baskets(least=2), data=st.data())
def test_everybody_goes_to_the_nearest_centre(few, jaccard, held, data):
    c = data.draw(st.integers(1, held.subjects))
    seeds = np.array(data.draw(st.permutations(range(held.subjects))))[:c]
    weight = np.random.default_rng(0).random(held.goods)[held.items] + 0.5
    vectors = (kmeans.sparse_vectors if jaccard else kmeans.unit_vectors)(held.start, held.items, weight, held.goods)
    points, usual = table(vectors), kmeans.DENSE_CLUSTERS
    kmeans.DENSE_CLUSTERS = few
    try:
        found = kmeans.kmeans(vectors, seeds, 1, jaccard)
    finally:
        kmeans.DENSE_CLUSTERS = usual
    likely = similarities(points, points[seeds], jaccard)
    sizes = np.bincount(found.labels, minlength=c)
    assert sizes.min() > 0
    chosen = likely[np.arange(len(points)), found.labels]
    # Whoever is alone may have been put there because the cluster was empty.
    assert np.allclose(chosen[sizes[found.labels] > 1], likely.max(axis=1)[sizes[found.labels] > 1])


def test_centres_are_means_and_rounds_go_on_until_nothing_changes():
    # By hand: seeds {a} and {d}; everybody with a or b is nearer to the first, round by round.
    held = sets("a", "ab", "b", "d", "de", "e").baskets
    vectors = kmeans.sparse_vectors(held.start, held.items, np.ones(len(held.items)), held.goods)
    assert kmeans.kmeans(vectors, np.array([0, 3]), 100, True).labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_rare_goods_weigh_more_than_frequent_ones():
    # Everybody has a; the rare b and c decide: cosine puts 0 with 1 and 2 with 3.
    held = sets("ab", "ab", "ac", "ac").baskets
    labels = clustering.labels(held, "tfidf", 2, None, np.random.default_rng(0))
    assert labels[0] == labels[1] != labels[2] == labels[3]


@pytest.mark.parametrize("how", ["simple", "tfidf"])
@FEW
@given(held=baskets(), data=st.data())
def test_no_cluster_is_empty(how, held, data):
    c = data.draw(st.integers(1, held.subjects))
    labels = clustering.labels(held, how, c, None, np.random.default_rng(1))
    assert sorted(set(labels.tolist())) == list(range(c))


def test_many_subjects_get_fewer_starts_and_rounds(monkeypatch):
    seen = []
    monkeypatch.setattr(starts, "SUBJECTS_IN_ALL", 20)
    monkeypatch.setattr(starts, "MOST_WORK", 15 * 4 * 3)

    def watched(vectors, seeds, rounds, jaccard):
        seen.append(rounds)
        return kmeans.KMeansResult(np.zeros(10, np.int64), 0.0)

    monkeypatch.setattr(starts.kernel, "kmeans", watched)
    held = baskets_of([{0, 1, 2}] * 4 + [{3}] * 6, 4)  # meetings in a round, 2 clusters: 3·4·2 + 6·2 = 36
    starts.best_of(kmeans.sparse_vectors(held.start, held.items, np.ones(18), 4), 2, np.random.default_rng(0), True)
    assert seen == [10, 10]  # 180 / 36 = 5 rounds, but at least 10


# -- Algorithm 4 ---------------------------------------------------------------------------------------------


def plain_balance(held: Baskets, labels, c: int, least: int) -> list[int]:
    """Algorithm 4 word for word."""
    goods, labels = as_sets(held), labels.tolist()

    def similar(a, b):
        return Fraction(len(goods[a] & goods[b]), len(goods[a] | goods[b]))

    for x in range(c):
        while labels.count(x) < least:
            sizes = [labels.count(y) for y in range(c)]
            largest = sizes.index(max(sizes))
            there = [u for u, y in enumerate(labels) if y == x]
            givers = [u for u, y in enumerate(labels) if y == largest]
            best = max(givers, key=lambda u: (max((similar(u, v) for v in there), default=Fraction(0)), -u))
            labels[best] = x
    return labels


@settings(max_examples=200, deadline=None)
@given(baskets(least=2, most=14, goods=6), st.data())
def test_balancing_is_algorithm_4(held, data):
    c = data.draw(st.integers(1, held.subjects))
    least = data.draw(st.integers(1, held.subjects // c))
    labels = np.array(data.draw(st.lists(st.integers(0, c - 1), min_size=held.subjects, max_size=held.subjects)))
    found = balancing.balance_clusters(held.start, held.items, held.goods, labels, c, least)
    assert found.tolist() == plain_balance(held, labels, c, least)
    assert np.bincount(found, minlength=c).min() >= least


def plain_smallest_first(held: Baskets, labels, c: int, least: int) -> list[int]:
    """The other reading of Algorithm 4, word for word: always the smallest cluster, its giver looked up once."""
    goods, labels = as_sets(held), labels.tolist()
    sizes = [labels.count(y) for y in range(c)]
    while min(sizes) < least:
        x, giver = sizes.index(min(sizes)), sizes.index(max(sizes))
        while sizes[x] < least:
            if sizes[giver] <= least:
                giver = sizes.index(max(sizes))
            there = [goods[u] for u, y in enumerate(labels) if y == x]
            nearest = {
                u: max((Fraction(len(goods[u] & one), len(goods[u] | one)) for one in there), default=Fraction(0))
                for u, y in enumerate(labels)
                if y == giver
            }
            labels[max(nearest, key=lambda u: (nearest[u], -u))] = x
            sizes = [labels.count(y) for y in range(c)]
    return labels


@settings(max_examples=200, deadline=None)
@given(baskets(least=2, most=14, goods=6), st.data())
def test_the_other_reading_of_algorithm_4(held, data):
    c = data.draw(st.integers(1, held.subjects))
    least = data.draw(st.integers(1, held.subjects // c))
    labels = np.array(data.draw(st.lists(st.integers(0, c - 1), min_size=held.subjects, max_size=held.subjects)))
    balanced = balancing.balance_smallest_first(held.start, held.items, held.goods, labels, c, least)
    assert balanced.tolist() == plain_smallest_first(held, labels, c, least)
    assert np.bincount(balanced, minlength=c).min() >= least


@pytest.mark.parametrize(("c", "least", "expected"), [(50, 8, 127_438), (100, 4, 61_081), (125, 3, 47_152)])
def test_the_other_reading_needs_these_dummies_on_the_contest_data(c, least, expected):
    held = contest_data().baskets
    runs = [
        clustering.dummies_needed(
            held, clustering.labels(held, "smallest_first", c, least, np.random.default_rng(seed))
        )
        for seed in range(6)
    ]
    assert round(np.mean(runs)) == expected


# -- least dummies -------------------------------------------------------------------------------------------


def least_possible(held: Baskets, c: int, least: int) -> int:
    """Try every way to put the subjects into c clusters."""
    ways = (np.array(way) for way in product(range(c), repeat=held.subjects))
    return min(plain_dummies(held, way) for way in ways if np.bincount(way, minlength=c).min() >= least)


def anneal(held: Baskets, labels, c: int, least: int, tries: int, seed: int = 0):
    schedule = AnnealingSchedule(2.0, 0.2, tries, seed)
    return annealing.anneal_clusters(Incidence(held.start, held.items, *held.by_item()), labels, c, least, schedule)


@settings(max_examples=25, deadline=None)
@given(baskets(least=2, most=7, goods=6), st.integers(1, 3), st.data())
def test_annealing_finds_the_least_where_all_can_be_tried(held, c, data):
    c = min(c, held.subjects)
    least = data.draw(st.integers(1, held.subjects // c))
    labels = np.arange(held.subjects) % c
    found, cost = anneal(held, labels, c, least, 20_000)
    assert cost - len(held.items) == clustering.dummies_needed(held, found) == least_possible(held, c, least)
    assert np.bincount(found, minlength=c).min() >= least


@FEW
@given(baskets(least=2), st.integers(0, 3000), st.data())
def test_annealing_counts_right_and_never_ends_worse(held, tries, data):
    c = data.draw(st.integers(1, held.subjects))
    labels = np.arange(held.subjects) % c
    found, cost = anneal(held, labels, c, 1, tries, seed=tries)
    assert cost - len(held.items) == plain_dummies(held, found) <= plain_dummies(held, labels)
    assert np.bincount(found, minlength=c).min() >= 1
    assert np.array_equal(labels, np.arange(held.subjects) % c)


def random_baskets(subjects: int, goods: int = 40, seed: int = 0) -> Baskets:
    rng = np.random.default_rng(seed)
    return baskets_of([set((rng.zipf(1.4, 8) % goods).tolist()) for _ in range(subjects)], goods)


def test_neighbourhoods_are_whole_clusters_and_hold_everybody_once():
    held = random_baskets(60)
    labels = np.arange(60) % 12
    for by_size in (True, False):
        cut = minimal._neighbourhoods(held, labels, 4, by_size, np.random.default_rng(1))
        assert np.array_equal(np.sort(np.concatenate(cut)), np.arange(60))
        owners = [set(labels[near].tolist()) for near in cut]
        assert sum(map(len, owners)) == 12
        assert len(cut) > 2


def test_many_subjects_are_annealed_in_neighbourhoods_and_only_gain(monkeypatch, quick):
    held = random_baskets(80)
    before = clustering.labels(held, "balanced", 16, 4, np.random.default_rng(5))
    monkeypatch.setattr(minimal, "TOGETHER", 25)
    after = clustering.labels(held, "minimal", 16, 4, np.random.default_rng(5))
    assert clustering.dummies_needed(held, after) < clustering.dummies_needed(held, before)
    assert np.bincount(after, minlength=16).min() >= 4


@pytest.mark.parametrize("together", [25, 1200])
def test_the_seed_decides_and_the_number_of_threads_does_not(together, monkeypatch, quick):
    monkeypatch.setattr(minimal, "TOGETHER", together)
    held, found = random_baskets(80), []
    for threads in ("1", "3"):
        monkeypatch.setenv("ICEFIRE_THREADS", threads)
        found.append(clustering.labels(held, "minimal", 16, 4, np.random.default_rng(5)).tolist())
    assert found[0] == found[1]
    assert found[0] != clustering.labels(held, "minimal", 16, 4, np.random.default_rng(6)).tolist()


# -- all of them ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", HOWS)
@settings(max_examples=25, deadline=None)
@given(held=baskets(), data=st.data())
def test_there_are_as_many_clusters_as_asked_for_and_none_is_too_small(how, held, data):
    c = data.draw(st.integers(1, held.subjects))
    least = data.draw(st.integers(1, held.subjects // c)) if how in clustering.SIZED else None
    usual, minimal.TRIES_PER_SUBJECT = minimal.TRIES_PER_SUBJECT, 200
    try:
        labels = clustering.labels(held, how, c, least, np.random.default_rng(0))
    finally:
        minimal.TRIES_PER_SUBJECT = usual
    sizes = np.bincount(labels, minlength=c)
    assert labels.dtype == np.int64
    assert len(sizes) == c
    assert sizes.min() >= (least or 1)


@pytest.mark.parametrize("how", HOWS)
def test_without_a_least_size_sized_clusters_are_as_even_as_can_be(how, quick):
    labels = clustering.labels(random_baskets(30), how, 4, None, np.random.default_rng(0))
    assert np.bincount(labels).min() >= (7 if how in clustering.SIZED else 1)


def test_subjects_without_items_are_in_no_cluster(quick):
    held = sets("ab", "", "ab", "cd", "", "cd").baskets
    labels = clustering.labels(held, "minimal", 2, 2, np.random.default_rng(0))
    assert labels.tolist() in ([0, -1, 0, 1, -1, 1], [1, -1, 1, 0, -1, 0])
    assert clustering.dummies_needed(held, labels) == 0
    assert clustering.labels(sets("", "").baskets, "tfidf", 1, None, np.random.default_rng(0)).tolist() == [-1, -1]


@pytest.mark.parametrize("how", HOWS)
def test_equal_sets_one_good_and_one_customer_are_no_trouble(how, quick):
    rng = np.random.default_rng(0)
    assert clustering.labels(sets("a", "a", "a").baskets, how, 2, None, rng).max() == 1
    assert clustering.labels(sets("abc").baskets, how, 1, None, rng).tolist() == [0]


@pytest.mark.parametrize(
    ("how", "clusters", "least", "said"),
    [
        ("tfidf", 4, None, "clusters is 4, but only 3 customers have purchases; choose at most 3"),
        ("balanced", 2, 2, "2 clusters of 2 or more need 4 customers, but only 3 have purchases; choose a min_size"),
        (
            "simple",
            2,
            1,
            "simple clusters have no least size; choose the clustering balanced, smallest_first or",
        ),
        ("dbscan", 2, 1, "'dbscan' is unknown; choose from simple, tfidf, balanced, smallest_first, minimal"),
    ],
)
def test_what_cannot_be_is_refused_in_words(how, clusters, least, said):
    with pytest.raises(ParameterError, match=said):
        clustering.labels(sets("ab", "", "b", "c").baskets, how, clusters, least, np.random.default_rng(0))


# -- the contest's data --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def contest() -> Baskets:
    return contest_data().baskets


def needed(held: Baskets, how: str, c: int, least: int | None, seed: int) -> int:
    return clustering.dummies_needed(held, clustering.labels(held, how, c, least, np.random.default_rng(seed)))


def test_tfidf_clusters_need_about_as_many_dummies_as_printed(contest):
    found = np.mean([needed(contest, "tfidf", 50, None, seed) for seed in range(4)])
    assert found == pytest.approx(182_897, rel=0.1)


@pytest.mark.parametrize(("c", "least", "printed"), [(50, 8, 125_798), (100, 4, 59_374), (125, 3, 46_101)])
def test_balanced_clusters_need_about_as_many_dummies_as_printed(contest, c, least, printed):
    assert needed(contest, "balanced", c, least, 0) == pytest.approx(printed, rel=0.08)


@pytest.mark.parametrize(("c", "least", "goal"), [(50, 8, 106_500), (100, 4, 53_200), (125, 3, 38_200)])
def test_minimal_clusters_need_far_fewer_dummies_even_with_a_third_of_the_tries(contest, c, least, goal, monkeypatch):
    monkeypatch.setattr(minimal, "TRIES_PER_SUBJECT", 20_000)
    assert needed(contest, "minimal", c, least, 0) <= goal

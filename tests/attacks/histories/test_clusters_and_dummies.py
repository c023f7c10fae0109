"""Attacks on releases with clusters and dummies."""

from __future__ import annotations

import numpy as np
import pytest
from support.history_attacks import answers, attacked, bought, candidates, rate
from support.history_tables import history, sets

from icefire.audit import judge
from icefire.core.history import History, HistoryCase, HistoryComparison, publish
from icefire.core.history.publishing import with_origin
from icefire.core.release import Truth


def with_dummies(data: History, labels: list[int]) -> HistoryComparison:
    """Algorithm 2, row by row: number 1, on the last receipt, at the latest price."""
    rows = list(data.frame.iter_rows())
    seen = {u: {r[4] for r in rows if r[0] == u} for u in data.names}
    latest = {row[4]: row[5] for row in sorted(rows, key=lambda r: r[2])}
    for cluster in set(labels):
        members = [u for u, label in zip(data.names, labels, strict=True) if label == cluster]
        for user in members:
            last = max((row for row in rows if row[0] == user), key=lambda row: row[2])
            lacking = sorted(set().union(*(seen[u] for u in members)) - seen[user])
            rows.extend((user, last[1], last[2], last[3], good, latest[good], 1) for good in lacking)
    made = history(rows)
    release = publish(with_origin(made), data.names, {}, 1)
    return HistoryComparison(HistoryCase(data, release.released), release.truth)


@pytest.fixture(scope="module")
def shop() -> History:
    """Sixty customers, 120 goods with a long tail, two to five days each, four or more pieces at a time."""
    random = np.random.default_rng(5)
    rows = []
    chance = 1.0 / np.arange(3, 123)
    for user in range(60):
        for _ in range(random.integers(2, 6)):
            day = int(random.integers(1, 29))
            for good in random.choice(120, random.integers(3, 9), p=chance / chance.sum(), replace=False):
                number = int(random.integers(4, 30))
                rows.append((f"{user:02}", f"{user}-{day}", f"2020/1/{day:02}", "9:00", f"g{good}", 1.0 + good, number))
    return history(rows)


@pytest.fixture(scope="module")
def clustered(shop) -> HistoryComparison:
    return with_dummies(shop, [number % 12 for number in range(60)])


def test_dummies_stop_whoever_looks_at_sets_alone(clustered):
    for name in ("jaccard", "containment", "tfidf"):
        assert rate(name, clustered).rate <= 12 / 60


def test_drawing_within_clusters_succeeds_as_often_as_there_are_clusters(clustered):
    assert rate("random_in_cluster", clustered).expected == pytest.approx(12 / 60)


def test_clusters_of_four_customers_are_recognised_by_hand():
    x, y = sets("abc", "abd", "xy", "xz"), sets("xyz", "abcd", "abcd", "xyz")
    guess = attacked("random_in_cluster", HistoryCase(x, y))
    assert candidates(guess) == [[2, 3], [0, 1], [0, 1], [2, 3]]
    assert judge.expectation(Truth(np.array([2, 0, 1, 3])), guess, 4) == pytest.approx(2 / 4)


def test_a_full_cluster_sends_the_least_similar_on():
    # a fits both sets and at first goes to the smaller; but abc has two members, and ab and ac fill it.
    x, y = sets("ab", "ac", "a", "adefg"), sets("abc", "abc", "adefg", "adefg")
    assert candidates(attacked("random_in_cluster", HistoryCase(x, y))) == [[0, 1], [0, 1], [2, 3], [2, 3]]


def test_the_dummy_aware_attack_sees_through_dummies_on_the_last_receipt(clustered):
    assert rate("dummy_aware", clustered).rate >= 0.95
    assert rate("dummy_aware", clustered, one_to_one=False).rate >= 0.9


def test_dummies_are_recognised_though_a_third_of_all_rows_is_gone(clustered):
    released = clustered.released
    kept = np.flatnonzero(np.random.default_rng(1).random(released.height) < 0.7)
    names = released.names.to_frame()
    case = HistoryCase(clustered.original, released.take(kept).with_customers(names))
    assert judge.score(clustered.truth, attacked("dummy_aware", case)).rate >= 0.9


def test_a_good_bought_twice_is_real():
    # Equal sets; u bought A twice, v bought B twice; dummies of one row each.
    x = bought(
        ("u", "2020/1/1", "A", 5), ("u", "2020/1/2", "A", 5), ("v", "2020/1/1", "B", 5), ("v", "2020/1/2", "B", 5)
    )
    y = bought(
        ("1", "2020/1/1", "B", 5), ("1", "2020/1/2", "B", 5), ("1", "2020/1/1", "A", 5),
        ("2", "2020/1/1", "A", 5), ("2", "2020/1/2", "A", 5), ("2", "2020/1/1", "B", 5),
    )  # fmt: skip
    assert answers("jaccard", x, y) == [0, 0]
    assert answers("dummy_aware", x, y) == [1, 0]


def test_one_subject_released_twice_may_be_named_twice():
    x = sets("abcd", "wxyz")
    assert answers("dummy_aware", x, sets("ab", "cd", "wxyz"), one_to_one=False) == [0, 0, 1]

"""What somebody finds who knows some of a customer's goods: by hand, and against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.history_attacks import OURS, rate
from support.history_tables import compare, contest_data, sets

from icefire.audit.findings import partial_knowledge
from icefire.core.history import HistoryCase, HistoryComparison, publish
from icefire.core.history.publishing import with_origin


def curve(comparison: HistoryComparison, seed: int = 0) -> dict[tuple[str, float], partial_knowledge.KnownPart]:
    return {(p.kind, p.amount): p for p in partial_knowledge.curve(comparison, np.random.default_rng(seed))}


def test_whoever_knows_all_goods_of_four_customers_picks_among_those_who_have_them():
    found = curve(compare(sets("ab", "ab", "c", "abcd"), sets("ab", "ab", "c", "abcd")))
    # ab: three released customers have both; c: two have it; abcd: one. Mean of 1/3, 1/3, 1/2 and 1.
    for point in (found["share", 1.0], found["goods", 20.0]):
        assert point.rate == pytest.approx((1 / 3 + 1 / 3 + 1 / 2 + 1) / 4)
        assert point.unique == pytest.approx(1 / 4)
        assert point.people == 4


def test_one_good_is_as_good_as_it_is_rare():
    # Everybody has one good: a three times, b once.
    found = curve(compare(sets("a", "a", "a", "b"), sets("a", "a", "a", "b")))["goods", 1.0]
    assert (found.rate, found.unique) == (pytest.approx((3 * 1 / 3 + 1) / 4), pytest.approx(1 / 4))


def test_a_person_released_twice_is_picked_by_either_and_one_not_released_never():
    comparison = compare(sets("ab", "cd", "xy"), sets("ab", "ab", "cd"), [0, 0, 1])
    assert curve(comparison)["share", 1.0].rate == pytest.approx((2 / 2 + 1 + 0) / 3)


def test_people_without_goods_are_not_asked_about_and_of_many_only_some():
    comparison = compare(sets("a", "", "b", "c"), sets("a", "", "b", "c"))
    assert curve(comparison)["share", 0.5].people == 3
    points = partial_knowledge.curve(comparison, np.random.default_rng(0), most=2)
    assert {point.people for point in points} == {2}
    assert {point.rate for point in points} == {1.0}


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32))
def test_full_knowledge_is_what_plain_loops_find(seed):
    random = np.random.default_rng(seed)
    letters = np.array(list("abcdef"))
    x, y = (["".join(letters[random.random(6) < 0.4]) for _ in range(6)] for _ in range(2))
    x[0], y[0] = "a", "a"
    truth = random.permutation(6).tolist()
    expected = []
    for i, a in enumerate(x):
        shared = [len(set(a) & set(b)) for b in y]
        best = [j for j in range(6) if shared[j] == max(shared) > 0]
        if a:
            expected.append(sum(truth[j] == i for j in best) / max(len(best), 1))
    assert curve(compare(sets(*x), sets(*y), truth))["share", 1.0].rate == pytest.approx(sum(expected) / len(expected))


def test_one_good_identifies_a_tenth_of_the_real_customers():
    data = contest_data()
    release = publish(with_origin(data), data.names, {}, 1)
    comparison = HistoryComparison(HistoryCase(data, release.released), release.truth)
    found = curve(comparison)
    assert 0.07 < found["goods", 1.0].rate < 0.13
    assert found["share", 1.0].rate > 0.9
    for name in sorted(OURS):
        assert rate(name, comparison).rate == 1.0

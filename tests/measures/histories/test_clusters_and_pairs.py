"""Clusters of equal sets, and support and lift of pairs of items: counted by hand, and against loops."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.history_measures import PEOPLE, ROWS, random_histories, value
from support.history_tables import compare, history, sets

from icefire.core.errors import UndefinedError
from icefire.core.history import groups, receipts
from icefire.kernels.baskets import item_pairs

# --- Clusters ---


def test_clusters_by_hand():
    released = sets("ab", "ba", "abc", "", "c", "")
    found = compare(released, released)
    assert value("clusters", found) == 4
    assert value("singletons", found) == 2
    assert value("smallest_cluster", found) == 1
    assert value("largest_cluster", found) == 2


def test_clusters_of_nobody_are_undefined():
    with pytest.raises(UndefinedError, match="no customers"):
        value("clusters", compare(sets("a", "b"), sets()))


def test_dummies_make_clusters(with_dummies):
    found = compare(with_dummies, with_dummies)
    assert (value("clusters", found), value("singletons", found), value("largest_cluster", found)) == (2, 1, 2)
    assert groups.sizes(groups.labels(with_dummies.baskets)).tolist() == [2, 1]


# --- Pairs of items ---


def test_support_and_lift_by_hand(shop, with_dummies):
    # Receipts: {a,b} {a} {a,b} {c}: a and b are together in 2 of 4, alone in 3 and 2: lift 2·4/(3·2).
    # With dummies {a,b} {a,c} {a,b} {a,b,c}: in 3 of 4, alone in 4 and 3: lift 3·4/(4·3).
    found = compare(shop, with_dummies)
    assert value("support_error", found) == pytest.approx((3 / 4 - 2 / 4) / (2 / 4))
    assert value("support_error", found, scale="none") == pytest.approx(1 / 4)
    assert value("lift_error", found) == pytest.approx((4 / 3 - 1) / (4 / 3))
    # Customers: {a,b} {a,b} {c}, then {a,b,c} {a,b} {a,b,c}.
    assert value("support_error", found, unit="customer") == pytest.approx(1 / 2)
    assert value("lift_error", found, unit="customer", scale="none") == pytest.approx(3 / 2 - 1)


def test_a_pair_that_is_gone_lost_everything(shop):
    other = history([row for row in ROWS if row[4] != "b"], PEOPLE)
    assert value("support_error", compare(shop, other)) == 1
    assert value("lift_error", compare(shop, other)) == 1


def test_the_same_receipt_number_of_two_people_is_two_receipts():
    rows = [("u1", "r", "2024-01-01", "9:00", "a", 1.0, 1), ("u2", "r", "2024-01-01", "9:00", "b", 1.0, 1)]
    found = receipts.baskets(history(rows), np.array([0, 1]), 2)
    assert found.start.tolist() == [0, 1, 2]
    assert receipts.per_subject(history(rows)).tolist() == [1, 1]


def test_pairs_nobody_bought_often_enough_are_undefined(shop):
    with pytest.raises(UndefinedError, match="no two items share 3 baskets; lower min_support"):
        value("support_error", compare(shop, shop), min_support=0.6)
    with pytest.raises(UndefinedError, match="the release has no rows"):
        value("support_error", compare(shop, shop.take(np.arange(0))))
    with pytest.raises(UndefinedError, match="no receipt column"):
        value("lift_error", compare(sets("ab", "ab"), sets("ab", "ab")), unit="receipt")
    assert value("lift_error", compare(sets("ab", "ab"), sets("ab", "ab"))) == 0


def slow_pairs(baskets, top, least):
    counted = Counter(pair for basket in baskets for pair in combinations(sorted(basket), 2))
    ranked = sorted((pair for pair in counted if counted[pair] >= least), key=lambda pair: (-counted[pair], pair))
    return [(pair, counted[pair]) for pair in ranked[:top]]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sets(st.integers(0, 7)), max_size=20), st.integers(1, 40), st.integers(1, 3))
def test_the_most_frequent_pairs_are_those_a_loop_finds(baskets, top, least):
    start = np.cumsum([0, *(len(basket) for basket in baskets)])
    items = np.array([item for basket in baskets for item in sorted(basket)], np.int32)
    pairs, counts = item_pairs.most_frequent_pairs(start, items, 8, top, least)
    assert [(tuple(p), c) for p, c in zip(pairs.tolist(), counts.tolist(), strict=True)] == slow_pairs(
        baskets, top, least
    )
    if len(pairs):
        together, every = item_pairs.pair_counts(start, items, 8, pairs)
        assert together.tolist() == counts.tolist()
        assert every.tolist() == [sum(item in basket for basket in baskets) for item in range(8)]


@settings(max_examples=40, deadline=None)
@given(random_histories())
def test_receipts_are_what_a_loop_collects(data):
    expected = {}
    for code, receipt, item in zip(data.codes, data.frame["receipt"], data.items, strict=True):
        expected.setdefault((int(code), receipt), set()).add(int(item))
    found = receipts.baskets(data, data.items, len(data.goods))
    held = [set(found.items[low:high].tolist()) for low, high in zip(found.start[:-1], found.start[1:], strict=True)]
    assert sorted(map(sorted, held)) == sorted(map(sorted, expected.values()))
    assert receipts.per_subject(data).tolist() == [sum(u == c for c, _ in expected) for u in range(data.subjects)]

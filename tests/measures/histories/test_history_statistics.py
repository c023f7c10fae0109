"""Statistics of one history alone: counted by hand, against loops, and on the contest's data."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.history_measures import random_histories
from support.history_tables import contest_data, sets

from icefire.audit.inspection import history_statistics
from icefire.core.history import History


def slow_jaccard(data: History) -> list[float]:
    held = [set() for _ in range(data.subjects)]
    for code, good in zip(data.codes, data.frame["goods"], strict=True):
        held[code].add(good)
    return [len(a & b) / len(a | b) if a | b else 0.0 for a, b in combinations(held, 2)]


def test_statistics_by_hand(shop):
    found = history_statistics.describe_history(shop)
    assert (found.customers, found.rows, found.receipts, found.goods) == (3, 6, 4, 3)
    assert (found.price.min, found.price.max, found.number.min, found.number.max) == (1, 5, 1, 6)
    assert (found.first_date, found.last_date) == ("2024-01-05", "2024-03-01")
    assert found.goods_per_customer.mean == pytest.approx(5 / 3)
    assert found.rows_per_customer.mean == 2
    assert found.receipts_per_customer.max == 2
    # Coefficients 1, 0, 0; two goods in common in one of three pairs.
    assert (found.jaccard.pairs, found.jaccard.sampled) == (3, False)
    assert (found.jaccard.mean, found.jaccard.max) == (pytest.approx(1 / 3), 1)
    assert found.jaccard.histogram[0] == 2
    assert found.jaccard.histogram[-1] == 1
    assert found.jaccard.shared == pytest.approx(2 / 3)
    assert found.shared_goods == pytest.approx(2 * (5 / 3) * (1 / 3) / (4 / 3))


def test_statistics_of_goods_alone_leave_the_rest_out():
    found = history_statistics.describe_history(sets("ab", "", "b"))
    assert (found.receipts, found.price, found.number, found.first_date) == (None, None, None, None)
    assert found.without_rows == 1
    assert found.jaccard.mean == pytest.approx((0 + 1 / 2 + 0) / 3)


@settings(max_examples=40, deadline=None)
@given(random_histories(), st.booleans())
def test_the_jaccard_distribution_is_what_a_loop_gives(data, loose):
    if loose:
        data = data.with_frame(data.frame[: data.height // 2])  # some customers bought nothing
    every = slow_jaccard(data)
    found = history_statistics.describe_history(data).jaccard
    assert found.pairs == len(every) == sum(found.histogram)
    assert found.mean == pytest.approx(sum(every) / len(every))
    assert found.max == max(every)
    bars = Counter(min(int(round(100 * j, 9)), 99) for j in every)
    assert found.histogram == [bars[bar] for bar in range(100)]


def test_a_sample_of_pairs_comes_near_and_says_so(monkeypatch):
    data = sets(*("abcdefgh"[i % 5 : i % 5 + 1 + i % 3] for i in range(40)))
    exact = history_statistics.describe_history(data).jaccard
    monkeypatch.setattr(history_statistics, "EXACT_SUBJECTS", 39)
    monkeypatch.setattr(history_statistics, "SAMPLED_PAIRS", 100_000)
    sampled = history_statistics.describe_history(data).jaccard
    assert (exact.sampled, sampled.sampled) == (False, True)
    assert sampled.pairs == 100_000 == sum(sampled.histogram)
    assert sampled.mean == pytest.approx(exact.mean, abs=0.01)
    assert sampled.shared == pytest.approx(exact.shared, abs=0.02)
    assert sampled == history_statistics.describe_history(data).jaccard
    assert sampled != history_statistics.describe_history(data, seed=1).jaccard


def test_the_contest_data_are_those_of_the_paper():
    found = history_statistics.describe_history(contest_data())
    assert (found.customers, found.rows, found.receipts, found.goods) == (400, 38_087, 1_763, 2_781)
    assert (found.price.min, found.price.max) == (0.04, 4161.06)
    assert (found.number.min, found.number.max) == (1, 74_215)
    assert (found.first_date, found.last_date) == ("2010-12-01", "2011-12-09")
    assert found.goods_per_customer.mean == pytest.approx(65.72, abs=0.01)
    assert found.jaccard.pairs == 400 * 399 // 2
    assert found.jaccard.mean == pytest.approx(0.0300, abs=5e-5)
    assert found.jaccard.max == pytest.approx(0.400, abs=5e-4)

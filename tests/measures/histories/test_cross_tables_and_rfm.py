"""Cross tables, and recency, frequency and money: counted by hand, and against loops."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.history_measures import PEOPLE, ROWS, random_histories, value
from support.history_tables import compare, history

from icefire.core.errors import ParameterError, UndefinedError
from icefire.core.history import History

# --- Cross tables ---


def test_mean_price_and_number_by_sex_and_country(shop, with_dummies):
    # f Spain: mean price (1+3+1+1+3)/5 = 1.8, with c at 5: 14/6; m Italy: 5, with 1 and 3: 3.
    found = compare(shop, with_dummies)
    assert value("u1_cmae", found) == pytest.approx((14 / 6 - 1.8 + 5 - 3) / 2)
    # numbers: f Spain 15/5 = 3, then 16/6; m Italy 1, then 1.
    assert value("U2-cMAE", found) == pytest.approx((3 - 16 / 6 + 0) / 2)


def test_other_keys_values_and_aggregations(shop, with_dummies):
    found = compare(shop, with_dummies)
    assert value("u1_cmae", found, keys="sex", aggregation="count") == pytest.approx((1 + 2) / 2)
    assert value("u1_cmae", found, keys="", aggregation="sum") == pytest.approx(9)
    # amounts: f 2+12+2+6+3 = 25 of 5 rows, then 30 of 6; m 5, then (5+1+3)/3.
    assert value("u1_cmae", found, keys="sex", value="amount") == pytest.approx((0 + 2) / 2)
    assert value("u1_cmae", found, value="number") == value("u2_cmae", found)


def test_a_cell_that_is_gone_counts_as_zero(shop):
    fewer = history(ROWS[:5], PEOPLE)
    assert value("u1_cmae", compare(shop, fewer)) == pytest.approx(5 / 2)
    moved = history(ROWS, [*PEOPLE[:2], ("u3", "m", "Malta")])
    assert value("u1_cmae", compare(shop, moved)) == pytest.approx((0 + 5 + 5) / 3)


def test_cross_tables_without_what_they_need_say_so(shop):
    with pytest.raises(UndefinedError, match="no table of customers"):
        value("u1_cmae", compare(shop, shop.with_customers(None)))
    plain = shop.with_customers(shop.customers.rename({"sex": "s", "country": "c"}))
    with pytest.raises(UndefinedError, match="neither sex nor country; name columns with keys, from: s, c"):
        value("u1_cmae", compare(plain, plain))
    with pytest.raises(UndefinedError, match="released table of customers has no column 'sex'"):
        value("u1_cmae", compare(shop, shop.with_customers(shop.customers.drop("sex"))))
    with pytest.raises(ParameterError, match="no column 'contry'; did you mean 'country'"):
        value("u1_cmae", compare(shop, shop), keys="contry")


@settings(max_examples=30, deadline=None)
@given(random_histories(), random_histories())
def test_cross_tables_are_what_a_loop_gives(x, y):
    def table(data):
        cells = {}
        for code, number in zip(data.codes, data.numbers, strict=True):
            cells.setdefault(data.customers.select("sex", "country").row(int(code)), []).append(number)
        return {cell: sum(numbers) / len(numbers) for cell, numbers in cells.items()}

    before, after = table(x), table(y)
    cells = set(before) | set(after)
    expected = sum(abs(before.get(cell, 0) - after.get(cell, 0)) for cell in cells) / len(cells)
    assert value("u2_cmae", compare(x, y, [0] * y.subjects)) == pytest.approx(expected)


# --- Recency, frequency, money ---


def slow_rfm(x: History, y: History, records: bool) -> float:
    def features(data):
        found = {}
        for code, when, receipt, price, number in zip(
            data.codes, data.when // 86_400, data.frame["receipt"], data.prices, data.numbers, strict=True
        ):
            of = found.setdefault(int(code), [0, [], 0.0])
            of[0], of[2] = max(of[0], when), of[2] + price * number
            of[1].append(receipt)
        last = (x.when // 86_400).max()
        return [(last - day, len(r) if records else len(set(r)), money) for day, r, money in found.values()]

    before, after = features(x), features(y)
    edges = [np.quantile([f[i] for f in before], np.arange(1, 10) / 10) for i in range(3)]

    def shares(every, subjects):
        ranks = [tuple(sum(edge < f[i] for edge in edges[i]) for i in range(3)) for f in every]
        ranks += [None] * (subjects - len(every))
        return {rank: count / subjects for rank, count in Counter(ranks).items()}

    a, b = shares(before, x.subjects), shares(after, y.subjects)
    return sum(abs(a.get(rank, 0) - b.get(rank, 0)) for rank in set(a) | set(b)) / 2


def test_rfm_by_hand(shop, with_dummies):
    # Recency and receipts stay. u1 pays 16, then 21; u2 9; u3 5, then 9. Deciles of (5, 9, 16) lie between and on them:
    # 21 is as much in the last tenth as 16 was; u3 moves up from the first. One of three customers changes places.
    assert value("u3_rfm", compare(shop, with_dummies)) == pytest.approx(1 / 3)
    assert value("U3-RFM", compare(shop, with_dummies), frequency="records") == pytest.approx(
        slow_rfm(shop, with_dummies, records=True)
    )


def test_customers_without_rows_are_a_rank_of_their_own(shop):
    assert value("u3_rfm", compare(shop, history(ROWS[:5], PEOPLE))) == pytest.approx(1 / 3)


def test_recency_may_count_from_each_file_s_own_last_day(shop):
    # Four years later to the day: seen from the original's last day all three are in its most recent tenth.
    other = history([(*row[:2], row[2].replace("2024", "2028"), *row[3:]) for row in ROWS], PEOPLE)
    assert value("u3_rfm", compare(shop, other)) == pytest.approx(2 / 3)
    assert value("u3_rfm", compare(shop, other), reference="each") == 0


@settings(max_examples=40, deadline=None)
@given(random_histories(), random_histories(), st.booleans())
def test_rfm_is_what_a_loop_gives(x, y, records):
    found = value("u3_rfm", compare(x, y, [0] * y.subjects), frequency="records" if records else "receipts")
    assert found == pytest.approx(slow_rfm(x, y, records))


def test_rfm_without_rows_or_receipts_says_so(shop):
    with pytest.raises(UndefinedError, match="no rows"):
        value("u3_rfm", compare(shop, shop.take(np.arange(0))))
    bare = History(shop.frame, type(shop.fields)("user", "goods", date="date", price="price"), shop.customers)
    with pytest.raises(UndefinedError, match="no receipt column; choose frequency = records"):
        value("u3_rfm", compare(bare, bare), frequency="receipts")
    assert value("u3_rfm", compare(bare, bare)) == 0  # records are counted by themselves

"""Measures of histories on tables counted by hand, and against loops that can be checked by reading."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.history_tables import compare, contest_data, history, sets

from icefire.audit import history_statistics
from icefire.core import registry
from icefire.core.errors import ParameterError, UndefinedError
from icefire.core.history import History, groups, receipts
from icefire.kernels.baskets import item_pairs, multisets

ERRORS = (
    "rows_added",
    "rows_lost",
    "dummy_share",
    "u1_cmae",
    "u2_cmae",
    "u3_rfm",
    "support_error",
    "lift_error",
    "goods_lost",
    "customers_lost",
)


def value(name, comparison, **given):
    entry = registry.get("measure", name)
    return entry.function(comparison, **entry.bind(given))


PEOPLE = [("u1", "f", "Spain"), ("u2", "f", "Spain"), ("u3", "m", "Italy")]
ROWS = [
    ("u1", "r1", "2024-01-05", "9:00", "a", 1.0, 2),
    ("u1", "r1", "2024-01-05", "9:00", "b", 3.0, 4),
    ("u1", "r2", "2024-02-01", "10:00", "a", 1.0, 2),
    ("u2", "r3", "2024-01-20", "11:00", "a", 1.0, 6),
    ("u2", "r3", "2024-01-20", "11:00", "b", 3.0, 1),
    ("u3", "r4", "2024-03-01", "12:00", "c", 5.0, 1),
]


@pytest.fixture
def shop() -> History:
    return history(ROWS, PEOPLE)


@pytest.fixture
def with_dummies() -> History:
    """u1 and u3 in one cluster: u1 gets c, u3 gets a and b, at their latest receipts."""
    added = [
        ("u1", "r2", "2024-02-01", "10:00", "c", 5.0, 1),
        ("u3", "r4", "2024-03-01", "12:00", "a", 1.0, 1),
        ("u3", "r4", "2024-03-01", "12:00", "b", 3.0, 1),
    ]
    return history([*ROWS, *added], PEOPLE)


def slow_dummies(data: History, cluster: list[int]) -> pl.DataFrame:
    """Algorithm 2, row by row."""
    bought = [set() for _ in range(data.subjects)]
    for code, good in zip(data.codes, data.frame["goods"], strict=True):
        bought[code].add(good)
    rows = data.frame.rows(named=True)
    prices = {}
    for row in sorted(range(data.height), key=lambda i: (data.when[i], i)):
        prices[rows[row]["goods"]] = rows[row]["price"]
    made = []
    for user, name in enumerate(data.names):
        wanted = set().union(*(bought[other] for other in range(data.subjects) if cluster[other] == cluster[user]))
        last = max((i for i in range(data.height) if data.codes[i] == user), key=lambda i: (data.when[i], i))
        copied = {key: rows[last][key] for key in ("receipt", "date", "time")}
        missing = sorted(wanted - bought[user])
        made += [{"user": name, **copied, "goods": good, "price": prices[good], "number": 1} for good in missing]
    return pl.DataFrame(made, schema=data.frame.schema) if made else data.frame.clear()


@st.composite
def random_histories(draw, most=25):
    """Every customer has rows, the first two have a pair in common; prices, numbers and dates repeat often."""
    customers = draw(st.integers(2, 5))
    line = st.tuples(st.integers(0, 2), st.sampled_from("abcdef"), st.sampled_from([1.0, 2.5]), st.integers(1, 2))
    rows = [(f"u{user}", "r0", "2024-01-01", "9:00", good, 1.0, 1) for user in (0, 1) for good in "ab"]
    for user in range(customers):
        for visit, good, price, number in draw(st.lists(line, min_size=1, max_size=most // customers)):
            rows.append((f"u{user}", f"r{visit}", f"2024-01-0{visit + 1}", "9:00", good, price, number))
    person = st.tuples(st.sampled_from("fm"), st.sampled_from(["Here", "There"]))
    return history(rows, [(f"u{user}", *draw(person)) for user in range(customers)])


def renamed(data: History, seed: int = 1) -> tuple[History, np.ndarray]:
    """Publish unchanged: new names, other orders of customers and rows, new receipt numbers."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(data.subjects)
    names = np.empty(data.subjects, np.int64)
    names[order] = np.arange(data.subjects)
    new = pl.Series("user", names).cast(pl.String)
    frame = data.frame.with_columns(new[data.codes], "new-" + pl.col("receipt"))[rng.permutation(data.height)]
    return data.with_frame(frame).with_customers(data.customers.with_columns(new)[order]), order


# --- Nothing changed ---


@pytest.mark.parametrize("name", ERRORS)
def test_an_unchanged_history_has_no_error(name, shop):
    assert value(name, compare(shop, shop)) == 0


@pytest.mark.parametrize("name", ERRORS)
@settings(max_examples=15, deadline=None)
@given(data=random_histories())
def test_new_names_orders_and_receipt_numbers_are_no_error(name, data):
    other, order = renamed(data)
    assert value(name, compare(data, other, order)) == pytest.approx(0, abs=1e-12)


# --- Rows added and lost ---


def test_dummies_are_counted(shop, with_dummies):
    found = compare(shop, with_dummies)
    assert value("rows_added", found) == value("Δm", found) == 3
    assert value("rows_lost", found) == 0
    assert value("dummy_share", found) == pytest.approx(3 / 9)


def test_a_changed_row_is_one_added_and_one_lost(shop):
    other = history([(*ROWS[0][:6], 3), *ROWS[1:]], PEOPLE)
    assert value("rows_added", compare(shop, other)) == value("rows_lost", compare(shop, other)) == 1
    assert value("rows_added", compare(shop, other), by="item,date") == 0


def test_a_row_that_comes_twice_is_added_once(shop):
    other = history([*ROWS, ROWS[0]], PEOPLE)
    assert value("rows_added", compare(shop, other)) == 1
    assert value("rows_lost", compare(other, shop)) == 1


def test_a_row_of_somebody_else_is_not_the_same(shop):
    other = history([("u2", *ROWS[0][1:]), *ROWS[1:]], PEOPLE)
    assert value("rows_added", compare(shop, other)) == value("rows_lost", compare(shop, other)) == 1
    everybody_is_u1 = compare(shop, other, [0, 0, 2])
    assert value("rows_added", everybody_is_u1) == 2  # the two rows of u2 that he really bought
    assert value("rows_lost", everybody_is_u1) == 2


def test_receipts_count_only_where_asked(shop):
    other = history([(row[0], row[1] + "x", *row[2:]) for row in ROWS], PEOPLE)
    assert value("rows_added", compare(shop, other)) == 0
    assert value("rows_added", compare(shop, other), by="item,receipt") == 6


def test_dates_are_compared_as_dates(shop):
    other = history([(*row[:2], row[2].replace("-0", "/").replace("-", "/"), *row[3:]) for row in ROWS], PEOPLE)
    assert value("rows_added", compare(shop, other)) == 0


def test_rows_of_nobody_are_added(shop):
    assert value("rows_added", compare(shop, shop, [0, 1, -1])) == 1
    assert value("rows_lost", compare(shop, shop, [0, 1, -1])) == 1


def test_a_history_with_goods_only_compares_goods():
    assert value("rows_added", compare(sets("ab", "b"), sets("ab", "ab"))) == 1


def test_an_unknown_field_to_compare_by_is_refused(shop):
    with pytest.raises(ParameterError, match="'prise' is not in both files; did you mean 'price'"):
        value("rows_added", compare(shop, shop), by="item,prise")
    with pytest.raises(ParameterError, match=r"'receipt' is not in both files; allowed: item$"):
        value("rows_added", compare(sets("a", "b"), sets("a", "b")), by="receipt")


def test_no_rows_have_no_share_of_dummies(shop):
    with pytest.raises(UndefinedError, match="no rows"):
        value("dummy_share", compare(shop, shop.take(np.arange(0))))


@settings(max_examples=40, deadline=None)
@given(random_histories(), st.data())
def test_rows_added_is_exactly_what_algorithm_2_adds(data, draws):
    cluster = draws.draw(st.lists(st.integers(0, 2), min_size=data.subjects, max_size=data.subjects))
    dummies = slow_dummies(data, cluster)
    other, order = renamed(data.with_frame(pl.concat([data.frame, dummies])))
    found = compare(data, other, order)
    assert value("rows_added", found) == dummies.height
    assert value("rows_lost", found) == 0
    assert value("clusters", found) <= len(set(cluster))


@settings(max_examples=60, deadline=None)
@given(*[st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=30)] * 2)
def test_multisets_differ_as_counters_do(x, y):
    a, b = (np.array(pairs, np.int64).reshape(-1, 2) for pairs in (x, y))
    added, lost = multisets.surplus(a[:, 0], a[:, 1], b[:, 0], b[:, 1], 4)
    assert added == (Counter(y) - Counter(x)).total()
    assert lost == (Counter(x) - Counter(y)).total()


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


# --- Goods and customers that are gone ---


def test_goods_and_customers_that_are_gone(shop):
    other = history(ROWS[:5], PEOPLE)
    assert value("goods_lost", compare(shop, other)) == pytest.approx(1 / 3)
    assert value("customers_lost", compare(shop, other)) == pytest.approx(1 / 3)
    assert value("goods_lost", compare(other, shop)) == 0


# --- One history alone ---


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


def test_every_measure_has_a_value_on_the_contest_data():
    data = contest_data()
    found = compare(data, data.with_frame(data.frame[5000:]))
    for entry in registry.entries("measure", "history"):
        assert np.isfinite(entry.function(found, **entry.bind({}))), entry.name
    assert value("rows_lost", found) == 5000
    assert value("rows_added", found) == 0

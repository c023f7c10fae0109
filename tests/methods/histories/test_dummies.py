"""Dummies: added rows worked out by hand, algorithm 2 word for word, and rows that look like purchases."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.history_methods import FEW, SHOP, applied, bought, histories, rows
from support.history_tables import contest_data, history, sets

from icefire import recipe
from icefire.core import seeds
from icefire.core.dataset import ORIGIN
from icefire.core.errors import ParameterError
from icefire.core.history import Fields, History
from icefire.core.history.publishing import with_origin
from icefire.methods.histories import clustering
from icefire.methods.histories.clustering import minimal
from icefire.recipe import run_recipe


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Little annealing: these histories have a few customers."""
    monkeypatch.setattr(minimal, "TRIES_PER_SUBJECT", 500)


def test_added_rows_by_hand():
    # ann and bob differ by bun and cod, cyn and dan by egg. The latest ale cost 3.5, but nobody lacks it.
    made = applied("dummies", SHOP, clustering="balanced", clusters=2, min_size=2)
    assert made.frame.head(7).equals(with_origin(SHOP).frame)
    assert rows(made)[7:] == [
        ("ann", "r2", "2020/2/3", "9:10", "cod", 8.0, 1),
        ("bob", "r3", "2020/2/3", "8:00", "bun", 1.0, 1),
        ("cyn", "r5", "2020/3/1", "7:00", "egg", 0.2, 1),
    ]
    assert made.frame[ORIGIN].to_list()[7:] == [0, 1, 2]
    assert made.notes == {
        "rows_added": 3, "goods_added": 3, "clusters": 2, "customers_without_rows": 0,
        "smallest_cluster": 2, "largest_cluster": 2, "customers_alone": 0,
    }  # fmt: skip


def test_the_latest_row_and_the_latest_price_are_the_last_in_the_file_of_equals():
    data = history(
        [
            ("a", "r1", "2020/1/1", "9:00", "x", 1.0, 1),
            ("a", "r2", "2020/1/1", "9:00", "y", 1.0, 1),
            ("b", "r3", "2020/1/1", "9:00", "z", 5.0, 4),
            ("b", "r3", "2020/1/1", "9:00", "z", 6.0, 4),
            ("b", "r0", "2019/1/1", "9:00", "z", 7.0, 4),
        ]
    )
    made = rows(applied("dummies", data, clusters=1))
    assert made[5:] == [
        ("a", "r2", "2020/1/1", "9:00", "z", 6.0, 1),
        ("b", "r3", "2020/1/1", "9:00", "x", 1.0, 1),
        ("b", "r3", "2020/1/1", "9:00", "y", 1.0, 1),
    ]


def plain_dummies(data: History, labels: list[int]) -> list[tuple[object, ...]]:
    """Algorithm 2 word for word, on rows of (user, receipt, date, time, goods, price, number)."""
    every, added = rows(data), []

    def moment(row):
        return tuple(map(int, row[2].split("/"))), tuple(map(int, row[3].split(":")))

    def latest(wanted):
        found = [row for row in every if wanted(row)]
        return max(enumerate(found), key=lambda pair: (moment(pair[1]), pair[0]))[1]

    held = bought(data)
    for name, label in zip(data.names, labels, strict=True):
        together = set().union(*(held[n] for n, x in zip(data.names, labels, strict=True) if x == label))
        for good in sorted(together - held[name]) if label >= 0 else ():
            mine, its = latest(lambda row, name=name: row[0] == name), latest(lambda row, good=good: row[4] == good)
            added.append((*mine[:4], good, its[5], 1))
    return added


@pytest.mark.parametrize("how", ["simple", "tfidf", "balanced", "minimal"])
@FEW
@given(data=histories(), share=st.floats(0, 1))
def test_dummies_are_algorithm_2(how, data, share):
    customers = np.count_nonzero(data.baskets.sizes)
    c = max(1, round(share * customers))
    labels = clustering.labels(data.baskets, how, c, None, seeds.generator(0, "dummies"))
    made = applied("dummies", data, clustering=how, clusters=c)
    assert rows(made)[: data.height] == rows(data)
    assert rows(made)[data.height :] == plain_dummies(data, labels.tolist())
    assert made.notes["rows_added"] == made.height - data.height == clustering.dummies_needed(data.baskets, labels)
    after = bought(made)
    for x in range(c):
        assert len({frozenset(after[data.names[int(u)]]) for u in np.flatnonzero(labels == x)}) == 1
    assert made.notes["customers_without_rows"] == data.subjects - customers


@pytest.mark.parametrize("repeats", [True, False])
@FEW
@given(data=histories(), seed=st.integers(0, 9))
def test_plausible_dummies_look_like_purchases(repeats, data, seed):
    customers = int(np.count_nonzero(data.baskets.sizes))
    c = max(1, customers // 3)
    parameters = {"clustering": "balanced", "clusters": c, "placement": "plausible", "repeats": repeats}
    made = applied("dummies", data, seed, **parameters)
    plain = applied("dummies", data, seed, **parameters | {"placement": "latest"})
    assert bought(made) == bought(plain)
    real, added = rows(data), rows(made)[data.height :]
    assert rows(made)[: data.height] == real
    assert all((user, *receipt) in {row[:4] for row in real} for user, *receipt, _, _, _ in added)
    assert {row[4:] for row in added} <= {row[4:] for row in real}
    assert max(Counter((row[0], row[1], row[4]) for row in added).values(), default=1) == 1
    assert made.notes["goods_added"] == plain.notes["rows_added"]
    if not repeats:
        assert made.notes["rows_added"] == plain.notes["rows_added"]


def test_plausible_dummies_are_spread_bought_again_and_drawn():
    ann = [("ann", f"r{m}", f"2020/{m}/1", "9:00", "ale", 3.0, 12) for m in range(1, 13)]
    bob = [("bob", f"s{m}", f"2020/{m}/2", "9:00", f"g{m}", m / 2, m) for m in range(1, 13)] * 2
    data = history(ann + bob)
    made = applied("dummies", data, 1, clusters=1, placement="plausible").frame[data.height :]
    for_ann, for_bob = made.filter(pl.col("user") == "ann"), made.filter(pl.col("user") == "bob")
    assert for_ann["goods"].n_unique() == 12
    assert for_ann["receipt"].n_unique() > 4
    assert 12 < for_ann.height <= 24  # bob bought everything twice; the two may fall on one receipt
    assert set(zip(for_ann["goods"], for_ann["price"], for_ann["number"], strict=True)) == {
        (f"g{m}", m / 2, m) for m in range(1, 13)
    }
    assert for_bob["goods"].unique().to_list() == ["ale"]
    assert for_bob["receipt"].n_unique() == for_bob.height > 4
    assert not made.equals(applied("dummies", data, 2, clusters=1, placement="plausible").frame[data.height :])


def test_plausible_dummies_prefer_receipts_near_in_time():
    # Ann's cards are bought in December, bob came all through the year: of two rows drawn the nearer one is taken.
    ann = [("ann", "r", "2020/12/1", "9:00", f"card{i}", 1.0, 1) for i in range(300)]
    bob = [("bob", f"s{m}", f"2020/{m}/2", "9:00", "ale", 1.0, 1) for m in range(1, 13)]
    made = applied("dummies", history(ann + bob), clusters=1, placement="plausible").frame[312:]
    months = made.filter(pl.col("user") == "bob")["receipt"].str.slice(1).cast(int)
    assert months.mean() == pytest.approx(8.5, abs=0.5)  # the mean of the larger of two dice with twelve sides: 8.49


def test_dummies_need_no_optional_column():
    made = applied("dummies", sets("abc", "ab", "xy", "x", ""), clusters=2, min_size=2)
    assert rows(made)[8:] == [("u1", "c"), ("u3", "y")]
    assert made.notes["customers_without_rows"] == 1
    spread = applied("dummies", sets("abc", "ab", "xy", "x", ""), clusters=2, min_size=2, placement="plausible")
    assert sorted(rows(spread)[8:]) == [("u1", "c"), ("u3", "y")]


def test_other_columns_are_copied_from_the_receipt_joined():
    frame = pl.DataFrame({"user": ["a", "b"], "goods": ["x", "y"], "shop": ["north", None], "number": [2.5, 3.5]})
    made = applied("dummies", History(frame, Fields("user", "goods", number="number")), clusters=1)
    assert rows(made)[2:] == [("a", "y", "north", 1.0), ("b", "x", None, 1.0)]


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"clusters": 5}, "clusters is 5, but only 4 customers have purchases; choose at most 4"),
        ({"clusters": 2, "min_size": 3}, "2 clusters of 3 or more need 6 customers, but only 4"),
        ({"clusters": 2, "min_size": 2, "clustering": "tfidf"}, "tfidf clusters have no least size"),
        ({"clusters": 0}, "'clusters' got 0; it takes a whole number, at least 1"),
        ({"clustering": "tfdif"}, "did you mean 'tfidf'"),
    ],
)
def test_impossible_clusters_are_refused_in_words(parameters, said):
    with pytest.raises(ParameterError, match=said):
        applied("dummies", SHOP, **parameters)


def test_a_release_with_dummies_has_at_most_as_many_sets_as_clusters():
    release = run_recipe(SHOP, recipe.load({"steps": [{"method": "dummies", "clusters": 2, "min_size": 2}]}))
    assert len({frozenset(goods) for goods in bought(release.released).values()}) == 2
    assert sorted(release.truth.rows) == [0, 1, 2, 3]


def test_the_contest_data_get_the_rows_of_algorithm_2():
    data = contest_data()
    made = applied("dummies", data, clustering="balanced", clusters=100, min_size=4)
    assert made.frame.head(data.height).equals(with_origin(data).frame)
    added = made.frame[data.height :]
    last = data.frame[data.latest]
    assert added.select("user", "receipt", "date", "time").unique().height == added["user"].n_unique()
    joined = added.join(last, on="user")
    for column in ("receipt", "date", "time"):
        assert (joined[column] == joined[f"{column}_right"]).all()
    assert added["number"].unique().to_list() == [1]
    assert added.group_by("goods").agg(pl.col("price").n_unique())["price"].max() == 1

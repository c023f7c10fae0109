"""Methods on histories: rows worked out by hand, and properties against plain versions on random histories."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.history_tables import contest_data, history, sets
from support.places import RECIPES

import icefire
from icefire import recipe, testing
from icefire.core import registry, seeds
from icefire.core.dataset import ORIGIN
from icefire.core.errors import InputError, ParameterError, SchemaError
from icefire.core.history import Fields, History, groups
from icefire.core.history.publishing import with_origin
from icefire.methods.histories import clustering
from icefire.methods.histories.clustering import minimal
from icefire.recipe import run_recipe

FEW = settings(max_examples=40, deadline=None)
RECIPES = sorted((RECIPES).glob("shop_*.toml"))
OURS = {
    "dummies", "suppress_rare_goods", "delete_purchases", "generalize_goods", "change_pseudonyms", "rename_receipts",
    "coarsen_dates", "drop_profile", "round_purchases", "merge_purchases",
}  # fmt: skip


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Little annealing: these histories have a few customers."""
    monkeypatch.setattr(minimal, "TRIES_PER_SUBJECT", 500)


def applied(name: str, data: History, seed: int = 0, **parameters: object) -> History:
    entry = registry.get("method", name)
    made: History = entry.function(with_origin(data), rng=seeds.generator(seed, name), **entry.bind(parameters))
    return made


def rows(data: History, *columns: str) -> list[tuple[object, ...]]:
    return data.frame.select(columns or data.frame.drop(ORIGIN, strict=False).columns).rows()


def bought(data: History) -> dict[str, set[str]]:
    """The goods of everybody."""
    pairs = data.frame.select(data.fields.subject, data.fields.item).rows()
    return {name: {good for who, good in pairs if who == name} for name in data.names}


SHOP = history(
    [
        ("ann", "r1", "2020/1/30", "9:00", "ale", 3.0, 2),
        ("ann", "r2", "2020/2/3", "9:10", "bun", 1.0, 5),
        ("bob", "r3", "2020/2/3", "8:00", "ale", 3.5, 1),
        ("bob", "r4", "2020/1/7", "10:59", "cod", 8.0, 1),
        ("cyn", "r5", "2020/3/1", "7:00", "dip", 2.0, 3),
        ("dan", "r6", "2020/3/2", "7:30", "dip", 2.5, 1),
        ("dan", "r6", "2020/3/2", "7:30", "egg", 0.2, 12),
    ],
    [("ann", "f", "UK"), ("bob", "m", "UK"), ("cyn", "f", "FR"), ("dan", "m", "FR")],
)


@st.composite
def histories(draw, most=9, goods=6):
    """A few customers with dates, prices and numbers; some may have bought nothing."""
    who = [f"u{number}" for number in range(draw(st.integers(1, most)))]
    row = st.tuples(st.sampled_from(who), st.integers(1, 4), st.integers(0, goods - 1), st.integers(1, 9))
    made = [
        (name, f"{name}{day}", f"2020/{day}/{day}", "9:00", f"g{good}", number / 4, number)
        for name, day, good, number in draw(st.lists(row, min_size=1, max_size=30))
    ]
    return history(made, [(name, "f", "UK") for name in who])


# -- all of them ---------------------------------------------------------------------------------------------


def test_every_method_is_registered():
    assert {entry.name for entry in registry.entries("method", "history")} >= OURS


@pytest.mark.parametrize("name", sorted(OURS))
def test_the_contract_is_kept(name):
    testing.check("method", name)


@pytest.mark.parametrize("name", sorted(OURS))
@settings(max_examples=15, deadline=None)
@given(data=histories())
def test_the_same_seed_gives_the_same_bytes_and_every_row_knows_its_customer(name, data):
    given = {"k": 1} if name == "suppress_rare_goods" else {}
    once, again = (applied(name, data, 3, **given) for _ in range(2))
    assert once.frame.equals(again.frame)
    assert once.customers.equals(again.customers)
    names = once.frame[once.fields.subject].str.split("/").list.first().to_list()
    assert names == [data.names[number] for number in once.frame[ORIGIN]]


# -- dummies -------------------------------------------------------------------------------------------------


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


# -- leaving out ---------------------------------------------------------------------------------------------


def too_rare(held: list[set[str]], k: int, m: int) -> set[tuple[str, ...]]:
    """Combinations of up to m goods that somebody has, but fewer than k have."""
    found = Counter(some for goods in held for size in range(1, m + 1) for some in combinations(sorted(goods), size))
    return {some for some, times in found.items() if times < k}


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sets(st.sampled_from("abcdef")), min_size=2, max_size=9), st.integers(1, 3), st.integers(1, 3))
def test_every_combination_left_is_shared_and_no_good_was_left_out_needlessly(held, k, m):
    data = sets(*("".join(sorted(goods)) for goods in held))
    if not data.height:
        return
    try:
        left = bought(applied("suppress_rare_goods", data, k=k, m=m))
    except ParameterError:
        # Then not even one good has k buyers.
        assert len(too_rare(held, k, 1)) == len(set().union(*held))
        return
    assert not too_rare(list(left.values()), k, m)
    stayed = set().union(*left.values())
    assert all(left[name] == bought(data)[name] & stayed for name in data.names)
    for good in set().union(*held) - stayed:
        assert too_rare([goods & (stayed | {good}) for goods in held], k, m)


def test_rare_goods_by_hand():
    # c and d have one buyer each: they go. Pairs: a with b twice. With k = 2, m = 2 all else may stay.
    made = applied("suppress_rare_goods", sets("abc", "abd", "a", "c"), k=2)
    assert bought(made) == {"u0": {"a", "b", "c"}, "u1": {"a", "b"}, "u2": {"a"}, "u3": {"c"}}
    assert made.notes == {"goods_suppressed": 1, "rows_suppressed": 1, "customers_emptied": 0}
    made = applied("suppress_rare_goods", sets("abc", "abd", "a", "c"), k=2, m=2)
    assert bought(made) == {"u0": {"a", "b"}, "u1": {"a", "b"}, "u2": {"a"}, "u3": set()}
    assert made.notes == {"goods_suppressed": 2, "rows_suppressed": 3, "customers_emptied": 1}
    with pytest.raises(ParameterError, match="k = 4, m = 1 leaves none of 4 goods; choose less"):
        applied("suppress_rare_goods", sets("abc", "abd", "a", "c"), k=4)


@FEW
@given(histories(), st.floats(0, 1), st.integers(0, 5))
def test_deleted_purchases_leave_everybody_one(data, share, seed):
    made = applied("delete_purchases", data, seed, share=share)
    gone = min(round(share * data.height), data.height - np.count_nonzero(data.baskets.sizes))
    assert made.height == data.height - gone
    assert np.array_equal(made.baskets.sizes > 0, data.baskets.sizes > 0)
    assert Counter(rows(made)) <= Counter(rows(data))
    assert made.notes == {"rows_suppressed": gone, "customers_emptied": 0}


def test_purchases_are_deleted_by_chance():
    data = history([(name, "r", "2020/1/1", "9:00", f"g{i}", 1.0, 1) for i in range(50) for name in "ab"])
    kept = [set(rows(applied("delete_purchases", data, seed, share=0.5))) for seed in (1, 2)]
    assert kept[0] != kept[1]
    assert len(kept[0]) == len(kept[1]) == 50
    emptied = applied("delete_purchases", sets(*"abcdefghij"), share=0.9, keep_one=False)
    assert emptied.notes == {"rows_suppressed": 9, "customers_emptied": 9}
    with pytest.raises(ParameterError, match="a share of 1 leaves none of 7 rows; choose less, or keep_one"):
        applied("delete_purchases", SHOP, share=1, keep_one=False)


# -- saying less ---------------------------------------------------------------------------------------------


def test_goods_by_their_first_letters():
    made = applied("generalize_goods", sets("ab"), prefix=1)
    assert rows(made) == [("u0", "a"), ("u0", "b")]
    data = history([("a", "r", "2020/1/1", "9:00", good, 1.0, 1) for good in ("22728", "22727", "84", "85099B")])
    made = applied("generalize_goods", data, prefix=4)
    assert made.frame["goods"].to_list() == ["2272", "2272", "84", "8509"]
    assert made.notes == {"goods_before": 4, "goods_after": 3}
    assert applied("generalize_goods", data).frame["goods"].to_list() == ["227", "227", "84", "850"]


def test_goods_by_a_hierarchy(tmp_path):
    path = tmp_path / "goods.csv"
    path.write_text("ale;drink;*\nbun;food;*\ncod;food;*\ndip;food;*\negg;food;*\n")
    made = applied("generalize_goods", SHOP, hierarchy_file=str(path))
    assert made.frame["goods"].to_list() == ["drink", "food", "drink", "food", "food", "food", "food"]
    assert applied("generalize_goods", SHOP, hierarchy_file=str(path), level=2).frame["goods"].unique().to_list() == [
        "*"
    ]
    with pytest.raises(ParameterError, match="has levels 1 to 2, not 3"):
        applied("generalize_goods", SHOP, hierarchy_file=str(path), level=3)
    with pytest.raises(ParameterError, match="give one of them"):
        applied("generalize_goods", SHOP, hierarchy_file=str(path), prefix=2)
    path.write_text("ale;drink\nbun;food\n")
    with pytest.raises(InputError, match="cod"):
        applied("generalize_goods", SHOP, hierarchy_file=str(path))


@pytest.mark.parametrize(
    ("to", "time", "dates", "times"),
    [
        ("week", "remove", "2020/1/27 2020/2/3 2020/2/3 2020/1/6 2020/2/24 2020/3/2 2020/3/2", ["0:00"] * 7),
        ("month", "hour", "2020/1/1 2020/2/1 2020/2/1 2020/1/1 2020/3/1 2020/3/1 2020/3/1", [9, 9, 8, 10, 7, 7, 7]),
        ("quarter", "remove", "2020/1/1 " * 7, ["0:00"] * 7),
        ("all", "remove", "2020/1/7 " * 7, ["0:00"] * 7),
        ("day", "keep", None, None),
    ],
)
def test_coarse_dates_by_hand(to, time, dates, times):
    made = applied("coarsen_dates", SHOP, to=to, time=time)
    before = SHOP.frame
    assert made.frame["date"].to_list() == (before["date"].to_list() if dates is None else dates.split())
    wanted = before["time"].to_list() if times is None else [t if isinstance(t, str) else f"{t}:00" for t in times]
    assert made.frame["time"].to_list() == wanted
    assert made.notes["dates_before"] == 5
    assert made.notes["dates_after"] == made.frame["date"].n_unique()


@pytest.mark.parametrize(
    ("dates", "wanted"),
    [
        (["2020-12-31", "2021-01-02"], ["2020-12-01", "2021-01-01"]),
        (["20201231", "20210102"], ["20201201", "20210101"]),
        (["2020.12.31", "2021.1.2"], ["2020.12.1", "2021.1.1"]),
        (["2020-12-31 08:45:10", "2021-01-02 23:00:00"], ["2020-12-01 08:00:00", "2021-01-01 23:00:00"]),
        (["2020/12/31 8:45", "2021/1/2 23:00"], ["2020/12/1 8:00", "2021/1/1 23:00"]),
    ],
)
def test_dates_are_written_as_before(dates, wanted):
    frame = pl.DataFrame({"user": ["a", "b"], "goods": ["x", "y"], "date": dates})
    data = History(frame, Fields("user", "goods", date="date"))
    assert applied("coarsen_dates", data, time="hour").frame["date"].to_list() == wanted


def test_dates_keep_their_types():
    moments = pl.Series("date", ["2020-12-31 08:45"]).str.to_datetime("%Y-%m-%d %H:%M", time_unit="us")
    clock = pl.Series("time", ["08:45"]).str.to_time("%H:%M")
    for column in (moments, moments.dt.date(), pl.Series("date", [20201231])):
        frame = pl.DataFrame([pl.Series("user", ["a"]), pl.Series("goods", ["x"]), column, clock])
        made = applied("coarsen_dates", History(frame, Fields("user", "goods", date="date", time="time")), time="hour")
        assert made.frame["date"].dtype == column.dtype
        assert made.when.tolist() == [1606780800 + 8 * 3600]
        assert made.frame["time"].dtype == pl.Time


def test_profiles_are_blanked_or_removed():
    assert applied("drop_profile", SHOP).customers.rows() == [(name, "*", "*") for name in ("ann", "bob", "cyn", "dan")]
    made = applied("drop_profile", SHOP, columns=["sex"], how="remove")
    assert made.customers.columns == ["user", "country"]
    assert made.notes == {"columns": ["sex"]}
    with pytest.raises(SchemaError, match="no column 'sexx' about customers in their table; did you mean 'sex'"):
        applied("drop_profile", SHOP, columns=["sexx"])
    ages = SHOP.with_customers(SHOP.customers.with_columns(age=pl.lit(30)))
    assert applied("drop_profile", ages, columns=["age"]).customers["age"].to_list() == [0] * 4


def test_numbers_and_prices_by_hand():
    made = applied("round_purchases", SHOP)
    assert made.frame["number"].to_list() == [2, 4, 1, 1, 2, 1, 8]
    assert made.frame["price"].to_list() == [3.0, 1.0, 3.0, 8.0, 2.0, 2.0, 0.2]  # ale cost 3.0 and 3.5, dip 2.0 and 2.5
    made = applied("round_purchases", SHOP, number="one", price="powers")
    assert made.frame["number"].to_list() == [1] * 7
    assert made.frame["price"].to_list() == [2.0, 1.0, 2.0, 8.0, 2.0, 2.0, 0.125]
    kept = applied("round_purchases", SHOP, number="keep", price="keep")
    assert rows(kept) == rows(SHOP)
    assert made.frame.schema == with_origin(SHOP).frame.schema


@given(st.floats(1e-6, 1e12))
def test_powers_are_the_largest_that_are_no_greater(price):
    made = applied("round_purchases", history([("a", "r", "2020/1/1", "9:00", "x", price, 1)]), price="powers")
    power = made.frame["price"][0]
    assert power <= price < 2 * power
    assert np.log2(power) == round(np.log2(power))


def test_missing_numbers_and_prices_stay_missing():
    data = history([("a", "r", "2020/1/1", "9:00", "x", None, None), ("a", "r", "2020/1/1", "9:00", "x", 3.0, 3)])
    for given_number, given_price in (("powers", "powers"), ("one", "usual")):
        made = applied("round_purchases", data, number=given_number, price=given_price).frame
        assert made["number"].null_count() == made["price"].null_count() == 1


# -- who, and on which receipt -------------------------------------------------------------------------------


def test_new_pseudonyms_by_hand():
    eve = pl.DataFrame({"user": ["eve"], "sex": ["f"], "country": ["DE"]})
    made = applied("change_pseudonyms", SHOP.with_customers(pl.concat([SHOP.customers, eve])))
    names = ["ann/2020-01-01", "ann/2020-02-01", "bob/2020-01-01", "bob/2020-02-01", "cyn/2020-03-01", "dan/2020-03-01"]
    assert made.names.to_list() == [*names, "eve"]
    assert made.customers["sex"].to_list() == ["f", "f", "m", "m", "f", "m", "f"]
    assert made.frame[ORIGIN].to_list() == [0, 0, 1, 1, 2, 3, 3]
    assert made.codes.tolist() == [0, 1, 3, 2, 4, 5, 5]
    assert made.notes == {"customers_before": 5, "customers_after": 7}
    assert rows(made, "goods", "number") == rows(SHOP, "goods", "number")


@pytest.mark.parametrize(("period", "names"), [("receipt", 6), ("week", 6), ("quarter", 4), ("year", 4)])
def test_periods_of_pseudonyms(period, names):
    assert applied("change_pseudonyms", SHOP, period=period).subjects == names


def test_pseudonyms_can_change_twice_and_the_truth_follows():
    steps = [{"method": "change_pseudonyms"}, {"method": "change_pseudonyms", "period": "receipt"}]
    release = run_recipe(SHOP, recipe.load({"steps": steps}))
    assert release.released.subjects == 6
    owner = {("ale", 2): 0, ("bun", 5): 0, ("ale", 1): 1, ("cod", 1): 1, ("dip", 3): 2, ("dip", 1): 3, ("egg", 12): 3}
    for code, row in zip(release.released.codes, rows(release.released, "goods", "number"), strict=True):
        assert release.truth.rows[code] == owner[row]


def test_a_pseudonym_for_each_receipt_needs_receipts():
    bare = History(SHOP.frame.drop("receipt"), Fields("user", "goods", date="date"))
    with pytest.raises(ParameterError, match='period "receipt" needs a receipt column'):
        applied("change_pseudonyms", bare, period="receipt")


@FEW
@given(histories(), st.integers(0, 5))
def test_receipts_get_other_numbers_one_to_one(data, seed):
    made = applied("rename_receipts", data, seed)
    pairs = set(zip(data.frame["receipt"], made.frame["receipt"], strict=True))
    count = data.frame["receipt"].n_unique()
    assert len(pairs) == count
    assert {new for _, new in pairs} == {str(number) for number in range(1, count + 1)}
    assert made.frame.drop("receipt").equals(with_origin(data).frame.drop("receipt"))
    assert made.notes == {"receipts": count}


def test_receipts_can_be_joined():
    by_day = applied("rename_receipts", SHOP, per="day").frame["receipt"].to_list()
    assert len(set(by_day)) == 6
    assert by_day[5] == by_day[6]
    everything = applied("rename_receipts", SHOP, per="customer")
    assert everything.frame.group_by("user").agg(pl.col("receipt").n_unique())["receipt"].to_list() == [1] * 4
    assert everything.notes == {"receipts": 4}


def test_a_missing_receipt_stays_missing():
    data = SHOP.with_frame(SHOP.frame.with_columns(pl.when(pl.col("receipt") != "r6").then("receipt").alias("receipt")))
    made = applied("rename_receipts", data).frame["receipt"]
    assert made.null_count() == 2
    assert sorted(made.drop_nulls()) == ["1", "2", "3", "4", "5"]


def test_merged_purchases_by_hand():
    data = history(
        [
            ("a", "r1", "2020/1/2", "9:00", "x", 2.0, 1),
            ("b", "r2", "2020/1/1", "9:00", "x", 9.9, 7),
            ("a", "r3", "2020/1/1", "9:00", "x", 4.0, 3),
            ("a", "r1", "2020/1/2", "9:00", "x", 5.0, 1),
        ]
    )
    # a: 1 + 3 + 1 pieces for 2 + 12 + 5 = 19; the last of the two latest rows stays.
    made = applied("merge_purchases", data)
    assert rows(made) == [("b", "r2", "2020/1/1", "9:00", "x", 9.9, 7), ("a", "r1", "2020/1/2", "9:00", "x", 3.8, 5)]
    assert made.notes == {"rows_merged": 2}
    for within in ("day", "receipt"):
        assert [row[5:] for row in rows(applied("merge_purchases", data, within=within))] == [
            (9.9, 7),
            (4.0, 3),
            (3.5, 2),
        ]
    with pytest.raises(ParameterError, match='within "day" needs a date column; name it, or choose all'):
        applied("merge_purchases", sets("ab"), within="day")


@FEW
@given(histories())
def test_merging_keeps_goods_pieces_and_money(data):
    made = applied("merge_purchases", data)
    assert bought(made) == bought(data)
    assert made.height == len(data.baskets.items)
    for who in range(data.subjects):
        before, after = data.codes == who, made.codes == who
        assert made.numbers[after].sum() == data.numbers[before].sum()
        paid = (data.numbers * data.prices)[before].sum()
        assert (made.numbers * made.prices)[after].sum() == pytest.approx(paid)


# -- recipes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_the_recipes_for_shops_run(path):
    shop = icefire.sample("shop")
    release = run_recipe(shop, recipe.load(path))
    sizes = groups.sizes(groups.labels(release.released.baskets))
    assert len(sizes) == 50
    assert sizes.min() >= 8
    text = path.read_text(encoding="utf-8")
    assert all(word in text for word in ("# Against: ", "# Keeps: ", "# Costs: "))


def test_there_are_two_recipes_for_shops():
    assert [path.stem for path in RECIPES] == ["shop_paper", "shop_strong"]


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

"""Goods, dates, profiles, numbers and prices made coarser, worked out by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.history_methods import SHOP, applied, rows
from support.history_tables import history, sets

from icefire.core.errors import InputError, ParameterError, SchemaError
from icefire.core.history import Fields, History
from icefire.core.history.publishing import with_origin


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

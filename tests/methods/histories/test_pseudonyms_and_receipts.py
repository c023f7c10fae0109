"""New pseudonyms, other receipt numbers and merged purchases: who bought, and on which receipt."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.history_methods import FEW, SHOP, applied, bought, histories, rows
from support.history_tables import history, sets

from icefire import recipe
from icefire.core.dataset import ORIGIN
from icefire.core.errors import ParameterError
from icefire.core.history import Fields, History
from icefire.core.history.publishing import with_origin
from icefire.recipe import run_recipe


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

"""Histories are read with every column's meaning, and what cannot be used is named."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import smallshop

import icefire
from icefire.core.errors import IcefireError, InputError, SchemaError
from icefire.core.history import baskets, dates, groups
from icefire.io.histories import read

NAMED = {"subject": "customer", "item": "goods"}


def replaced(column: str, row: int, value: object) -> pl.DataFrame:
    frame = smallshop.frame()
    if isinstance(value, str) or value is None:
        frame = frame.with_columns(pl.col(column).cast(pl.String))
    cells = frame[column].to_list()
    cells[row] = value
    return frame.with_columns(pl.Series(column, cells))


def test_optional_columns_are_recognised_by_their_usual_names():
    found = read(smallshop.frame(), NAMED)
    assert found.fields == smallshop.FIELDS
    assert (found.height, found.subjects, len(found.goods)) == (11, 5, 4)


@pytest.mark.parametrize(
    ("column", "value", "meaning"),
    [
        ("visit_date", "2025-03-01", "date"),
        ("InvoiceDate", "2025-03-01", "date"),
        ("購入日", "2025-03-01", "date"),
        ("UnitPrice", "3.5", "price"),
        ("数量", "2", "number"),
        ("order id", "A1", "receipt"),
        ("birth_date", "1980-03-01", None),
        ("telephone number", "5551234", None),
        ("visit_date", "week 9", None),
        ("list price", "cheap", None),
    ],
)
def test_a_column_is_recognised_by_the_last_word_of_its_name_if_its_values_fit(column, value, meaning):
    frame = pl.DataFrame({"customer": ["a", "b"], "goods": ["x", "y"], column: [value, value]})
    given = {"subject": "customer", "item": "goods"}
    assert read(frame, NAMED).fields.present == given | ({meaning: column} if meaning else {})


def test_subjects_are_numbered_by_name_and_not_by_the_order_of_rows():
    found = read(smallshop.frame().reverse(), NAMED)
    assert found.names.to_list() == ["ann", "bob", "cat", "dan", "eve"]


def test_names_that_are_numbers_are_ordered_as_numbers():
    frame = pl.DataFrame({"customer": [10, 9, 100, 9], "goods": ["a", "b", "c", "c"]})
    assert read(frame, NAMED).names.to_list() == ["9", "10", "100"]


def test_the_customer_table_gives_the_order_and_may_hold_customers_without_rows():
    table = pl.DataFrame({"id": ["eve", "zoe", "dan", "cat", "bob", "ann"], "sex": list("ffmfmf")})
    found = read(smallshop.frame(), NAMED, customers=table)
    assert found.names.to_list() == table["id"].to_list()
    assert found.baskets.sizes.tolist() == [4, 0, 1, 2, 2, 2]
    assert found.latest[1] == -1


def test_the_latest_row_is_the_last_in_time_and_among_equals_the_last_in_the_file():
    found = smallshop.history()
    assert found.latest.tolist() == [1, 3, 5, 6, 10]
    assert found.take(np.arange(11)[::-1].copy()).latest.tolist() == [10, 8, 5, 4, 1]


@pytest.mark.parametrize(
    ("column", "row", "value", "said"),
    [
        ("customer", 2, None, "row 2 holds nothing; every row needs a subject"),
        ("goods", 3, "", "row 3 holds ''; every row needs an item"),
        ("price", 4, None, "row 4 holds nothing; a price is above zero"),
        ("price", 4, "cheap", "row 4 holds 'cheap'; it must be a number"),
        ("number", 5, 0, "row 5 holds 0; a number is above zero"),
        ("number", 5, -3, "row 5 holds -3; a number is above zero"),
        ("date", 6, "yesterday", "row 6 holds 'yesterday'; dates are written year first"),
        ("date", 6, "2020/13/1", "row 6 holds '2020/13/1'"),
        ("time", 7, "25:00", "row 7 holds '25:00'; times are written"),
    ],
)
def test_a_cell_that_cannot_be_used_is_named(column, row, value, said):
    with pytest.raises(InputError, match=said):
        read(replaced(column, row, value), NAMED)


@pytest.mark.parametrize(
    ("written", "day"),
    [("2020-11", "2020-11-01"), ("2020/3", "2020-03-01"), ("2020-Q4", "2020-10-01"), ("2020q2", "2020-04-01")],
)
def test_months_and_quarters_are_read_as_their_first_day(written, day):
    named = {**NAMED, "time": None}
    assert read(replaced("date", 6, written), named).when[6] == read(replaced("date", 6, day), named).when[6]


def test_unusable_rows_are_dropped_only_when_asked_and_then_counted():
    frame = replaced("number", 5, -3)
    found = read(frame, NAMED, drop_unusable=True)
    assert (found.height, found.dropped) == (10, 1)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"customer": ["ann", "bob"]}, "row 4 belongs to 'cat', who is not in the customer table"),
        ({"customer": ["ann", "ann", "bob", "cat", "dan", "eve"]}, "'ann' stands in two rows"),
        ({"customer": ["ann", None, "bob", "cat", "dan", "eve"]}, "row 1 names no customer"),
    ],
)
def test_a_customer_table_that_does_not_fit_is_named(table, said):
    with pytest.raises(InputError, match=said):
        read(smallshop.frame(), NAMED, customers=pl.DataFrame(table))


def test_one_customer_and_no_rows_are_refused():
    frame = smallshop.frame()
    with pytest.raises(InputError, match="one subject only"):
        read(frame.filter(pl.col("customer") == "ann"), NAMED)
    with pytest.raises(InputError, match="no usable rows"):
        read(frame.head(0), NAMED)


def test_columns_that_are_not_there_or_mean_two_things_are_named():
    with pytest.raises(SchemaError, match="did you mean 'goods'"):
        read(smallshop.frame(), {"subject": "customer", "item": "good"})
    with pytest.raises(SchemaError, match="both"):
        read(smallshop.frame(), NAMED | {"price": "goods"})
    with pytest.raises(SchemaError, match="needs a item column"):
        read(smallshop.frame(), {"subject": "customer"})


def test_a_schema_file_describes_a_history_and_finds_the_customers_beside_it(tmp_path):
    smallshop.frame().write_csv(tmp_path / "shop.csv")
    smallshop.customers().write_csv(tmp_path / "people.csv")
    (tmp_path / "schema.toml").write_text('subject = "customer"\nitem = "goods"\ncustomers = "people.csv"\n')
    found = icefire.read(tmp_path / "shop.csv", schema=tmp_path / "schema.toml")
    assert found.customers.columns == ["customer", "sex", "country"]
    (tmp_path / "schema.toml").write_text('subject = "customer"\nitems = "goods"\n')
    with pytest.raises(IcefireError, match="did you mean 'item'"):
        icefire.read(tmp_path / "shop.csv", schema=tmp_path / "schema.toml")


def test_dates_of_every_form_are_the_same_instant():
    forms = pl.Series(
        "d", ["2020/1/5", "2020-01-05", "2020.1.5", "20200105", "2020-01-05 00:00", "2020-01-05T00:00:00"]
    )
    assert len(set(dates.seconds(forms, None, 6))) == 1
    real = dates.seconds(forms.head(1).str.to_date("%Y/%m/%d"), None, 1)
    assert real[0] == dates.seconds(forms.head(1), None, 1)[0]
    assert dates.seconds(forms.head(1), pl.Series("t", ["1:02:03"]), 1)[0] - real[0] == 3723


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), max_size=40))
def test_baskets_are_the_sets_of_items(pairs):
    who = np.array([w for w, _ in pairs], np.int64)
    what = np.array([g for _, g in pairs], np.int64)
    found = baskets.make_baskets(who, what, 6, 7)
    sets = [set(found.items[found.start[u] : found.start[u + 1]].tolist()) for u in range(6)]
    assert sets == [{g for w, g in pairs if w == u} for u in range(6)]
    assert found.buyers.tolist() == [sum(g in s for s in sets) for g in range(7)]
    start, buyers = found.by_item()
    assert [buyers[start[g] : start[g + 1]].tolist() for g in range(7)] == [
        [u for u in range(6) if g in sets[u]] for g in range(7)
    ]
    alike = groups.labels(found)
    assert all((alike[u] == alike[v]) == (sets[u] == sets[v]) for u in range(6) for v in range(6))

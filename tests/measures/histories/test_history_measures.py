"""Measures of histories: an unchanged history has no error; rows, goods and customers that were added or are gone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.history_measures import PEOPLE, ROWS, random_histories, renamed, slow_dummies, value
from support.history_tables import compare, contest_data, history, sets

from icefire.core import registry
from icefire.core.errors import ParameterError, UndefinedError
from icefire.kernels.baskets import multisets

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


# --- Goods and customers that are gone ---


def test_goods_and_customers_that_are_gone(shop):
    other = history(ROWS[:5], PEOPLE)
    assert value("goods_lost", compare(shop, other)) == pytest.approx(1 / 3)
    assert value("customers_lost", compare(shop, other)) == pytest.approx(1 / 3)
    assert value("goods_lost", compare(other, shop)) == 0


def test_every_measure_has_a_value_on_the_contest_data():
    data = contest_data()
    found = compare(data, data.with_frame(data.frame[5000:]))
    for entry in registry.entries("measure", "history"):
        assert np.isfinite(entry.function(found, **entry.bind({}))), entry.name
    assert value("rows_lost", found) == 5000
    assert value("rows_added", found) == 0

"""Measures for surveys, row by row: loss of a record and unique rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.survey_measures import pair, table, value

from icefire.core import record_loss
from icefire.core.dataset import Dataset
from icefire.core.errors import SchemaError, UndefinedError

# --- iloss ---


def two_people() -> tuple[Dataset, Dataset]:
    x = {"age": [30, 40], "bmi": [27.9, 20.0], "a": ["p", "p"], "b": ["q", "q"], "c": ["r", "r"]}
    y = {"age": [39, 40], "bmi": [24.9, 20.0], "a": ["x", "p"], "b": ["x", "x"], "c": ["r", "r"]}
    return table(x), table(y)


def test_iloss_is_the_largest_part_of_the_worst_row():
    # The first row moves by 9 years, 3 points and 2 categories, the second by one category.
    both = pair(*two_people())
    assert value("iloss", both) == 9
    assert value("iloss", both, form="sum") == 14
    assert value("iloss", both, summary="mean") == 5
    assert value("iloss", both, numbers="bmi") == 3
    assert value("iloss", both, numbers="") == 2
    assert [value(f"iloss_{part}", both) for part in ("age", "bmi", "cat")] == [9, 3, 2]
    assert value("iloss_age", both, column="bmi") == 3


def test_iloss_of_every_row_is_there_for_methods_and_attacks():
    x, y = two_people()
    parts = record_loss.parts(x, y, np.array([0, 1]), ("age", "bmi"), ("a", "b", "c"))
    assert parts.loss().tolist() == [9, 1]
    assert parts.loss("sum").tolist() == [14, 1]
    assert parts.categories.tolist() == [2, 1]


def test_iloss_follows_the_truth():
    x, y = two_people()
    # Exchanged: the first released row (39) came from the person of 40, the second (40) from that of 30.
    assert value("iloss_age", pair(x, y, [1, 0])) == 10


def test_a_difference_of_four_tenths_short_of_noise_is_four():
    # 31.9 - 27.9 is 3.9999999999999964 and 32.1 - 28.1 is 4.000000000000004 in floating point.
    x, y = table({"bmi": [31.9, 28.1]}), table({"bmi": [27.9, 32.1]})
    assert value("iloss", pair(x, y)) == 4


def test_a_missing_number_is_as_far_as_the_column_is_wide_and_missing_equals_missing():
    x = table({"age": [20.0, 50.0, None], "c": ["p", None, None]})
    y = table({"age": [20.0, None, None], "c": ["p", None, "q"]})
    assert value("iloss_age", pair(x, y)) == 30
    assert value("iloss_cat", pair(x, y)) == 1
    assert value("iloss", pair(x, x)) == 0


def test_iloss_of_a_column_that_is_not_there_has_no_value():
    with pytest.raises(UndefinedError, match="there is no column 'bmi'"):
        value("iloss_bmi", pair(table({"age": [1, 2]}), table({"age": [1, 2]})))
    with pytest.raises(SchemaError, match="holds no numbers"):
        value("iloss", pair(*two_people()), numbers="a")


def slow_iloss(x: pl.DataFrame, y: pl.DataFrame, numbers: list[str], categories: list[str]) -> list[float]:
    return [
        max(*(abs(u[n] - v[n]) for n in numbers), sum(u[c] != v[c] for c in categories))
        for u, v in zip(x.to_dicts(), y.to_dicts(), strict=True)
    ]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 9)] * 4, *[st.sampled_from("pqr")] * 6), min_size=1, max_size=20))
def test_iloss_agrees_with_a_loop_over_rows(rows):
    frame = pl.DataFrame(rows, schema=["m", "n", "m2", "n2", "a", "b", "c", "a2", "b2", "c2"], orient="row")
    x = frame.select("m", "n", "a", "b", "c")
    y = frame.select(pl.col(f"{name}2").alias(name) for name in x.columns)
    both = pair(table(x.to_dict(as_series=False)), table(y.to_dict(as_series=False)))
    losses = slow_iloss(x, y, ["m", "n"], ["a", "b", "c"])
    assert value("iloss", both) == max(losses)
    assert value("iloss", both, summary="mean") == pytest.approx(np.mean(losses))


# --- uniqrt ---


def test_halves_are_rounded_to_the_even_multiple():
    # 15 and 25 both become 20; 14 becomes 10 and 35 becomes 40.
    x = table({"age": [15, 25, 14, 35], "c": ["p"] * 4})
    both = pair(x, x)
    assert value("uniqrt", both) == 1
    assert value("uniqrt", both, rounding="age: 10") == 0.5
    assert value("uniqrt", both, columns="c") == 0


def test_unique_rows_are_divided_by_the_original_or_the_released_rows():
    x = table({"age": [1, 2, 3, 3], "c": ["p"] * 4})
    both = pair(x, x.take(np.array([0, 2])), [0, 2])
    assert value("uniqrt", both) == 0.5
    assert value("uniqrt", both, of="released") == 1


def test_two_missing_values_are_equal_when_rounded():
    x = table({"age": [None, None, 7.0]})
    assert value("uniqrt", pair(x, x), rounding="age: 10") == pytest.approx(1 / 3)

"""Reading released labels as the original values they stand for."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from icefire.core import align
from icefire.core.schema import Column, Kind, Role
from icefire.measures.released_values import read_column


def read(x, y):
    """Read two columns as they come out of the alignment of two tables."""
    column = Column("c", Role.QI, Kind.NUMBER)
    return read_column(*align.harmonise(pl.Series("c", x), pl.Series("c", y), column))


def shares(column):
    return dict(zip([*column.values.to_list(), None], column.shown_shares().tolist(), strict=True))


def test_plain_numbers_are_themselves_also_where_the_original_has_them_not():
    column = read([1, 2, 3], [2, 7, 2])
    assert column.is_number
    assert column.labelled == 0
    assert shares(column) == pytest.approx({1: 0, 2: 2 / 3, 3: 0, 7: 1 / 3, None: 0})


def test_an_interval_is_its_original_values_in_equal_parts():
    column = read([30, 31, 31, 38, 52], ["30-39", "52", "30-39", "30-39", "52"])
    assert column.is_number
    assert column.labelled == 3
    assert shares(column) == pytest.approx({30: 0.2, 31: 0.2, 38: 0.2, 52: 0.4, None: 0})


def test_star_empty_and_a_label_for_every_value_are_missing():
    column = read([30, 31, 52], ["*", None, "0-99"])
    assert shares(column)[None] == 1
    column = read(["a", "b"], ["{a, b}", "a"])
    assert shares(column) == {"a": 0.5, "b": 0, None: 0.5}


def test_sets_masks_and_beginnings_of_text_are_read():
    column = read(["13053", "13068", "14850"], ["130**", "14850", "130**"])
    assert not column.is_number or column.labelled == 2
    column = read(["Married-civ", "Married-AF", "Single"], ["Married", "Single", "Single"])
    assert shares(column) == pytest.approx({"Married-civ": 1 / 6, "Married-AF": 1 / 6, "Single": 2 / 3, None: 0})


def test_a_word_that_is_no_value_is_a_value_of_its_own():
    column = read(["a", "b"], ["x", "a"])
    assert shares(column) == {"a": 0.5, "b": 0, "x": 0.5, None: 0}
    assert column.words.tolist() == [False, False, True]


def test_codes_stay_text():
    assert not read(["0123", "0456"], ["0123", "*"]).is_number


def test_a_band_outside_the_original_is_missing():
    assert shares(read([1, 2, 3], ["1", "70-90", "3"]))[None] == pytest.approx(1 / 3)


def test_infinite_numbers_and_nan_are_missing():
    column = read_column(pl.Series("c", [1.0, float("nan"), 2.0]), pl.Series("c", [1.0, float("inf"), None]))
    assert column.known_shares()[-1] == pytest.approx(1 / 3)
    assert shares(column)[None] == pytest.approx(2 / 3)


def test_too_many_labels_are_values():
    names = [f"{i}x" for i in range(3000)]
    column = read([str(i) for i in range(3000)], names)
    assert column.labelled == 0
    assert column.size == 6000


def test_draws_are_values_that_the_label_stands_for():
    column = read([30, 31, 38, 52] * 50, ["30-39"] * 199 + ["52"])
    drawn = column.drawn(np.random.default_rng(1))
    counts = np.bincount(drawn, minlength=column.size)
    assert counts.sum() == 200
    assert counts[3] == 1
    assert counts[:3].min() > 40


def test_a_column_without_any_value_is_missing():
    column = read_column(pl.Series("c", [None, None]), pl.Series("c", ["a", None]))
    assert column.known_shares().tolist() == [0, 1]
    assert shares(column) == {"a": 0.5, None: 0.5}

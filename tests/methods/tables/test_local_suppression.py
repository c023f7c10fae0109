"""Local suppression reaches k under both readings of a missing cell, counted again by the slowest of checks."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.places import DATA

from icefire.core import registry, roles, seeds
from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.errors import ParameterError, SchemaError
from icefire.kernels.suppression import cell_keys, mask_search

FEW = settings(max_examples=80, deadline=None)
ADULT = DATA / "arx_adult/adult.csv.gz"
KEYS = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]


def table(*rows):
    """Quasi-identifiers a, b, … and a sensitive value."""
    names = "abcdefghij"[: len(rows[0])] if rows else "a"
    frame = pl.DataFrame([*map(list, rows)], schema=dict.fromkeys(names, pl.Int64), orient="row")
    frame = frame.with_columns(pl.Series("s", np.arange(len(rows)) * 1.5))
    return Dataset(frame, roles.choose(frame, tuple(names), ("s",)))


def apply(data, **parameters):
    entry = registry.get("method", "local_suppress")
    carried = data.with_frame(data.frame.with_columns(pl.Series(ORIGIN, np.arange(data.height))))
    made = entry.function(carried, rng=seeds.generator(0, "test"), **entry.bind(parameters))
    assert made.frame[ORIGIN].to_list() == list(range(data.height))
    return made


def rows_of(data):
    return data.frame.select(data.qi).rows()


def smallest_class(rows):
    """Own value: how often the rarest combination occurs."""
    return min(Counter(rows).values())


def fewest_matches(rows):
    """Wildcard: how many rows the loneliest row matches."""
    return min(
        sum(all(x == y or x is None or y is None for x, y in zip(a, b, strict=True)) for b in rows) for a in rows
    )


READINGS = {"own_value": smallest_class, "wildcard": fewest_matches}


def check(data, made, k, reading):
    before, after = rows_of(data), rows_of(made)
    assert READINGS[reading](after) >= k
    for a, b in zip(before, after, strict=True):
        assert all(y in (x, None) for x, y in zip(a, b, strict=True))  # cells are kept or suppressed, nothing else
    assert made.frame["s"].equals(data.frame["s"])
    gone = {name: made.frame[name].null_count() - data.frame[name].null_count() for name in data.qi}
    assert made.notes["suppressed_cells"] == gone
    assert made.notes["blank_rows"] == sum(all(x is None for x in row) for row in after)


cell = st.one_of(st.none(), st.integers(0, 2))


@st.composite
def tables(draw, cells=cell):
    columns = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[cells] * columns), min_size=2, max_size=25))
    return table(*rows), draw(st.integers(2, min(6, len(rows))))


@pytest.mark.parametrize("reading", READINGS)
@FEW
@given(found=tables())
def test_every_table_becomes_k_anonymous(reading, found):
    data, k = found
    check(data, apply(data, k=k, suppressed=reading), k, reading)


@pytest.mark.parametrize("reading", READINGS)
@FEW
@given(found=tables())
def test_a_table_that_is_k_anonymous_keeps_every_cell(reading, found):
    data, k = found
    if READINGS[reading](rows_of(data)) >= k:
        assert apply(data, k=k, suppressed=reading).frame.drop(ORIGIN).equals(data.frame)
    again = apply(data, k=k, suppressed=reading)
    once = again.with_frame(again.frame.drop(ORIGIN))
    assert sum(apply(once, k=k, suppressed=reading).notes["suppressed_cells"].values()) == 0


def fewest_cells(rows, k, count):
    """The least number of cells over all ways to suppress some."""
    places = list(itertools.product(range(len(rows)), range(len(rows[0]))))
    for size in range(len(places) + 1):
        for gone in itertools.combinations(places, size):
            left = [tuple(None if (i, c) in gone else v for c, v in enumerate(row)) for i, row in enumerate(rows)]
            if count(left) >= k:
                return size
    raise AssertionError


@pytest.mark.parametrize("reading", READINGS)
@settings(max_examples=25, deadline=None)
@given(rows=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=3, max_size=5))
def test_small_tables_lose_at_most_twice_the_fewest_cells(reading, rows):
    made = apply(table(*rows), k=2, suppressed=reading)
    assert sum(made.notes["suppressed_cells"].values()) <= 2 * fewest_cells(rows, 2, READINGS[reading])


def test_one_cell_each_brings_two_odd_rows_together():
    data = table((1, 1), (1, 1), (2, 3), (2, 4))
    made = apply(data, k=2)
    assert rows_of(made) == [(1, 1), (1, 1), (2, None), (2, None)]
    assert made.notes == {"suppressed_cells": {"a": 0, "b": 2}, "blank_rows": 0}


def test_a_wildcard_needs_one_cell_where_an_own_value_needs_two():
    made = apply(table((1, 1), (1, 1), (2, 3), (2, 4)), k=2, suppressed="wildcard")
    assert rows_of(made) == [(1, 1), (1, 1), (2, None), (2, 4)]  # (2, 4) matches (2, None) too


def test_a_large_class_lends_a_row_to_one_that_stands_alone():
    made = apply(table((1, 1), (1, 1), (1, 1), (1, 2)), k=2)
    # Two cells: one of the three joins (1, 2) as (1, missing); the other two are enough for each other.
    assert Counter(rows_of(made)) == {(1, 1): 2, (1, None): 2}


def test_a_row_nobody_can_be_lent_to_joins_a_whole_class():
    assert rows_of(apply(table((1, 1), (1, 1), (1, 2)), k=2)) == [(1, None)] * 3


def test_rows_that_share_nothing_become_blank():
    made = apply(table((1, 1), (1, 1), (2, 2)), k=2)
    assert rows_of(made) == [(None, None)] * 3
    assert made.notes["blank_rows"] == 3


def test_a_missing_value_is_where_a_suppressed_cell_can_hide():
    made = apply(table((1, None), (1, 2), (3, 3), (3, 3)), k=2)
    assert rows_of(made) == [(1, None), (1, None), (3, 3), (3, 3)]
    assert made.notes["suppressed_cells"] == {"a": 0, "b": 1}
    untouched = apply(table((1, None), (1, 2), (3, 3), (3, 3)), k=2, suppressed="wildcard")
    assert sum(untouched.notes["suppressed_cells"].values()) == 0  # (1, missing) matches (1, 2) as it is


def test_important_columns_keep_their_cells():
    data = table((1, 1), (1, 2), (2, 1), (2, 2))  # either column may go, four cells both ways
    assert apply(data, k=2, importance="a").notes["suppressed_cells"] == {"a": 0, "b": 4}
    assert apply(data, k=2, importance="b,a").notes["suppressed_cells"] == {"a": 4, "b": 0}


def test_columns_not_treated_stay():
    data = table((1, 1, 7), (1, 2, 8), (2, 1, 9), (2, 1, 9))
    made = apply(data, k=2, qi="a,b")
    assert made.frame["c"].to_list() == [7, 8, 9, 9]
    assert smallest_class(made.frame.select("a", "b").rows()) == 2
    assert "c" not in made.notes["suppressed_cells"]


def test_words_dates_and_truths_can_be_suppressed():
    frame = pl.DataFrame({"w": ["x", "x", "y"], "t": [True, False, True], "d": ["2020-01-01", "2020-01-01", None]})
    frame = frame.with_columns(pl.col("d").str.to_date())
    data = Dataset(frame, roles.choose(frame, ("w", "t", "d"), ()))
    for reading in READINGS:
        made = apply(data, k=3, suppressed=reading)
        assert READINGS[reading](rows_of(made)) >= 3
        assert made.frame.drop(ORIGIN).schema == frame.schema


@pytest.mark.parametrize("reading", READINGS)
def test_keys_too_long_for_63_bits_give_the_same_table(reading, monkeypatch):
    rng = np.random.default_rng(4)
    data = table(*rng.integers(0, 4, (300, 6)).tolist())
    exact = apply(data, k=4, suppressed=reading)
    monkeypatch.setattr(cell_keys, "EXACT_BITS", 5)
    assert apply(data, k=4, suppressed=reading).frame.equals(exact.frame)


@pytest.mark.parametrize("reading", READINGS)
def test_many_columns_are_searched_along_a_beam(reading, monkeypatch):
    rng = np.random.default_rng(4)
    data = table(*np.minimum(rng.geometric(0.5, (200, 7)), 4).tolist())
    best = sum(apply(data, k=4, suppressed=reading).notes["suppressed_cells"].values())
    monkeypatch.setattr(mask_search, "MOST", 16)
    monkeypatch.setattr(mask_search, "WIDE", 64)
    made = apply(data, k=4, suppressed=reading)
    check(data, made, 4, reading)
    assert sum(made.notes["suppressed_cells"].values()) < 1.3 * best


def test_k_above_the_rows_is_an_error_and_none_or_one_row_is_not():
    with pytest.raises(ParameterError, match="k is 5, but the table has 2 rows"):
        apply(table((1, 2), (1, 2)), k=5)
    assert apply(table((1, 2))).frame.drop(ORIGIN).rows() == [(1, 2, 0.0)]
    assert apply(table()).height == 0


def test_importance_names_columns_that_are_treated():
    with pytest.raises(SchemaError, match=r"importance: 'c' is not treated; .*a, b"):
        apply(table((1, 2, 3), (1, 2, 3)), k=2, qi="a,b", importance="c")


def test_too_many_columns_are_refused():
    frame = pl.DataFrame({f"c{i}": [1, 2] for i in range(63)})
    with pytest.raises(ParameterError, match="63 columns are too many"):
        apply(Dataset(frame, roles.choose(frame, tuple(frame.columns), ())), k=2)


@pytest.mark.skipif(not ADULT.exists(), reason="the Adult data of the project is not here")
@pytest.mark.parametrize(("reading", "most"), [("own_value", 32_000), ("wildcard", 15_000)])
def test_adult_with_eight_keys_is_done_in_seconds(reading, most):
    frame = pl.read_csv(ADULT, separator=";")
    data = Dataset(frame, roles.choose(frame, KEYS, ["salary-class"]))
    made = apply(data, k=5, suppressed=reading)
    assert sum(made.notes["suppressed_cells"].values()) < most
    rows = Counter(rows_of(made))
    if reading == "own_value":
        assert min(rows.values()) >= 5
    else:
        assert _fewest_matches_by_column(made.frame.select(KEYS)) >= 5


def _fewest_matches_by_column(frame):
    """The slow check, a whole column at a time, on every fiftieth distinct row."""
    codes = np.column_stack([frame[name].rank("dense").fill_null(0).to_numpy() for name in frame.columns])
    distinct = np.unique(codes, axis=0)[::50]
    return min(((codes == row) | (codes == 0) | (row == 0)).all(axis=1).sum() for row in distinct)

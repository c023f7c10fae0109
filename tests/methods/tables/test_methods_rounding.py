"""Coarser numbers: rounding, top and bottom coding."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.applied import applied, holding
from support.places import DATA

import icefire
from icefire.core.dataset import ORIGIN
from icefire.core.errors import ParameterError


def rounded(values, **parameters):
    return applied("round_values", holding({"s": values}), **parameters).frame["s"].to_list()


def test_round_values_to_the_nearest_multiple_halves_to_the_even_one():
    assert rounded([0, 4, 5, 6, 15, 25, None], base=10) == [0, 0, 0, 10, 20, 20, None]
    assert rounded([-7, -5, 7], base=10) == [-10, 0, 10]


def test_round_values_down_and_up():
    assert rounded([0, 1, 9, 10, -1], base=10, how="down") == [0, 0, 0, 10, -10]
    assert rounded([0, 1, 9, 10, -1], base=10, how="up") == [0, 10, 10, 10, 0]


def test_round_values_writes_decimal_bases_without_stray_digits():
    assert rounded([0.29, 0.31, 1.72], base=0.1) == [0.3, 0.3, 1.7]
    assert rounded([0.3, 0.6], base=0.25) == [0.25, 0.5]


def test_round_values_at_random_keeps_the_mean_and_hits_both_neighbours():
    made = applied("round_values", holding({"s": [3] * 10_000}), base=10, how="random").frame["s"]
    assert set(made) == {0, 10}
    # 0.3 of the rows round up; the standard deviation of the mean is 10·√(0.3·0.7/10,000) = 0.046.
    assert made.mean() == pytest.approx(3, abs=0.2)


def test_round_values_takes_a_power_of_ten_below_the_spread_by_default():
    data = holding({"s": [0, 500, 1000], "t": [0.0, 0.05, 0.1], "u": [4, 4, 4]}, sa=("s", "t", "u"))
    # Standard deviations 408, 0.041 and 0.
    assert applied("round_values", data).notes == {"bases": {"s": 100.0, "t": 0.01, "u": 1.0}}


def test_round_values_refuses_a_broken_base_for_whole_numbers():
    with pytest.raises(ParameterError, match=r"base 2\.5 is no whole number, but column 's' holds whole numbers"):
        rounded([1, 2], base=2.5)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=20), st.integers(1, 500))
def test_a_rounded_value_is_a_multiple_within_half_a_base(values, base):
    for before, after in zip(values, rounded(values, base=base), strict=True):
        assert after % base == 0
        assert 2 * abs(after - before) <= base


VALUES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_top_and_bottom_coding_clip_what_lies_strictly_beyond():
    data = holding({"s": [1, 5, 6, None]})
    top = applied("top_code", data, value=5)
    assert top.frame["s"].to_list() == [1, 5, 5, None]
    assert top.notes == {"changed": {"s": 1}}
    assert applied("bottom_code", data, value=5).frame["s"].to_list() == [5, 5, 6, None]


def test_a_quantile_is_a_value_that_the_share_does_not_exceed():
    data = holding({"s": VALUES})
    assert applied("top_code", data, quantile=0.8).frame["s"].to_list() == [*range(1, 9), 8, 8]
    assert applied("bottom_code", data, quantile=0.2).frame["s"].to_list() == [2, 2, *range(3, 11)]


def test_dropping_takes_out_rows_with_their_origin_and_counts_them():
    data = holding({"s": VALUES, "t": VALUES[::-1]}, sa=("s", "t"))
    made = applied("top_code", data, value=8, how="drop")
    # Rows 8 and 9 have s above 8, rows 0 and 1 have t above 8; missing lies nowhere.
    assert made.frame[ORIGIN].to_list() == [2, 3, 4, 5, 6, 7]
    assert made.notes == {"suppressed": 4}
    assert applied("bottom_code", data, value=2, how="drop").frame[ORIGIN].to_list() == list(range(1, 9))
    assert applied("top_code", holding({"s": [1, None, 3]}), value=2, how="drop").frame["s"].to_list() == [1, None]


def test_whole_numbers_are_clipped_to_whole_numbers_inside_the_limit():
    data = holding({"s": [1, 3, 9]})
    assert applied("top_code", data, value=3.5).frame["s"].to_list() == [1, 3, 3]
    assert applied("bottom_code", data, value=2.5).frame["s"].to_list() == [3, 3, 9]
    small = holding({"s": pl.Series([1, 3, 9], dtype=pl.Int8)})
    assert applied("top_code", small, value=1000).frame["s"].to_list() == [1, 3, 9]
    assert applied("bottom_code", small, value=1000).frame["s"].to_list() == [1000] * 3
    assert applied("top_code", small, value=-1e300).frame["s"].n_unique() == 1


def test_dropping_everybody_is_refused():
    with pytest.raises(ParameterError, match="top_code: each of the 10 rows has a value beyond the limit; choose"):
        applied("top_code", holding({"s": VALUES}), value=0, how="drop")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-50, 50) | st.none(), min_size=1, max_size=30).filter(lambda x: x.count(None) < len(x)),
    st.floats(0, 1),
)
def test_no_more_than_the_share_beyond_the_quantile_is_touched(values, quantile):
    data = holding({"s": values})
    present = len(values) - values.count(None)
    top = applied("top_code", data, quantile=quantile)
    assert top.notes["changed"]["s"] <= (1 - quantile) * present + 1e-6
    assert applied("bottom_code", data, quantile=quantile).notes["changed"]["s"] <= quantile * present + 1e-6
    assert top.frame["s"].max() in values


def test_the_contest_of_2021_drops_the_rows_the_paper_counts(contest_b):
    gone = set()
    for method, age, bmi, rows in (("top_code", 75, 50, 487), ("bottom_code", 22, 20, 270)):
        left = applied(method, contest_b, columns="age", value=age, how="drop").frame[ORIGIN].to_list()
        both = applied(method, contest_b, columns="bmi", value=bmi, how="drop").frame[ORIGIN].to_list()
        dropped = set(range(contest_b.height)) - (set(left) & set(both))
        assert len(dropped) == rows
        gone |= dropped
    kept = applied("suppress_rows", contest_b, k=7, qi="race,edu,mar")
    assert kept.notes == {"suppressed": 120}
    gone |= set(range(contest_b.height)) - set(kept.frame[ORIGIN])
    assert len(gone) == 837


@pytest.fixture(scope="module")
def contest_b():

    path = DATA / "pwscup2021_nhanes" / "B.csv"
    if not path.exists():
        pytest.skip("the shared contest data is not here")
    names = ["gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "gh", "mets", "qm", "dia"]
    frame = pl.read_csv(path, has_header=False, new_columns=names)
    return icefire.read(frame, qi=["gen", "age", "race", "edu", "mar", "bmi"], sa=["dia"])


def test_clipping_leaves_the_order_of_rows_and_other_columns(households):
    made = applied("top_code", households)
    assert made.frame[ORIGIN].to_numpy().tolist() == np.arange(households.height).tolist()
    assert made.frame.select(households.qi).equals(households.frame.select(households.qi))
    assert all(made.frame[n].max() <= households.frame[n].max() for n in households.sa)

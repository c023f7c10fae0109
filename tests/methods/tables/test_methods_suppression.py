"""What is left out: columns, rows, cells; samples; shuffled columns."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.applied import applied, holding
from support.small_tables import table

import icefire
from icefire.core.dataset import ORIGIN
from icefire.core.errors import ParameterError


def test_suppress_columns_leaves_one_value_that_says_nothing():
    frame = {
        "job": ["cook", None],
        "age": pl.Series([30, 40], dtype=pl.Int8),
        "rent": [1.5, None],
        "born": [date(2000, 1, 1), None],
        "owner": [True, None],
    }
    made = applied("suppress_columns", holding(frame, qi=tuple(frame)), columns="job,age,rent,born,owner").frame
    assert made.drop(ORIGIN).rows() == [("*", 0, 0.0, "*", False)] * 2
    assert made.schema["age"] == pl.Int8


def test_a_table_with_suppressed_columns_can_be_audited(households):
    gone = ["region", "head_age", "food", "tuition"]
    release = icefire.anonymize(households, {"step": [{"method": "suppress_columns", "columns": gone}]})
    card = icefire.audit(households, release).scorecard
    assert card.attacks["id_rand"].hits == 0  # nobody's region is *
    assert card.measures["row_change"].value == 0


def test_suppress_rows_leaves_out_small_classes_and_counts_them():
    data = table((1, 1, 1, 5, 5), (1, 1, 1, 6, 6), (2, 1, 1, 7, 7), (2, 2, 1, 8, 8), (1, 1, 1, 9, 9))
    made = applied("suppress_rows", data, k=3)
    assert made.frame[ORIGIN].to_list() == [0, 1, 4]
    assert made.notes == {"suppressed": 2}
    # By q3 alone all five rows are one class; by q1 three and two.
    assert applied("suppress_rows", data, k=3, qi="q3").notes == {"suppressed": 0}
    assert applied("suppress_rows", data, k=3, qi="q1").frame[ORIGIN].to_list() == [0, 1, 4]


def test_suppress_rows_takes_missing_for_a_value():
    data = holding({"q": ["a", None, None, "a", "b"], "s": [1, 2, 3, 4, 5]})
    assert applied("suppress_rows", data).frame["s"].to_list() == [1, 2, 3, 4]


def test_suppress_rows_makes_a_survey_k_anonymous(households):
    release = icefire.anonymize(households, {"step": [{"method": "suppress_rows", "k": 2}]})
    card = icefire.audit(households, release, attacks=[], measures=["k_min"]).scorecard
    assert card.measures["k_min"].value >= 2


def test_suppress_rows_refuses_to_leave_nothing():
    with pytest.raises(ParameterError, match="every class of the 2 rows has fewer than k = 2; choose a smaller k"):
        applied("suppress_rows", holding({"q": [1, 2]}))


def test_suppress_cells_blanks_the_share_of_the_cells_that_hold_something():
    data = holding({"q": [*range(10), *[None] * 10], "r": list("abcdefghijklmnopqrst")}, qi=("q", "r"))
    made = applied("suppress_cells", data, share=0.3)
    assert made.frame["q"].null_count() == 10 + 3
    assert made.frame["r"].null_count() == 6
    assert made.notes == {"suppressed_cells": 9}
    kept = made.frame["r"].is_not_null()
    assert made.frame["r"].filter(kept).equals(data.frame["r"].filter(kept))


def test_suppress_cells_draws_each_column_by_itself(households):
    made = applied("suppress_cells", households, share=0.5).frame
    both = (made["region"].is_null() & made["tenure"].is_null()).mean()
    assert both == pytest.approx(0.25, abs=0.06)  # four standard deviations, hypergeometric: 0.5·0.5/√500 = 0.011


def test_suppress_cells_will_not_empty_a_column():
    with pytest.raises(ParameterError, match="a share of 1 leaves column 'q' no value; choose less, or use suppress_c"):
        applied("suppress_cells", holding({"q": [1, 2, None]}), share=1)


def test_sample_rows_keeps_a_share_or_a_number_in_order(households):
    for parameters, count in (({"share": 0.3}, 150), ({"n": 7}, 7), ({"n": 500}, 500), ({"share": 1e-6}, 1)):
        made = applied("sample_rows", households, **parameters)
        assert made.height == count
        assert made.frame[ORIGIN].is_sorted()
        assert made.frame.drop(ORIGIN).equals(households.frame[made.frame[ORIGIN].to_numpy()])
        assert made.notes == {"suppressed": 500 - count}


def test_sample_rows_gives_every_row_the_same_chance():
    data = holding({"q": list(range(20))})
    seen = np.bincount(np.concatenate([applied("sample_rows", data, seed=s, n=5).frame["q"] for s in range(800)]))
    # 800 draws with chance 1/4: mean 200, standard deviation 12.2.
    assert seen.min() > 200 - 4 * 12.2
    assert seen.max() < 200 + 4 * 12.2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n": 4}, "n is 4, but the table has 3 rows; choose at most that many"),
        ({"share": 0}, "a share of 0 keeps no row; choose more, or give n"),
    ],
)
def test_sample_rows_refuses_more_than_there_are_and_nothing(parameters, message):
    with pytest.raises(ParameterError, match=f"^sample_rows: {message}$"):
        applied("sample_rows", holding({"q": [1, 2, 3]}), **parameters)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 5) | st.none(), max_size=15), st.integers(0, 5), st.booleans())
def test_shuffle_keeps_every_value_of_a_column(values, seed, together):
    data = holding({"s": pl.Series(values, dtype=pl.Int64), "t": pl.Series(values, dtype=pl.Int64)}, sa=("s", "t"))
    made = applied("shuffle", data, seed=seed, together=together).frame
    for name in "st":
        assert made[name].sort().equals(data.frame[name].sort().alias(name))
    assert made[ORIGIN].is_sorted()
    if together:
        assert made["s"].equals(made["t"].alias("s"))


def test_shuffle_parts_columns_or_keeps_them_together():
    data = holding({"q": list(range(2000)), "s": list(range(2000)), "t": list(range(2000))}, sa=("s", "t"))

    def correlation(frame, one, other):
        return np.corrcoef(frame[one], frame[other])[0, 1]

    apart = applied("shuffle", data).frame
    # Correlations of shuffled columns have a standard deviation of 1/√2000 = 0.022.
    assert abs(correlation(apart, "s", "t")) < 0.09
    assert abs(correlation(apart, "s", "q")) < 0.09
    assert correlation(applied("shuffle", data, together=True).frame, "s", "t") == pytest.approx(1)
    assert apart["q"].equals(data.frame["q"])

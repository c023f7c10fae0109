"""Each method does what it says, on tables small enough to check by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.small_tables import SA, table

import icefire
from icefire.core import seeds
from icefire.core.dataset import ORIGIN
from icefire.core.errors import ParameterError
from icefire.core.registry import get


def apply(name, data, seed=0, **parameters):
    """Run a method alone, rows in their original order."""
    entry = get("method", name)
    carried = data.with_frame(data.frame.with_columns(pl.Series(ORIGIN, np.arange(data.height))))
    return entry.function(carried, rng=seeds.generator(seed, name), **entry.bind(parameters)).frame


def test_unify_takes_the_most_frequent_value_or_the_one_given(paper_x):
    assert apply("unify", paper_x, columns="q3")["q3"].to_list() == [1, 1, 1, 1]  # 1 and 2 tie: the smaller
    assert apply("unify", paper_x, columns="q1,q3", value="7").select("q1", "q2", "q3").rows() == [(7, 1, 7)] * 4


def test_unify_changes_the_last_quasi_identifier_by_default(paper_x):
    frame = apply("unify", paper_x)
    assert frame["q3"].n_unique() == 1
    assert frame["q1"].to_list() == [2, 2, 1, 1]


def test_unify_refuses_a_value_the_column_cannot_hold(paper_x):
    with pytest.raises(ParameterError, match="'blue' is no value for column 'q1'"):
        apply("unify", paper_x, columns="q1", value="blue")


def test_swap_keeps_the_values_of_every_class(paper_x):
    many = {tuple(apply("swap", paper_x, seed=s)["s1"]) for s in range(20)}
    # Rows 0, 1 share a class and rows 2, 3 another: four outcomes and no others.
    assert many == {(a, b, c, d) for a, b in [(100, 200), (200, 100)] for c, d in [(300, 400), (400, 300)]}


def test_swap_treats_each_column_by_itself(paper_x):
    pairs = {tuple(apply("swap", paper_x, seed=s).select(SA).row(0)) for s in range(40)}
    assert pairs == {(100, 100), (100, 400), (200, 100), (200, 400)}


def test_noise_has_the_spread_asked_for_and_keeps_whole_numbers_whole():
    data = icefire.read(pl.DataFrame({"q": [0] * 4000, "s": np.arange(4000)}), qi=["q"], sa=["s"])
    for distribution in ("normal", "laplace", "uniform"):
        moved = apply("noise", data, scale=0.5, distribution=distribution)["s"]
        assert moved.dtype == pl.Int64
        ratio = (moved - data.frame["s"]).std() / data.frame["s"].std()
        assert ratio == pytest.approx(0.5, rel=0.08), distribution


def test_noise_of_zero_changes_nothing(paper_x):
    assert apply("noise", paper_x, scale=0).select(SA).equals(paper_x.frame.select(SA))


def test_noise_leaves_missing_values_missing():
    data = icefire.read(pl.DataFrame({"q": [1, 1, 1], "s": [1.5, None, 2.5]}), qi=["q"], sa=["s"])
    assert apply("noise", data)["s"].is_null().to_list() == [False, True, False]


def test_average_fills_a_missing_value_with_the_mean_of_its_class():
    data = icefire.read(pl.DataFrame({"q": [1, 1, 1, 2], "s": [1.0, None, 3.0, 9.0]}), qi=["q"], sa=["s"])
    assert apply("average", data)["s"].to_list() == [2.0, 2.0, 2.0, 9.0]


def test_delete_leaves_the_share_out_and_keeps_the_rest_in_order(households):
    frame = apply("delete", households, share=0.25)
    assert frame.height == 375
    assert frame[ORIGIN].is_sorted()
    assert frame.drop(ORIGIN).equals(households.frame[frame[ORIGIN].to_numpy()])


def test_permute_index_changes_no_value_and_rotates_every_origin(paper_x):
    frame = apply("permute_index", paper_x)
    assert frame.drop(ORIGIN).equals(paper_x.frame)
    assert frame[ORIGIN].to_list() == [3, 0, 1, 2]


def test_permute_index_can_falsify_only_a_share(households):
    frame = apply("permute_index", households, share=0.2)
    moved = (frame[ORIGIN] != pl.Series(np.arange(500))).sum()
    assert moved == 100
    assert sorted(frame[ORIGIN]) == list(range(500))


def test_k_anonymize_takes_the_middle_number_and_the_most_frequent_category():
    frame = pl.DataFrame(
        {"age": [20, 21, 22, 60, 61, 62], "job": ["a", "b", "b", "c", "c", "d"], "s": [1, 2, 3, 4, 5, 6]}
    )
    made = apply("k_anonymize", icefire.read(frame, qi=["age", "job"], sa=["s"]), k=3)
    # The widest cut is between 22 and 60; ages become their middle, jobs the one held by most.
    assert made["age"].to_list() == [21, 21, 21, 61, 61, 61]
    assert made["job"].to_list() == ["b", "b", "b", "c", "c", "c"]


def test_k_anonymize_reaches_k_on_a_real_survey_and_keeps_n(households):
    for k in (2, 5, 50):
        release = icefire.anonymize(households, {"step": [{"method": "k_anonymize", "k": k}]})
        card = icefire.audit(households, release, attacks=["id_rand"], measures=["k_min", "row_change"]).scorecard
        assert card.measures["k_min"].value >= k
        assert card.measures["row_change"].value == 0


def test_k_anonymize_of_rows_that_are_all_alike_changes_nothing():
    data = table((1, 1, 1, 5, 6), (1, 1, 1, 7, 8))
    assert apply("k_anonymize", data, k=2).drop(ORIGIN).equals(data.frame)

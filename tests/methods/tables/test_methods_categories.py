"""Changed categories: the probabilities are the ones stated."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.applied import applied, holding

ROWS = 40_000
SHARES = {"a": 0.6, "b": 0.3, "c": 0.1}


@pytest.fixture(scope="module")
def towns():
    """24,000 × a, 12,000 × b, 4,000 × c."""
    return holding({"q": [value for value, share in SHARES.items() for _ in range(round(share * ROWS))]})


def transitions(data, made):
    """Share of each original value that became each released one."""
    both = pl.DataFrame({"from": data.frame["q"], "to": made.frame["q"]})
    counts = {(a, b): n for a, b, n in both.group_by("from", "to").len().rows()}
    return {(a, b): counts.get((a, b), 0) / (SHARES[a] * ROWS) for a in SHARES for b in SHARES}


# A share over n rows has a standard deviation of at most 0.5/√n: 0.008 for the 4,000 rows of c.
FOUR_SIGMA = 4 * 0.5 / math.sqrt(0.1 * ROWS)


def test_pram_keeps_exactly_the_share_asked_for_and_draws_the_others_by_frequency(towns):
    seen = transitions(towns, applied("pram", towns, keep=0.7, invariant=False))
    # From a: 0.3 goes to b and c as 0.3 : 0.1. From c: 0.3 goes to a and b as 0.6 : 0.3.
    wanted = {("a", "a"): 0.7, ("a", "b"): 0.225, ("a", "c"): 0.075, ("c", "a"): 0.2, ("c", "b"): 0.1, ("c", "c"): 0.7}
    for pair, share in wanted.items():
        assert seen[pair] == pytest.approx(share, abs=FOUR_SIGMA), pair


def test_invariant_pram_follows_its_matrix(towns):
    seen = transitions(towns, applied("pram", towns, keep=0.7))
    # keep·[i = j] + (1 - keep)·f(j): a stays with 0.7 + 0.3·0.6, c with 0.7 + 0.3·0.1.
    wanted = {
        ("a", "a"): 0.88,
        ("a", "b"): 0.09,
        ("a", "c"): 0.03,
        ("c", "a"): 0.18,
        ("c", "b"): 0.09,
        ("c", "c"): 0.73,
    }
    for pair, share in wanted.items():
        assert seen[pair] == pytest.approx(share, abs=FOUR_SIGMA), pair


def test_invariant_pram_keeps_frequencies_in_expectation_and_the_other_does_not(towns):
    def mean_share_of_c(invariant):
        made = [applied("pram", towns, seed=s, keep=0.2, invariant=invariant).frame["q"] for s in range(20)]
        return np.mean([(column == "c").mean() for column in made])

    # Standard deviation of the mean of 20 shares: at most √(0.1·0.9/40,000/20) = 0.0003.
    assert mean_share_of_c(True) == pytest.approx(0.1, abs=0.0015)
    # Not invariant: 0.1·0.2 + 0.8·(0.6·0.1/0.4 + 0.3·0.1/0.7) = 0.1743.
    assert mean_share_of_c(False) == pytest.approx(0.1743, abs=0.0015)


def test_pram_that_keeps_everything_changes_nothing_and_keep_zero_leaves_no_value(towns):
    assert applied("pram", towns, keep=1).frame["q"].equals(towns.frame["q"])
    made = applied("pram", towns, keep=0, invariant=False)
    assert not (made.frame["q"] == towns.frame["q"]).any()
    assert made.notes == {"changed_cells": ROWS}


def test_pram_with_one_value_has_nothing_to_change():
    data = holding({"q": ["a", "a", None]})
    for invariant in (True, False):
        assert applied("pram", data, keep=0, invariant=invariant).frame["q"].to_list() == ["a", "a", None]


def test_pram_changes_categories_by_default_and_numbers_only_when_no_category_is_there():
    data = holding({"q": ["a", "b"] * 50, "r": [1, 2] * 50}, qi=("q", "r"))
    assert applied("pram", data, keep=0).frame["r"].equals(data.frame["r"])
    codes = holding({"r": [1, 2] * 50}, qi=("r",))
    assert applied("pram", codes, keep=0, invariant=False).frame["r"].to_list() == [2, 1] * 50


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=12), st.floats(0, 1), st.booleans())
def test_pram_draws_only_values_present_and_keeps_missing_where_it_was(values, keep, invariant):
    data = holding({"q": pl.Series(values, dtype=pl.String)})
    made = applied("pram", data, keep=keep, invariant=invariant).frame["q"]
    assert made.is_null().to_list() == [value is None for value in values]
    assert set(made.drop_nulls()) <= set(values)


def test_randomized_response_keeps_p_plus_its_share_of_the_uniform_draw(towns):
    seen = transitions(towns, applied("randomized_response", towns, keep=0.7))
    # Every other value with (1 - 0.7)/3 = 0.1, the own one with 0.7 + 0.1.
    for (before, after), share in seen.items():
        assert share == pytest.approx(0.8 if before == after else 0.1, abs=FOUR_SIGMA)


def test_randomized_response_states_its_epsilon():
    data = holding({"q": ["a", "b", "c", "d"], "r": ["x", "y", "x", "y"], "t": ["z"] * 4}, qi=("q", "r", "t"))
    notes = applied("randomized_response", data, keep=0.6).notes
    # Four values: ln((0.6 + 0.1)/0.1) = ln 7; two: ln((0.6 + 0.2)/0.2) = ln 4; one value tells nothing.
    assert notes["epsilon"] == {"q": round(math.log(7), 6), "r": round(math.log(4), 6), "t": 0.0}
    assert notes["epsilon_total"] == pytest.approx(math.log(28), abs=1e-5)


def test_the_whole_truth_has_no_epsilon(towns):
    made = applied("randomized_response", towns, keep=1)
    assert made.frame["q"].equals(towns.frame["q"])
    assert made.notes == {"epsilon": {"q": "unbounded"}, "epsilon_total": "unbounded"}

"""pMSE: by hand where the model is a table of shares, by theory where the rows are random."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.small_tables import measured, without_truth

from icefire.measures.tables.propensity import null_expectation
from icefire.regression.main_effects import code_rows
from icefire.regression.propensity import NullModel, probabilities


def test_with_one_category_the_propensity_is_the_share_of_released_rows_with_its_value():
    x, y = {"job": ["a", "a", "a", "b"]}, {"job": ["a", "b", "b", "b"]}
    # a: 1 of 4 released, b: 3 of 4; c = 1/2.
    assert measured("pmse", without_truth(x, y, qi=("job",))) == pytest.approx(1 / 16, rel=1e-5)
    x, y = {"job": ["a", "a", "b"] * 8}, {"job": ["a", "b"] * 6}
    # a: 6 of 22, b: 6 of 14; c = 1/3.
    expected = (22 * (6 / 22 - 1 / 3) ** 2 + 14 * (6 / 14 - 1 / 3) ** 2) / 36
    assert measured("pmse", without_truth(x, y, qi=("job",))) == pytest.approx(expected, rel=1e-5)


def test_tables_that_can_be_told_apart_have_the_maximum_and_equal_ones_none():
    x, y = {"age": [1, 2, 3, 4], "job": list("aabb")}, {"age": [11, 12, 13, 14], "job": list("ccdd")}
    told = measured("pmse", without_truth(x, y, qi=("age", "job")))
    assert told == pytest.approx(0.25, abs=1e-4)
    assert told.note.endswith("at most 0.25")
    assert measured("pmse", without_truth(x, x, qi=("age", "job"))) == 0
    assert measured("pmse_ratio", without_truth(x, x, qi=("age", "job"))) == 0


def test_constant_and_missing_columns_do_no_harm():
    x = {"one": ["u"] * 4, "age": [1, None, 3, 4]}
    y = {"one": ["u"] * 4, "age": [1, None, None, None]}
    value = measured("pmse", without_truth(x, y, qi=("one", "age")))
    assert 0 < value < 0.25
    constant = {"one": ["u"] * 4}
    assert measured("pmse_ratio", without_truth(constant, constant, qi=("one",))) == 0


def test_labels_are_drawn_from_the_values_they_stand_for():
    x = {"age": [30, 31, 32, 33, 61] * 40}
    y = {"age": ["30-39", "30-39", "30-39", "30-39", "61"] * 40}
    assert measured("pmse", without_truth(x, y, qi=("age",))) < 1e-3


def test_the_null_expectation_by_permutation_is_that_of_theory():
    rng = np.random.default_rng(3)
    rows = code_rows(4000, [rng.normal(size=4000) for _ in range(6)], [rng.integers(0, 5, 4000) for _ in range(3)])
    outcome = np.repeat([0.0, 1.0], [3000, 1000])
    assert rows.width == 1 + 6 + 3 * 4
    expected = 0.25 * 0.75 * (rows.width - 1) / 4000
    assert null_expectation(rows, outcome, 40) == pytest.approx(expected, rel=0.12)
    # Snoke et al. hold the original rows fixed: (k - 1) (1 - c)² c / N is 1 - c times as much.
    assert (rows.width - 1) * 0.75**2 * 0.25 / 4000 == pytest.approx(expected * 0.75)


def test_another_sample_of_the_population_has_a_ratio_near_one():
    rng = np.random.default_rng(4)

    def sample(rows):
        age = rng.normal(50, 10, rows)
        return {"age": age, "pay": age + rng.normal(0, 5, rows), "job": rng.choice(list("abcdef"), rows)}

    ratios = [measured("pmse_ratio", without_truth(sample(700), sample(500), qi=("job",))) for _ in range(12)]
    assert np.mean(ratios) == pytest.approx(1, abs=0.35)
    moved = sample(500) | {"age": rng.normal(70, 10, 500)}
    far = measured("pmse_ratio", without_truth(sample(700), moved, qi=("job",)))
    assert far > 20


def test_the_quick_steps_for_permuted_outcomes_give_the_full_fit():
    rng = np.random.default_rng(5)
    rows = code_rows(300, [rng.normal(size=300)], [rng.integers(0, 4, 300)])
    outcome = rng.permutation(np.repeat([0.0, 1.0], 150))
    quick = NullModel(rows, np.sort(outcome)).probabilities(outcome)
    assert quick == pytest.approx(probabilities(rows, outcome), abs=1e-4)


def test_probabilities_are_those_of_the_logistic_regression_with_a_formula():
    from icefire.regression import fit, parse

    rng = np.random.default_rng(6)
    age, job = rng.normal(40, 9, 400), rng.choice(["a", "b", "c"], 400)
    outcome = (rng.random(400) < 1 / (1 + np.exp(-(age - 40) / 9 - (job == "b")))).astype(float)
    frame = pl.DataFrame({"age": age, "job": job, "y": outcome})
    fitted = dict(zip((f := fit(frame, parse("y ~ age + job", frame.columns))).labels, f.coefficients, strict=True))
    eta = fitted["Intercept"] + fitted["age"] * age + sum(fitted[f"job={v}"] * (job == v) for v in "bc")
    rows = code_rows(400, [age], [np.searchsorted(["a", "b", "c"], job)])
    assert probabilities(rows, outcome) == pytest.approx(1 / (1 + np.exp(-eta)), abs=1e-5)


def test_large_tables_are_sampled_and_an_unchanged_one_stays_unchanged(monkeypatch):
    monkeypatch.setattr("icefire.measures.drawn_values.MOST_ROWS", 50)
    monkeypatch.setattr("icefire.measures.drawn_values.MOST_COLUMNS", 4)
    rng = np.random.default_rng(7)
    x = {f"c{i}": rng.normal(size=200) for i in range(7)}
    unchanged = measured("pmse", without_truth(x, x, qi=tuple(x)))
    assert unchanged == pytest.approx(0, abs=1e-12)
    assert unchanged.note.endswith("3 columns left out; at most 50 rows of each table, drawn at random")


def test_of_many_columns_the_changed_one_is_used(monkeypatch):
    monkeypatch.setattr("icefire.measures.drawn_values.MOST_COLUMNS", 4)
    x = {f"c{i}": np.arange(20.0) for i in range(30)}
    assert measured("pmse", without_truth(x, x | {"c17": np.arange(20.0) + 40}, qi=tuple(x))) > 0.24

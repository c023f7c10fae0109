"""Logistic regression: values by hand, the same as statsmodels, and words where there is no answer."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.places import DATA

from icefire.core.errors import ParameterError, SchemaError, UndefinedError
from icefire.kernels.common import logistic
from icefire.regression import fit, parse
from icefire.samples import survey

B = DATA / "pwscup2021_nhanes" / "B.csv"
FORMULA = "dia ~ gen + age + race + edu + mar + bmi + dep + pir + qm"


def fitted(frame: pl.DataFrame, formula: str):
    return fit(frame, parse(formula, frame.columns))


def refusal(frame: pl.DataFrame, formula: str) -> str:
    with pytest.raises(UndefinedError) as caught:
        fitted(frame, formula)
    return str(caught.value)


def two_by_two(a: int, b: int, c: int, d: int) -> pl.DataFrame:
    """a of (no, 0), b of (no, 1), c of (yes, 0), d of (yes, 1)."""
    smokes = ["no"] * (a + b) + ["yes"] * (c + d)
    return pl.DataFrame({"smokes": smokes, "ill": [0] * a + [1] * b + [0] * c + [1] * d})


# --- By hand ---


def test_the_odds_ratio_of_a_two_by_two_table():
    # Odds are 10/40 without and 20/30 with; the variance of the log odds ratio is the sum of 1 / count.
    found = fitted(two_by_two(40, 10, 30, 20), "ill ~ smokes")
    assert found.labels == ("Intercept", "smokes=yes")
    assert found.odds_ratios == pytest.approx([10 / 40, (20 / 30) / (10 / 40)], rel=1e-12)
    error = math.sqrt(1 / 40 + 1 / 10 + 1 / 30 + 1 / 20)
    assert found.errors == pytest.approx([math.sqrt(1 / 40 + 1 / 10), error], rel=1e-12)
    z = math.log(20 * 40 / (30 * 10)) / error
    assert found.pvalues[1] == pytest.approx(math.erfc(z / math.sqrt(2)), rel=1e-10)


def test_three_categories_are_compared_with_the_alphabetically_first():
    # Odds: a 1/3, b 2/2, c 3/1.
    frame = pl.DataFrame({"q": list("ccccaaaabbbb"), "y": [1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0]})
    found = fitted(frame, "y ~ q")
    assert found.labels == ("Intercept", "q=b", "q=c")
    assert found.odds_ratios == pytest.approx([1 / 3, 3, 9], rel=1e-12)


def test_a_number_can_be_made_a_category_and_a_truth_value_is_a_number():
    frame = pl.DataFrame({"q": [10, 10, 9, 9, 9, 10], "y": [True, False, True, True, False, False]})
    assert fitted(frame, "y ~ C(q)").labels == ("Intercept", "q=10")  # in the order of numbers, 9 comes first
    assert fitted(frame, "y ~ q").labels == ("Intercept", "q")
    swapped = fitted(frame.select(q=pl.col("y"), y=pl.col("q")), "y ~ q")
    assert swapped.labels == ("Intercept", "q")


def test_of_a_text_outcome_the_later_value_is_the_event():
    frame = two_by_two(40, 10, 30, 20)
    as_text = frame.with_columns(pl.col("ill").replace_strict({0: "healthy", 1: "ill"}))
    assert fitted(as_text, "ill ~ smokes").coefficients == pytest.approx(
        fitted(frame, "ill ~ smokes").coefficients.tolist(), abs=1e-12
    )


def test_rows_with_a_missing_value_are_left_out():
    frame = two_by_two(40, 10, 30, 20)
    holes = pl.DataFrame({"smokes": [None, "yes"], "ill": [1, None]}, schema=frame.schema)
    found = fitted(pl.concat([frame, holes]), "ill ~ smokes")
    assert found.rows == 100
    assert found.coefficients.tolist() == fitted(frame, "ill ~ smokes").coefficients.tolist()


def test_the_table_has_a_row_for_every_coefficient():
    table = fitted(two_by_two(40, 10, 30, 20), "ill ~ smokes").table()
    assert table.columns == ["term", "coefficient", "odds_ratio", "standard_error", "p_value"]
    assert table["term"].to_list() == ["Intercept", "smokes=yes"]


def test_another_unit_divides_the_coefficient_and_leaves_the_rest():
    frame = survey.frame(500)
    years = fitted(frame, "dia ~ age + bmi")
    days = fitted(frame.with_columns(pl.col("age") * 365 + 1e6), "dia ~ age + bmi")
    assert days.coefficients[1] == pytest.approx(years.coefficients[1] / 365, rel=1e-9)
    assert days.coefficients[2] == pytest.approx(years.coefficients[2], rel=1e-9)
    assert days.pvalues[1:] == pytest.approx(years.pvalues[1:].tolist(), rel=1e-6)


# --- Against a reference ---


def reference(frame: pl.DataFrame, formula: str) -> dict[str, tuple[float, float, float]]:
    """Coefficient, standard error and p-value by statsmodels, under our labels."""
    formulas = pytest.importorskip("statsmodels.formula.api", reason="statsmodels is not installed")
    families = pytest.importorskip("statsmodels.api").families
    model = formulas.glm(formula, data=frame.to_pandas(), family=families.Binomial()).fit(tol=1e-11)
    labels = [name.replace("[T.", "=").replace("]", "") for name in model.params.index]
    return dict(zip(labels, zip(model.params, model.bse, model.pvalues, strict=True), strict=True))


def check_reference(frame: pl.DataFrame, formula: str) -> None:
    found, expected = fitted(frame, formula), reference(frame, formula)
    assert set(found.labels) == set(expected)
    ours = np.array([found.coefficients, found.errors, found.pvalues]).T
    theirs = np.array([expected[label] for label in found.labels])
    np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-10)


def test_statsmodels_finds_the_same_on_the_sample():
    check_reference(survey.frame(), FORMULA)


def test_statsmodels_finds_the_same_with_few_rows_and_one_number():
    check_reference(survey.frame(60), "dia ~ age")


@pytest.mark.skipif(not B.is_file(), reason="the shared data (../shared/data/pwscup2021_nhanes) is not here")
def test_statsmodels_finds_the_same_on_the_contest_data():
    frame = pl.read_csv(B, has_header=False, new_columns=list(survey.COLUMNS))
    check_reference(frame, FORMULA)


def slow_slope(numbers, levels, outcome, beta):
    """The same by a dense matrix."""
    dense = np.zeros((len(outcome), len(beta)))
    dense[:, 0] = 1
    dense[:, 1 : 1 + numbers.shape[1]] = numbers
    for i, k in zip(*np.nonzero(levels >= 0), strict=True):
        dense[i, levels[i, k]] = 1
    mean = 1 / (1 + np.exp(-dense @ beta))
    likelihood = np.sum(outcome * np.log(mean) + (1 - outcome) * np.log(1 - mean))
    return likelihood, dense.T @ (outcome - mean), dense.T @ (dense * (mean * (1 - mean))[:, None])


@settings(max_examples=50, deadline=None)
@given(rows=st.integers(1, 40), wide=st.integers(0, 3), seed=st.integers(0, 10_000))
def test_the_kernel_agrees_with_a_dense_matrix(rows, wide, seed):
    rng = np.random.default_rng(seed)
    # Two categories with 3 and 2 columns beside the level all others are compared with.
    first, second = rng.integers(0, 4, rows), rng.integers(0, 3, rows)
    levels = np.stack([np.where(first > 0, wide + first, -1), np.where(second > 0, wide + 3 + second, -1)], axis=1)
    numbers, outcome = rng.normal(size=(rows, wide)), rng.integers(0, 2, rows).astype(np.float64)
    beta = rng.normal(size=1 + wide + 5)
    found = logistic.log_likelihood(numbers, levels.astype(np.int32), outcome, beta)
    for ours, theirs in zip(found, slow_slope(numbers, levels, outcome, beta), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


def test_the_number_of_threads_changes_no_digit(monkeypatch):
    frame = survey.frame(70_000)
    monkeypatch.setenv("ICEFIRE_THREADS", "1")
    alone = fitted(frame, FORMULA)
    monkeypatch.setenv("ICEFIRE_THREADS", "3")
    assert fitted(frame, FORMULA).coefficients.tolist() == alone.coefficients.tolist()


# --- No answer, in words ---


def test_a_level_with_one_outcome_only_is_named():
    words = refusal(two_by_two(5, 5, 4, 0), "ill ~ smokes")
    assert "perfect separation" in words
    assert "all rows of the table with smokes=yes have the same 'ill'" in words


def test_a_number_that_tells_the_outcome_is_named():
    frame = pl.DataFrame({"x": [1, 2, 3, 4, 5, 6], "z": [3, 1, 2, 2, 3, 1], "y": [0, 0, 0, 1, 1, 1]})
    words = refusal(frame, "y ~ x + z")
    assert words.startswith("perfect separation: in the table the columns tell 'y' exactly, 'x' above all")


def test_columns_that_only_together_tell_the_outcome_are_found():
    # y is 1 just where a + b > 3, and neither alone tells it.
    frame = pl.DataFrame(
        {"a": [1.0, 2, 3, 1, 2, 3, 1, 2, 3], "b": [1.0, 1, 1, 2, 2, 2, 3, 3, 3], "y": [0, 0, 1, 0, 1, 1, 1, 1, 1]}
    )
    assert "perfect separation" in refusal(frame, "y ~ a + b")


def test_one_exception_is_enough_for_a_finite_answer():
    frame = pl.DataFrame({"x": [1, 2, 3, 4, 5, 6, 7, 8], "y": [0, 0, 0, 1, 0, 1, 1, 1]})
    found = fitted(frame, "y ~ x")
    assert np.isfinite(found.coefficients).all()
    assert 0 < found.pvalues[1] < 1


def test_columns_that_say_the_same_are_named():
    frame = survey.frame(200).with_columns(months=pl.col("age") * 12)
    assert refusal(frame, "dia ~ age + months + bmi") == (
        "in the table these say the same: age, months; leave one of their columns out"
    )


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"x": [1, 2, 3], "y": [0, 1, 2]}, "the outcome 'y' has 3 values in the table"),
        ({"x": [1, 2, 3], "y": [1, 1, 1]}, "the outcome 'y' has one value only in the table"),
        ({"x": [2, 2, 2], "y": [0, 1, 0]}, "column 'x' of the table has one value only"),
        ({"x": ["a"] * 3, "y": [0, 1, 0]}, "column 'x' of the table has one value only"),
        ({"x": [1, 2], "y": [0, 1]}, "too few rows: 2 complete ones in the table for 2 coefficients"),
        ({"x": [None, 1], "y": [0, None]}, "too few rows: no row of the table has a value in every column"),
        ({"x": [str(i) for i in range(1500)], "y": [0, 1] * 750}, "has 1,500 values, too many categories"),
    ],
)
def test_what_is_missing_is_said(columns, words):
    assert words in refusal(pl.DataFrame(columns), "y ~ x")


def test_an_odds_ratio_beyond_all_numbers_is_said():
    frame = survey.frame(500).with_columns(pl.col("age") / 1e6)
    assert "the odds ratio of 'age' in the table is too large a number" in refusal(frame, "dia ~ age")


@pytest.mark.parametrize("text", ["dia", "~ age", "dia ~", "dia ~ age +", "dia ~ age + + bmi"])
def test_a_formula_that_cannot_be_read_is_refused(text):
    with pytest.raises(ParameterError, match="cannot be read; write outcome ~ column"):
        parse(text, survey.COLUMNS)


def test_a_formula_with_a_wrong_name_is_answered_with_the_nearest():
    with pytest.raises(SchemaError, match="no column 'bnmi'; did you mean 'bmi'"):
        parse("dia ~ age + bnmi", survey.COLUMNS)


def test_a_formula_names_each_column_once():
    with pytest.raises(ParameterError, match="has 'age' twice"):
        parse("dia ~ age + C(age)", survey.COLUMNS)
    assert str(parse("dia~age+C( dep )", survey.COLUMNS)) == "dia ~ age + C(dep)"

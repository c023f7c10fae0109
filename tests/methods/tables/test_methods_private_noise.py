"""Noise with a stated scale: Laplace, Gaussian, correlated."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import polars as pl
import pytest
from support.applied import applied, holding

from icefire.core.errors import ParameterError
from icefire.methods.tables.gaussian import deviation, spent

ROWS = 20_000


@pytest.fixture(scope="module")
def incomes():
    """Floats 0 … 10: range 10."""
    return holding({"q": [1] * ROWS, "s": np.linspace(0, 10, ROWS)})


def shift(data, made, name="s"):
    return (made.frame[name] - data.frame[name]).to_numpy()


def test_laplace_noise_has_scale_range_over_epsilon(incomes):
    moves = shift(incomes, applied("laplace", incomes, epsilon=2))
    # The mean |x| of Laplace noise is its scale, 10/2; over 20,000 draws its standard deviation is 5/√20,000 = 0.035.
    assert np.abs(moves).mean() == pytest.approx(5, abs=0.15)
    assert np.mean(moves) == pytest.approx(0, abs=4 * 5 * math.sqrt(2 / ROWS))
    # Laplace, not normal: P(|x| > 3·scale) = exp(-3) = 0.0498, standard deviation 0.0015.
    assert (np.abs(moves) > 15).mean() == pytest.approx(math.exp(-3), abs=0.007)


def test_laplace_with_sensitivity_one_has_scale_one_over_epsilon(incomes):
    moves = shift(incomes, applied("laplace", incomes, epsilon=0.5, sensitivity=1))
    assert np.abs(moves).mean() == pytest.approx(2, abs=0.06)


def test_laplace_clamps_before_it_adds_noise():
    data = holding({"s": [-100.0, 0.0, 5.0, 10.0, 900.0]})
    made = applied("laplace", data, low=0, high=10, epsilon=1e9)
    # Scale 10/1e9: what is left is the clamped value.
    assert made.frame["s"].to_list() == pytest.approx([0, 0, 5, 10, 10], abs=1e-5)


def test_laplace_truncates_toward_zero_when_asked():
    data = holding({"s": pl.Series([0] * ROWS)})
    exact = (
        applied("laplace", holding({"s": pl.Series([0.0] * ROWS)}), sensitivity=1, epsilon=0.2).frame["s"].to_numpy()
    )
    cut = applied("laplace", data, sensitivity=1, epsilon=0.2, truncate=True).frame["s"]
    rounded = applied("laplace", data, sensitivity=1, epsilon=0.2).frame["s"]
    assert cut.dtype == rounded.dtype == pl.Int64
    assert cut.to_list() == [int(x) for x in exact]
    assert rounded.to_list() == [round(x) for x in exact]


def test_laplace_states_epsilon_by_column_and_in_all_and_no_value_of_the_data(incomes):
    assert applied("laplace", incomes, epsilon=0.5).notes == {
        "epsilon_per_column": 0.5,
        "epsilon_total": 0.5,
        "sensitivity": "the range of the data, which is itself not protected",
    }
    two = holding({"s": [1.0, 2.0], "t": [3, 4]}, sa=("s", "t"))
    assert applied("laplace", two, low=0, high=9).notes["epsilon_total"] == 2
    assert applied("laplace", two, low=0, high=9).notes["sensitivity"] == "the range given"
    assert applied("laplace", two, sensitivity=1).notes["sensitivity"] == "given"


def test_a_constant_column_has_no_range_and_gets_no_noise():
    assert applied("laplace", holding({"s": [7, 7, None]})).frame["s"].to_list() == [7, 7, None]


def test_noise_too_wide_for_a_whole_number_ends_at_the_largest_one():
    made = applied("laplace", holding({"s": [0, 2**60]}), epsilon=1e-6).frame["s"]
    assert made.dtype == pl.Int64


@pytest.mark.parametrize("method", ["laplace", "gaussian"])
def test_bounds_in_the_wrong_order_are_refused(method, incomes):
    with pytest.raises(ParameterError, match=f"{method}: low is 9, above high = 1; exchange them"):
        applied(method, incomes, low=9, high=1)


def test_the_classic_deviation_is_the_textbook_one_and_ends_at_one():
    # √(2·ln(1.25/1e-5))/1 = √(2·11.7361) = 4.8448
    assert deviation(1, 1e-5, "classic") == pytest.approx(4.8448, abs=1e-4)
    with pytest.raises(ParameterError, match=r"proved for epsilon up to 1, got 1\.5; choose analytic"):
        deviation(1.5, 1e-5, "classic")


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 0.5, 1, 3, 20, 100, 500])
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.1, 0.5])
def test_the_analytic_deviation_is_the_smallest_that_spends_delta(epsilon, delta):
    found = deviation(epsilon, delta)
    assert spent(found, epsilon) <= delta
    assert spent(found * (1 - 1e-6), epsilon) > delta
    if epsilon <= 1 and delta <= 0.1:
        assert found <= deviation(epsilon, delta, "classic")


def test_the_analytic_formula_is_the_one_stated():
    # Φ(Δ/2σ - εσ/Δ) - exp(ε)·Φ(-Δ/2σ - εσ/Δ), by the standard library; Balle and Wang's example gives 3.7306.
    cdf = NormalDist().cdf
    for sigma, epsilon in [(1, 1), (2, 0.3), (0.4, 5)]:
        half, move = 1 / (2 * sigma), epsilon * sigma
        assert spent(sigma, epsilon) == pytest.approx(cdf(half - move) - math.exp(epsilon) * cdf(-half - move))
    assert deviation(1, 1e-5) == pytest.approx(3.730632, abs=1e-6)


def test_gaussian_noise_has_the_deviation_stated(incomes):
    made = applied("gaussian", incomes, epsilon=2, delta=1e-3)
    wanted = 10 * made.notes["deviation_per_sensitivity"]
    # The standard deviation of an estimated σ is σ/√(2n): half a percent.
    assert shift(incomes, made).std() == pytest.approx(wanted, rel=0.02)
    assert made.notes["deviation_per_sensitivity"] == pytest.approx(deviation(2, 1e-3))


def test_gaussian_adds_epsilon_and_delta_up_over_columns():
    data = holding({"s": [1.0, 2.0], "t": [3, 4], "u": [5, 6]}, sa=("s", "t", "u"))
    notes = applied("gaussian", data, epsilon=0.5, delta=1e-6).notes
    assert (notes["epsilon_total"], notes["delta_total"]) == (1.5, pytest.approx(3e-6))


@pytest.fixture(scope="module")
def related():
    """Two columns with correlation 0.8 and standard deviations 1 and 10, and one by itself."""
    rng = np.random.default_rng(5)
    a, b, c = rng.standard_normal((3, ROWS))
    return holding({"s": a, "t": 10 * (0.8 * a + 0.6 * b), "u": c}, sa=("s", "t", "u"))


def test_correlated_noise_has_the_covariance_of_the_data(related):
    moves = np.array([shift(related, applied("correlated_noise", related, scale=0.5), n) for n in "stu"])
    before = np.corrcoef(related.frame.select("s", "t", "u").to_numpy().T)
    # An estimated correlation has a standard deviation of at most 1/√n = 0.007.
    assert np.corrcoef(moves) == pytest.approx(before, abs=0.03)
    assert moves.std(axis=1) == pytest.approx([0.5, 5, 0.5], rel=0.03)


def test_correlated_noise_keeps_correlations_where_plain_noise_weakens_them(related):
    def correlation(method):
        frame = applied(method, related, scale=1).frame
        return np.corrcoef(frame["s"], frame["t"])[0, 1]

    assert correlation("correlated_noise") == pytest.approx(0.8, abs=0.02)
    assert correlation("noise") == pytest.approx(0.4, abs=0.03)  # variances double, the covariance does not


def test_correlated_noise_can_keep_mean_and_spread(related):
    wide = applied("correlated_noise", related, scale=1).frame["t"]
    kept = applied("correlated_noise", related, scale=1, keep_spread=True).frame["t"]
    before = related.frame["t"]
    assert wide.std() / before.std() == pytest.approx(math.sqrt(2), rel=0.02)
    assert kept.std() / before.std() == pytest.approx(1, rel=0.02)
    assert kept.mean() == pytest.approx(before.mean(), abs=4 * 10 / math.sqrt(2 * ROWS))


def test_correlated_noise_copes_with_missing_and_constant_columns():
    data = holding({"s": [1, None, 3, 4], "t": [5, 5, 5, 5], "u": [None, None, 2.0, None]}, sa=("s", "t", "u"))
    made = applied("correlated_noise", data).frame
    assert made["s"].is_null().to_list() == [False, True, False, False]
    assert made["t"].to_list() == [5] * 4
    assert made["u"].to_list() == [None, None, 2.0, None]


@pytest.mark.parametrize("method", ["laplace", "gaussian", "correlated_noise", "noise"])
def test_noise_on_text_is_refused_in_one_line(method):
    data = holding({"q": ["a", "b"], "s": [1, 2]})
    with pytest.raises(ParameterError, match=rf"^{method}: column 'q' holds no numbers; name columns that do: s$"):
        applied(method, data, columns="q")


def test_a_table_without_numbers_has_nothing_to_add_noise_to():
    with pytest.raises(ParameterError, match=r"^laplace: no column to work on; name some in columns, from: q$"):
        applied("laplace", holding({"q": ["a", "b"]}))

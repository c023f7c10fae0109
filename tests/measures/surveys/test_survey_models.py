"""Measures for surveys, of the table as a whole: counts, rates, odds and correlations."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.survey_measures import pair, smokers, table, value

from icefire.core import roles
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, SchemaError, UndefinedError
from icefire.measures.surveys import marginals, odds, one_hot
from icefire.samples import survey

# --- cnt and rate ---


def test_counts_and_rates_by_hand():
    x = table({"c": ["p", "p", "q", "r"], "dia": [0, 1, 0, 0]}, sa=("dia",))
    y = table({"c": ["p", "p", "q"], "dia": [0, 0, 0]}, sa=("dia",))
    both = pair(x, y)
    # Cells (c, dia): p0 1 -> 2, p1 1 -> 0, q0 1 -> 1, r0 1 -> 0.
    assert value("cnt_max", both, columns="c", by="dia") == 1
    assert value("cnt_mean", both, columns="c", by="dia") == 3 / 4
    # As shares of 4 and of 3 rows: 1/4 -> 2/3, 1/4 -> 0, 1/4 -> 1/3, 1/4 -> 0.
    assert value("rate_max", both, columns="c", by="dia") == pytest.approx(2 / 3 - 1 / 4)
    assert value("rate_mean", both, columns="c", by="dia") == pytest.approx((5 / 12 + 1 / 4 + 1 / 12 + 1 / 4) / 4)
    # Not split: c p 2 -> 2, q 1 -> 1, r 1 -> 0, and dia 0 3 -> 3, 1 1 -> 0.
    assert value("cnt_mean", both) == 2 / 5


def test_bins_are_open_below_and_what_is_at_the_lowest_edge_is_in_none():
    # Bins (10, 20] and (20, 30]; 5 counts as 10, which is in no bin, and 99 as 30.
    x, y = table({"n": [5, 20, 21, 99]}), table({"n": [20, 20, 20, 20]})
    found = marginals.counts(x, y, bins="n: 10 20 30")
    assert found.before.tolist() == [1, 2]
    assert found.after.tolist() == [4, 0]
    everything = marginals.counts(x, y, bins="n: -inf 20 inf")
    assert everything.before.tolist() == [2, 2]


def test_a_missing_number_has_a_cell_of_its_own():
    x, y = table({"n": [5.0, None, 15.0]}), table({"n": [5.0, None, None]})
    assert sorted(marginals.counts(x, y, bins="n: 0 10 20").changes.tolist()) == [0, 1, 1]


def test_numbers_with_many_values_are_counted_by_quarters_of_the_original():
    x = table({"n": list(range(100))})
    y = table({"n": [value + 25 for value in range(100)]})
    found = marginals.counts(x, y)
    assert found.before.tolist() == [25, 25, 25, 25]
    assert found.after.tolist() == [0, 25, 25, 50]


def test_no_cell_at_all_has_no_value():
    with pytest.raises(UndefinedError, match="no cell to count"):
        value("cnt_max", pair(table({"n": [1, 2]}), table({"n": [1, 2]})), columns="")


@pytest.mark.parametrize(
    ("bins", "words"),
    [
        ("n 1 2", "bins: 'n 1 2' cannot be read"),
        ("n: 1 x", "bins: 'n: 1 x' cannot be read"),
        ("n:", "bins: 'n:' cannot be read"),
        ("n: 1 nan", "cannot be read"),
        ("n: 1", "the edges of 'n' must be at least two"),
        ("n: 2 1", "each above the one before"),
    ],
)
def test_bins_that_cannot_be_read_are_refused(bins, words):
    with pytest.raises(ParameterError, match=words):
        value("cnt_max", pair(table({"n": [1, 2]}), table({"n": [1, 2]})), bins=bins)


def test_options_name_columns_of_numbers():
    both = pair(table({"n": [1, 2], "c": ["p", "q"]}), table({"n": [1, 2], "c": ["p", "q"]}))
    with pytest.raises(SchemaError, match="bins: no column 'm'"):
        value("cnt_max", both, bins="m: 1 2")
    with pytest.raises(SchemaError, match="'c' holds no numbers"):
        value("uniqrt", both, rounding="c: 10")
    with pytest.raises(ParameterError, match="'n' takes one number above 0"):
        value("uniqrt", both, rounding="n: 0")
    with pytest.raises(SchemaError, match="by: no column 'dia'"):
        value("rate_max", both, by="dia")


# --- Coef, OR, pvalue ---


def test_changes_of_odds_by_hand():
    # Odds without smoking 10/40 -> 10/30, odds ratio 8/3 -> 2; the default formula is ill ~ smokes.
    both = pair(smokers(40, 10, 30, 20), smokers(30, 10, 30, 20))
    assert value("or_max", both) == pytest.approx(8 / 3 - 2)
    assert value("or_mean", both) == pytest.approx((1 / 3 - 1 / 4 + 8 / 3 - 2) / 2)
    changes = [np.log((1 / 3) / (1 / 4)), np.log((8 / 3) / 2)]
    assert value("coef_max", both) == pytest.approx(max(changes))
    assert value("coef_mean", both, formula="ill ~ smokes") == pytest.approx(np.mean(changes))
    before, after = odds.fits(both.original, both.released)
    moved = np.abs(before.pvalues - after.pvalues)
    assert value("pvalue_max", both) == moved.max()
    assert value("pvalue_mean", both) == pytest.approx(moved.mean())


@pytest.mark.parametrize(
    ("released", "words"),
    [
        (smokers(30, 10, 0, 0), "column 'smokes' of the release has one value only"),
        (smokers(30, 10, 30, 0), "perfect separation: all rows of the release with smokes=yes have the same 'ill'"),
        (smokers(30, 0, 30, 0), "the outcome 'ill' has one value only in the release"),
        (smokers(1, 0, 0, 1), "too few rows: 2 complete ones in the release"),
    ],
)
def test_a_model_that_cannot_be_fitted_is_named_and_no_number_given(released, words):
    both = pair(smokers(40, 10, 30, 20), released)
    for name in ("coef_max", "or_mean", "pvalue_max"):
        with pytest.raises(UndefinedError, match=words):
            value(name, both)


def test_a_vanished_category_is_named():
    x = table({"c": list("pppqqqrrr"), "y": [0, 1, 1] * 3}, sa=("y",))
    y = table({"c": list("qqqrrr"), "y": [0, 1, 1] * 2}, sa=("y",))
    # Also where it is the one that all others are compared with.
    with pytest.raises(UndefinedError, match="a category vanished: the release has no c=p, so"):
        value("or_max", pair(x, y))
    with pytest.raises(UndefinedError, match="a category is new: the original has no c=p, so"):
        value("or_max", pair(y, x))


def test_without_a_column_of_two_values_there_is_no_usual_formula():
    x = table({"a": [1, 2, 3], "b": ["p", "p", "p"]})
    with pytest.raises(UndefinedError, match="no column has two values"):
        value("coef_max", pair(x, x))


# --- cor ---


def test_correlation_of_a_category_by_hand():
    # The indicator of p goes from following n exactly (r = 1) to having nothing to do with it (r = 0).
    x = table({"n": [1, 1, 0, 0], "c": ["p", "p", "q", "q"]})
    y = table({"n": [1, 0, 1, 0], "c": ["p", "p", "q", "q"]})
    # Columns n, p, q: n-p moves by 1, n-q by 1 (from -1 to 0), p-q stays at -1; zero diagonal.
    assert value("cor_max", pair(x, y)) == pytest.approx(1)
    assert value("cor_mean", pair(x, y)) == pytest.approx(4 / 9)
    assert value("cor_mean", pair(x, y), columns="c") == pytest.approx(0)


def test_a_column_that_is_constant_in_one_table_is_left_out():
    # 0.1 a thousand times has a mean that differs from 0.1 in the last digit.
    x = table({"n": [float(i) for i in range(1000)], "m": [i % 7 for i in range(1000)], "k": [0.1] * 1000})
    y = table({"n": [float(i) for i in range(1000)], "m": [i % 7 for i in range(1000)], "k": [0.1, 0.3] * 500})
    assert value("cor_max", pair(x, y)) == pytest.approx(0, abs=1e-12)
    with pytest.raises(UndefinedError, match="no two columns vary"):
        value("cor_max", pair(x, y), columns="n,k")


def by_pandas(frame: pl.DataFrame) -> np.ndarray:
    import pandas as pd

    dummies = pd.get_dummies(frame.to_pandas(), dtype=float)
    return dummies.reindex(columns=["m", "n", "c_p", "c_q", "c_r"], fill_value=0.0).corr().to_numpy()


numbers_with_gaps = st.one_of(st.none(), st.integers(-3, 3).map(float))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(numbers_with_gaps, numbers_with_gaps, st.sampled_from("pqr")), min_size=2, max_size=25))
def test_correlations_agree_with_pandas(rows):
    frame = pl.DataFrame(rows, schema={"m": pl.Float64, "n": pl.Float64, "c": pl.String}, orient="row")
    full = pl.DataFrame({"m": [1.0, 2, 4], "n": [0.0, 1, 0], "c": ["p", "q", "r"]})
    x, y = (Dataset(f, roles.choose(f, f.columns, ())) for f in (frame, full))
    ours, _ = one_hot.correlations(x, y)
    theirs = by_pandas(frame)
    # pandas finds a correlation by rounding alone where a column is constant among the rows that count.
    np.testing.assert_allclose(ours[~np.isnan(ours)], theirs[~np.isnan(ours)], atol=1e-9)
    constant = np.isnan(ours) & ~np.isnan(theirs)
    np.fill_diagonal(constant, False)
    assert not constant.any()


def test_more_values_than_can_be_correlated_are_refused():
    x = table({"name": [str(i) for i in range(2000)], "n": list(range(2000))})
    with pytest.raises(UndefinedError, match="2,001 values to correlate"):
        value("cor_max", pair(x, x))


def test_long_tables_are_correlated_in_pieces(monkeypatch):
    frame = survey.frame(500)
    data = Dataset(frame, roles.choose(frame, survey.QI, survey.SA))
    whole, _ = one_hot.correlations(data, data)
    monkeypatch.setattr(one_hot, "SPAN", 64)
    pieces, _ = one_hot.correlations(data, data)
    np.testing.assert_allclose(whole, pieces, atol=1e-12)

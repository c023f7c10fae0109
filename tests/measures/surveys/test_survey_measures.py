"""Measures of the health survey: values by hand, the contest's vectors, and words where there is no value."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.places import DATA

import icefire
from icefire import testing
from icefire.core import record_loss, roles
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, SchemaError, UndefinedError
from icefire.core.registry import entries, get
from icefire.core.release import Case, Comparison, Truth
from icefire.measures.surveys import marginals, odds, one_hot, uniqueness
from icefire.samples import survey

B = DATA / "pwscup2021_nhanes" / "B.csv"
contest_data = pytest.mark.skipif(
    not B.is_file(), reason="the shared data (../shared/data/pwscup2021_nhanes) is not here"
)

NAMES = sorted(entry.name for entry in entries("measure") if entry.explicit_only)
CATEGORIES = "gen,race,edu,mar,dep,pir,qm,dia"
KEY = "gen,age,race,edu,mar,bmi,dep,pir,qm"
TABLES = {
    "columns": KEY,
    "by": "dia",
    "bins": "age: 19 44 64 80; bmi: 15 18.5 25 30 70; dep: -inf 0.5 inf; pir: -inf 0.5 inf",
}
MODEL = {"formula": "dia ~ gen + age + race + edu + mar + bmi + dep + pir + qm"}
ROUNDING = "age: 10; bmi: 10"


def table(columns: dict[str, list], sa: tuple[str, ...] = ()) -> Dataset:
    frame = pl.DataFrame(columns)
    return Dataset(frame, roles.choose(frame, [name for name in columns if name not in sa], sa))


def pair(x: Dataset, y: Dataset, truth: list[int] | None = None) -> Comparison:
    return Comparison(Case(x, y), Truth(np.arange(y.height) if truth is None else np.array(truth)))


def value(name: str, comparison: Comparison, **parameters: object) -> float:
    entry = get("measure", name)
    return float(entry.function(comparison, **entry.bind(parameters)))


# --- The contest's vectors ---


@pytest.fixture(scope="module")
def contest() -> Comparison:
    """B, and C after the sample deletion: top, bottom, and k = 7 on race, edu, mar."""
    if not B.is_file():
        pytest.skip("the shared data (../shared/data/pwscup2021_nhanes) is not here")
    frame = pl.read_csv(B, has_header=False, new_columns=list(survey.COLUMNS))
    kept = np.flatnonzero(~np.any([*deletions(frame).values()], axis=0))
    data = Dataset(frame, roles.choose(frame, [n for n in frame.columns if n != "dia"], ["dia"]))
    return Comparison(Case(data, data.take(kept)), Truth(kept))


def deletions(frame: pl.DataFrame) -> dict[str, np.ndarray]:
    rules = frame.select(
        top=(pl.col("age") > 75) | (pl.col("bmi") > 50),
        bottom=(pl.col("age") < 22) | (pl.col("bmi") < 20),
        k7=pl.len().over("race", "edu", "mar") < 7,
    )
    return {name: rules[name].to_numpy() for name in rules.columns}


def test_the_sample_deletion_deletes_what_the_contest_printed(contest):
    found = deletions(contest.original.frame)
    assert {name: int(rows.sum()) for name, rows in found.items()} == {"top": 487, "bottom": 270, "k7": 120}
    assert int(np.any([*found.values()], axis=0).sum()) == 837
    assert contest.released.height == 3353


def test_unique_rows_are_those_the_contest_printed(contest):
    assert uniqueness.alone(contest.released, tuple(KEY.split(",")), ROUNDING) == 2360
    assert round(value("uniqrt", contest, columns=KEY, rounding=ROUNDING), 7) == 0.5632458
    assert round(value("uniqrt", contest, columns=KEY, rounding=ROUNDING, of="released"), 7) == 0.7038473


@pytest.mark.parametrize(
    ("name", "parameters", "largest", "mean"),
    [
        ("cnt", TABLES, 519, 114.106061),
        ("rate", TABLES, 0.061190, 0.007815),
        ("coef", MODEL, 0.749521, 0.101983),
        ("or", MODEL, 0.288657, 0.072791),
        ("pvalue", MODEL, 0.383715, 0.086014),
        ("cor", {}, 0.135895, 0.012597),
    ],
)
def test_utility_is_what_the_contest_printed(contest, name, parameters, largest, mean):
    assert round(value(f"{name}_max", contest, **parameters), 6) == largest
    assert round(value(f"{name}_mean", contest, **parameters), 6) == mean


def test_there_are_66_cells_and_22_coefficients(contest):
    x, y = contest.original, contest.released
    assert len(marginals.counts(x, y, tuple(KEY.split(",")), "dia", TABLES["bins"]).changes) == 66
    before, after = odds.fits(x, y, MODEL["formula"])
    assert before.labels == after.labels
    assert len(before.labels) == 22


def test_rows_that_were_only_deleted_have_not_moved(contest):
    assert value("iloss", contest, numbers="age,bmi", categories=CATEGORIES) == 0


@contest_data
def test_candidates_within_4_and_6_are_as_many_as_the_contest_data_have():
    frame = pl.read_csv(B, has_header=False, new_columns=list(survey.COLUMNS))
    data = Dataset(frame, roles.choose(frame, frame.columns, ()))
    picked = ("age", "bmi"), tuple(CATEGORIES.split(","))
    within = np.zeros((2, data.height), np.int64)
    for row in range(0, data.height, 7):  # every seventh row is enough for the medians
        losses = record_loss.parts(data, data, np.full(data.height, row), *picked).loss()
        within[:, row] = (losses <= 4).sum() - 1, (losses <= 6).sum() - 1
    assert np.median(within[:, ::7], axis=1) == pytest.approx([120, 440], rel=0.05)


# --- iloss ---


def two_people() -> tuple[Dataset, Dataset]:
    x = {"age": [30, 40], "bmi": [27.9, 20.0], "a": ["p", "p"], "b": ["q", "q"], "c": ["r", "r"]}
    y = {"age": [39, 40], "bmi": [24.9, 20.0], "a": ["x", "p"], "b": ["x", "x"], "c": ["r", "r"]}
    return table(x), table(y)


def test_iloss_is_the_largest_part_of_the_worst_row():
    # The first row moves by 9 years, 3 points and 2 categories, the second by one category.
    both = pair(*two_people())
    assert value("iloss", both) == 9
    assert value("iloss", both, form="sum") == 14
    assert value("iloss", both, summary="mean") == 5
    assert value("iloss", both, numbers="bmi") == 3
    assert value("iloss", both, numbers="") == 2
    assert [value(f"iloss_{part}", both) for part in ("age", "bmi", "cat")] == [9, 3, 2]
    assert value("iloss_age", both, column="bmi") == 3


def test_iloss_of_every_row_is_there_for_methods_and_attacks():
    x, y = two_people()
    parts = record_loss.parts(x, y, np.array([0, 1]), ("age", "bmi"), ("a", "b", "c"))
    assert parts.loss().tolist() == [9, 1]
    assert parts.loss("sum").tolist() == [14, 1]
    assert parts.categories.tolist() == [2, 1]


def test_iloss_follows_the_truth():
    x, y = two_people()
    # Exchanged: the first released row (39) came from the person of 40, the second (40) from that of 30.
    assert value("iloss_age", pair(x, y, [1, 0])) == 10


def test_a_difference_of_four_tenths_short_of_noise_is_four():
    # 31.9 - 27.9 is 3.9999999999999964 and 32.1 - 28.1 is 4.000000000000004 in floating point.
    x, y = table({"bmi": [31.9, 28.1]}), table({"bmi": [27.9, 32.1]})
    assert value("iloss", pair(x, y)) == 4


def test_a_missing_number_is_as_far_as_the_column_is_wide_and_missing_equals_missing():
    x = table({"age": [20.0, 50.0, None], "c": ["p", None, None]})
    y = table({"age": [20.0, None, None], "c": ["p", None, "q"]})
    assert value("iloss_age", pair(x, y)) == 30
    assert value("iloss_cat", pair(x, y)) == 1
    assert value("iloss", pair(x, x)) == 0


def test_iloss_of_a_column_that_is_not_there_has_no_value():
    with pytest.raises(UndefinedError, match="there is no column 'bmi'"):
        value("iloss_bmi", pair(table({"age": [1, 2]}), table({"age": [1, 2]})))
    with pytest.raises(SchemaError, match="holds no numbers"):
        value("iloss", pair(*two_people()), numbers="a")


def slow_iloss(x: pl.DataFrame, y: pl.DataFrame, numbers: list[str], categories: list[str]) -> list[float]:
    return [
        max(*(abs(u[n] - v[n]) for n in numbers), sum(u[c] != v[c] for c in categories))
        for u, v in zip(x.to_dicts(), y.to_dicts(), strict=True)
    ]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 9)] * 4, *[st.sampled_from("pqr")] * 6), min_size=1, max_size=20))
def test_iloss_agrees_with_a_loop_over_rows(rows):
    frame = pl.DataFrame(rows, schema=["m", "n", "m2", "n2", "a", "b", "c", "a2", "b2", "c2"], orient="row")
    x = frame.select("m", "n", "a", "b", "c")
    y = frame.select(pl.col(f"{name}2").alias(name) for name in x.columns)
    both = pair(table(x.to_dict(as_series=False)), table(y.to_dict(as_series=False)))
    losses = slow_iloss(x, y, ["m", "n"], ["a", "b", "c"])
    assert value("iloss", both) == max(losses)
    assert value("iloss", both, summary="mean") == pytest.approx(np.mean(losses))


# --- uniqrt ---


def test_halves_are_rounded_to_the_even_multiple():
    # 15 and 25 both become 20; 14 becomes 10 and 35 becomes 40.
    x = table({"age": [15, 25, 14, 35], "c": ["p"] * 4})
    both = pair(x, x)
    assert value("uniqrt", both) == 1
    assert value("uniqrt", both, rounding="age: 10") == 0.5
    assert value("uniqrt", both, columns="c") == 0


def test_unique_rows_are_divided_by_the_original_or_the_released_rows():
    x = table({"age": [1, 2, 3, 3], "c": ["p"] * 4})
    both = pair(x, x.take(np.array([0, 2])), [0, 2])
    assert value("uniqrt", both) == 0.5
    assert value("uniqrt", both, of="released") == 1


def test_two_missing_values_are_equal_when_rounded():
    x = table({"age": [None, None, 7.0]})
    assert value("uniqrt", pair(x, x), rounding="age: 10") == pytest.approx(1 / 3)


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


def smokers(no_0: int, no_1: int, yes_0: int, yes_1: int) -> Dataset:
    smokes = ["no"] * (no_0 + no_1) + ["yes"] * (yes_0 + yes_1)
    ill = [0] * no_0 + [1] * no_1 + [0] * yes_0 + [1] * yes_1
    return table({"smokes": smokes, "ill": ill}, sa=("ill",))


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


# --- In an audit ---


@pytest.mark.parametrize("name", NAMES)
def test_the_contract_is_kept_and_an_unchanged_survey_has_no_error(name):
    testing.check("measure", name)
    data = icefire.sample("survey", 400)
    best = value("k_min" if name == "uniqrt" else name, pair(data, data))
    assert name == "uniqrt" or best == 0


def test_they_run_only_where_they_are_asked_for():
    data = icefire.sample("survey", 300)
    usual = icefire.audit(data, data.frame, aligned=True, attacks=[]).scorecard
    assert not set(NAMES) & {*usual.measures, *usual.left_out}
    asked = icefire.audit(
        data,
        data.frame,
        aligned=True,
        attacks=[],
        parameters={"iloss": {"form": "sum"}},
        limits={"cor_max": 0.1},
    ).scorecard
    assert asked.measures["iloss"].value == 0
    assert asked.measures["cor_max"].value == 0
    assert set(NAMES) & set(asked.measures) == {"iloss", "cor_max"}
    named = icefire.audit(data, data.frame, aligned=True, attacks=[], measures=["or_max", "uniqrt"]).scorecard
    assert set(named.measures) == {"or_max", "uniqrt"}


def test_a_model_without_an_answer_is_a_note_in_the_scorecard():
    x = smokers(40, 10, 30, 20)
    y = x.frame.with_columns(ill=pl.when(pl.col("smokes") == "yes").then(0).otherwise("ill"))
    card = icefire.audit(x, y, aligned=True, attacks=[], measures=["or_max"]).scorecard
    assert card.measures["or_max"].value is None
    assert "perfect separation" in card.measures["or_max"].note

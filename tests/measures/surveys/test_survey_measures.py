"""Measures for surveys: the contest's printed values, and how they take part in an audit."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.survey_measures import CATEGORIES, KEY, MODEL, ROUNDING, TABLES, B, contest_data, pair, smokers, value

import icefire
from icefire import testing
from icefire.core import record_loss, roles
from icefire.core.dataset import Dataset
from icefire.core.registry import entries
from icefire.core.release import Case, Comparison, Truth
from icefire.measures.surveys import marginals, odds, uniqueness
from icefire.samples import survey

NAMES = sorted(entry.name for entry in entries("measure") if entry.explicit_only and ".surveys." in entry.module)


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

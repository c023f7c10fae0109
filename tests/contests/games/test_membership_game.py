"""Games that ask who is in the release."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.games import lines, numbers, originals, rows, table

import icefire
from icefire import contests
from icefire.contests.pwscup2021 import COLUMNS
from icefire.theory.membership import DELTA

SURVEY = {"rules": "pwscup2021"}


@pytest.fixture(scope="module")
def survey():
    known = icefire.sample("survey", 400).frame.select(COLUMNS)
    gone = np.sort(np.random.default_rng(2).permutation(400)[:70])
    kept = np.setdiff1d(np.arange(400), gone)
    return {
        "original.csv": table(known, False),
        "released.csv": table(known[kept], False),
        "correspondence.csv": lines(gone),
    }


@pytest.fixture
def asked(run, survey):
    taken, made = run("receive", survey, **SURVEY, seed=9)
    assert taken["problems"] == []
    assert taken["rows"] == 330
    return made


def right_answers(made) -> np.ndarray:
    place, question = numbers(made["truth.csv"]).T
    asked = np.flatnonzero(question >= 0)
    return place[asked[np.argsort(question[asked])]]


def test_fifty_members_and_fifty_deleted_records_are_asked_about(survey, asked):
    assert sorted(asked) == ["released.csv", "targets.csv", "truth.csv"]
    records, shown, truth = rows(asked["targets.csv"]), rows(asked["released.csv"]), right_answers(asked)
    assert len(records) == len(truth) == 100
    assert (truth >= 0).sum() == 50
    for record, row in zip(records, truth, strict=True):
        assert row < 0 or shown[row] == record  # nothing was changed but the order
    assert sorted(shown) == sorted(rows(survey["released.csv"]))
    assert shown != rows(survey["released.csv"])
    outside = [record for record, row in zip(records, truth, strict=True) if row < 0]
    deleted = {rows(survey["original.csv"])[int(row)] for row in survey["correspondence.csv"].split()}
    assert set(outside) <= deleted


def test_the_release_is_asked_about_with_every_membership_attack(run, survey, asked):
    game = contests.get("pwscup2021").play()
    found, _ = run("judge", originals(survey) | asked, **SURVEY, seed=1)
    assert tuple(found["measures"]) == game.measures
    assert tuple(found["attacks"]) == game.attacks
    assert game.utilities == ()
    assert game.fire_rule == "best_three"
    assert found["measures"]["iloss"]["value"] == 0
    everybody = found["attacks"]["all_members"]
    assert (everybody["hits"], everybody["targets"]) == (50, 50)
    assert everybody["rate"] == pytest.approx((1 + DELTA) * (0.5 + DELTA) * (1 + DELTA))
    assert found["broken"][0].startswith("uniqrt is above 0.5")


def test_the_limits_are_the_contests_and_the_organiser_may_change_them(run, survey, asked):
    changed = pl.read_csv(asked["released.csv"], has_header=False, new_columns=COLUMNS)
    changed = changed.with_columns(pl.col("age") + pl.when(pl.col("age") < 70).then(5).otherwise(-5))
    given = originals(survey) | asked | {"released.csv": table(changed, False)}
    found, _ = run("judge", given, **SURVEY, seed=1)
    assert "iloss is above 4, the largest value that is allowed" in found["broken"]
    loose = {"iloss": 6, "uniqrt": 1, "rate_max": 1, "or_max": 1e9, "cor_max": 2}
    found, _ = run("judge", given, **SURVEY, seed=1, limits=loose)
    assert found["broken"] == []


def test_answers_are_scored_as_in_the_final_round(run, survey, asked):
    truth = right_answers(asked)
    sure = np.stack([truth, np.full(100, -1), np.full(100, -1)], axis=1)
    given = originals(survey) | {"truth.csv": asked["truth.csv"]}
    scored, _ = run("guess", given | {"guess.csv": lines(sure)}, **SURVEY, targets=330)
    assert scored == {"problems": [], "hits": 50, "targets": 50, "rate": pytest.approx((1 + DELTA) ** 3)}
    nobody, _ = run("guess", given | {"guess.csv": lines([-1] * 100)}, **SURVEY, targets=330)
    assert (nobody["hits"], nobody["rate"]) == (0, pytest.approx(DELTA**3))
    third = np.where(truth[:, None] < 0, 0, np.stack([(truth + 1) % 330, (truth + 2) % 330, truth], axis=1))
    found, _ = run("guess", given | {"guess.csv": lines(third)}, **SURVEY, targets=330)
    assert (found["hits"], found["rate"]) == (50, pytest.approx((1 + DELTA) * (0.5 + DELTA) * (1 + DELTA)))


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([-1] * 99, "guess.csv: 99 rows; 100 are asked for"),
        ([330, *[-1] * 99], "'330' is not allowed; a whole number from -1 to 329"),
        ([(0, 1, 2, 3)] * 100, "row 0: 4 columns; 3 are needed"),
        ([(-1, 5), *[(0, 1)] * 99], "row 0: the first answer is -1"),
        ([(0, 1), (0, 1, 2), *[(0, 1)] * 98], "row 1: 3 columns; 2 are needed"),
    ],
)
def test_wrong_answers_about_members_are_named(run, survey, answers, said):
    files = originals(survey) | {"guess.csv": lines(answers)}
    found, _ = run("guess", files, **SURVEY, targets=330, check_only=True)
    assert said in found["problems"][0]


def test_the_reference_of_a_survey_deletes_only_what_it_must(run, survey):
    found, _ = run("reference", originals(survey), **SURVEY, seed=1)
    assert found["measures"]["iloss"]["value"] == 0
    assert found["attacks"]["all_members"]["hits"] == 50

"""The joint attacks are among the sample attacks of the judge, unless the organiser switches them off."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.games import lines, table

import icefire
from icefire import contests
from icefire.arena.contest import definition as definitions
from icefire.contests.common.contest import Contest

HOUSEHOLDS = {"rules": "pwscup2015", "seed": 1}


def _judged(run, original: pl.DataFrame, released: pl.DataFrame, truth: np.ndarray, **options: bool):
    files = {"original.csv": table(original), "released.csv": table(released), "truth.csv": lines(truth)}
    return run("judge", files, **HOUSEHOLDS, **options)[0]


@pytest.mark.parametrize(
    ("rules", "name"), [("pwscup2015", "link"), ("pwscup2021", "exchanged_rows"), ("pwscup2021", "scattered_rows")]
)
def test_every_contest_has_them_unless_they_are_switched_off(rules: str, name: str) -> None:
    contest = contests.get(rules)
    without = contest.play(joint_attacks=False).attacks
    assert name in contest.play().attacks
    assert name not in without
    assert set(without) < set(contest.play().attacks)


def test_a_contest_may_rule_them_out_itself() -> None:
    contest = contests.get("pwscup2015")
    own = Contest(**{name: getattr(contest, name) for name in Contest.__slots__} | {"joint_attacks": False})
    assert "link" not in own.play(joint_attacks=True).attacks


def test_the_judge_runs_link_and_aya_counts_it(run) -> None:
    original = icefire.sample("households", 300)
    recipe = {"seed": 3, "step": [{"method": "pram", "keep": 0.5}, {"method": "rank_swap", "p": 20}]}
    release = icefire.anonymize(original, recipe)
    tables = (original.frame, release.released.frame, release.truth.rows)
    with_link, without = (_judged(run, *tables, joint_attacks=wanted) for wanted in (True, False))
    assert "link" not in without["attacks"]
    others = max(score["rate"] for name, score in with_link["attacks"].items() if name != "link")
    assert with_link["attacks"]["link"]["rate"] > others
    assert with_link["aya"]["rate"] >= with_link["attacks"]["link"]["rate"] > without["aya"]["rate"]
    assert with_link["measures"] == without["measures"]


def test_a_definition_without_the_setting_has_it_on() -> None:
    text = 'title = "Cup"\nrules = "pwscup2015"\n'
    assert definitions.parse(text).task_options()["joint_attacks"] is True
    assert definitions.parse(text + "joint_attacks = false\n").task_options()["joint_attacks"] is False

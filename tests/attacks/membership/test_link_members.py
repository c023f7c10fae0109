"""The attack link_members: who is in a release whose rows still stand for people, changed or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.audit import judge
from icefire.core import membership, registry, seeds
from icefire.core.dataset import Dataset
from icefire.core.membership import Draw, MembershipCase
from icefire.core.release import Case, Comparison, Guess, Truth
from icefire.core.scorecard.scores import Membership


@pytest.fixture(scope="module")
def survey() -> Dataset:
    return icefire.sample("survey", 900)


def attacked(case: MembershipCase) -> Guess:
    entry = registry.get("attack", "link_members")
    guess: Guess = entry.function(case, rng=seeds.generator(1, "link_members"), **entry.bind({}))
    return guess.checked(case.targets, case.choices)


def scored(survey: Dataset, *steps: dict[str, Any]) -> tuple[Membership, Guess, Truth]:
    release = icefire.anonymize(survey, {"step": [{"method": "delete", "share": 0.4}, *steps]})
    comparison = Comparison(Case(survey, release.released), release.truth)
    case, truth = membership.sample(comparison, Draw(150, 150), np.random.default_rng(1))
    guess = attacked(case)
    return judge.membership(truth, guess), guess, truth


@pytest.mark.parametrize(
    ("steps", "advantage", "named"),
    [
        ([], 0.9, 0.95),
        ([{"method": "noise", "columns": ["age", "bmi"], "scale": 0.1}], 0.8, 0.9),
        ([{"method": "round_values", "columns": ["age", "bmi"], "base": 5.0}], 0.2, 0.5),
    ],
    ids=["unchanged", "noise", "rounded"],
)
def test_members_are_told_and_their_rows_named(
    survey: Dataset, steps: list[dict[str, Any]], advantage: float, named: float
) -> None:
    score, guess, truth = scored(survey, *steps)
    assert score.advantage > advantage
    assert score.top_k > named
    assert guess.scores is not None
    assert guess.scores.mean() == pytest.approx(0.5, abs=0.1)
    assert np.mean((guess.scores - (truth.rows >= 0)) ** 2) < 0.25


def test_of_a_synthetic_release_nobody_is_said_to_be_more_probably_a_member_than_others(survey: Dataset) -> None:
    _, guess, truth = scored(survey, {"method": "synthesize"})
    assert guess.scores is not None
    assert np.mean((guess.scores - (truth.rows >= 0)) ** 2) < 0.28


def test_generalised_labels_are_read(survey: Dataset) -> None:
    coarse = survey.frame.with_columns(
        pl.format("{}-{}", pl.col("age").cast(int) // 5 * 5, pl.col("age").cast(int) // 5 * 5 + 4).alias("age")
    )
    kept = np.sort(np.random.default_rng(2).permutation(900)[:600])
    released = icefire.read(coarse[kept], qi=survey.qi, sa=survey.sa)
    comparison = Comparison(Case(survey, released), Truth(kept))
    case, truth = membership.sample(comparison, Draw(150, 150), np.random.default_rng(1))
    score = judge.membership(truth, attacked(case))
    assert score.top_k > 0.8
    assert score.advantage > 0.6


def test_links_that_are_all_but_sure_are_told_apart_by_how_well_rows_fit():
    """A few people outside who are linked as surely as members must not hide all members."""
    data = icefire.sample("households", rows=400, seed=1)
    frame = data.frame.select(*data.qi, "food", "housing", "tuition")
    people = icefire.read(frame, qi=data.qi, sa=("food", "housing", "tuition"))
    steps = [{"method": "delete", "share": 0.2}, {"method": "rank_swap", "p": 20}]
    release = icefire.anonymize(people, {"step": steps}, seed=1)
    asked = icefire.audit(people, release, attacks=["link_members"], ask=("membership",), measures=["k_min"], seed=1)
    assert asked.scorecard.membership.attacks["link_members"].tpr_at_fpr["0.01"] > 0.8

"""The gate for surveys where membership is asked: releases that must not pass, and releases that must."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.gate import assert_not_passed, assert_passed

import icefire
from icefire.core.scorecard import Limit, Verdict

ROWS = 900
CONTEST = {"numbers": ["age", "bmi"], "categories": ["gen", "race", "edu", "mar", "dep", "pir", "qm", "dia"]}
Audited = tuple[Verdict, list[Limit]]


def survey(rows: int = ROWS) -> Any:
    return icefire.sample("survey", rows, seed=3)


def clinic(rows: int = ROWS) -> Any:
    """Patients with few columns, as a clinic would hold them; another table than the survey."""
    rng = np.random.default_rng(8)
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "ward": rng.choice([f"ward {letter}" for letter in "abcde"], rows),
            "days": rng.geometric(0.2, rows),
            "cost": np.round(np.exp(rng.normal(7, 1, rows)), 2),
        }
    )
    return icefire.read(frame, qi=("age", "ward"), sa=("days", "cost"))


def by_recipe(data: Any, *steps: dict[str, Any], share: float = 0.4, **options: Any) -> Audited:
    release = icefire.anonymize(data, {"step": [{"method": "delete", "share": share}, *steps]})
    return audited(data, release, **options)


def audited(data: Any, released: Any, **options: Any) -> Audited:
    card = icefire.audit(data, released, **{"ask": ["membership"], "measures": ["k_min"], **options}).scorecard
    return card.verdict, card.limits


def by_file(data: Any, change: Callable[[pl.DataFrame], pl.DataFrame], **options: Any) -> Audited:
    """Audit a release that another program made: six in ten people, changed."""
    kept = np.sort(np.random.default_rng(4).permutation(data.height)[: int(0.6 * data.height)])
    return audited(data, change(data.frame[kept]), truth=kept, qi=data.qi, sa=data.sa, **options)


def shuffled(table: pl.DataFrame, names: list[str] | None = None) -> pl.DataFrame:
    rng = np.random.default_rng(7)
    return table.with_columns(table[name].gather(rng.permutation(table.height)) for name in names or table.columns)


SYNTHETIC = {"method": "synthesize"}
SWAPPED = {"method": "swap_rows", **CONTEST}

MUST_NOT_PASS: dict[str, tuple[str, Callable[[], Audited]]] = {
    "a random part of the survey, unchanged": ("limit", lambda: by_recipe(survey())),
    "a part of the survey with a little noise": (
        "limit",
        lambda: by_recipe(survey(), {"method": "noise", "columns": ["age", "bmi"], "scale": 0.05}),
    ),
    "a part of the clinic, costs rounded": (
        "limit",
        lambda: by_recipe(clinic(), {"method": "round_values", "columns": ["cost"], "base": 10.0}),
    ),
    "rows swapped within a limit after some were left out: their values are gone as well": (
        "limit",
        lambda: by_recipe(survey(), SWAPPED),
    ),
    "rows scattered: every released row is somebody's, word for word": (
        "verbatim",
        lambda: audited(survey(), icefire.anonymize(survey(), {"step": [{"method": "scatter_rows", **CONTEST}]})),
    ),
    "a declared identifier stays in the release": (
        "identifier",
        lambda: audited(
            clinic().frame.with_columns(patient=pl.int_range(ROWS) + 7000),
            shuffled(clinic().frame).with_columns(patient=pl.int_range(ROWS) + 7000)[:600],
            truth=np.arange(600),
            qi=("age", "ward"),
            sa=("days", "cost"),
            ids=("patient",),
        ),
    ),
    "a new column that no attack looked at": (
        "not_assessed",
        lambda: by_file(clinic(), lambda rows: shuffled(rows).with_columns(code=pl.int_range(rows.height) % 9)),
    ),
    "a limit on membership, but only attacks that look for the nearest row": (
        "not_assessed",
        lambda: by_recipe(survey(), SYNTHETIC, attacks=["link", "rlink"], limits={"membership_tpr": 0.3}, max_reid=0.3),
    ),
    "a limit on the danger, but no attack on membership": (
        "limit",
        lambda: by_recipe(survey(), SYNTHETIC, attacks=["link"], limits={"danger": 0.9}, max_reid=0.3),
    ),
    "too few people asked about to say that a limit holds": (
        "limit",
        lambda: by_recipe(survey(), SYNTHETIC, members=15, outsiders=15),
    ),
    "a limit on a regression that has no value": (
        "limit",
        lambda: by_recipe(
            survey(),
            {"method": "unify", "columns": ["gen", "race", "edu", "mar", "qm", "dep", "pir", "dia", "age", "bmi"]},
            measures=["or_max"],
            limits={"or_max": 0.5},
            max_reid=0.3,
        ),
    ),
    "rows of the survey called those of other people": (
        "correspondence",
        lambda: audited(
            survey(), survey().frame[:600], truth=np.roll(np.arange(600), 1), qi=survey().qi, sa=survey().sa
        ),
    ),
}

MUST_PASS: dict[str, Callable[[], Audited]] = {
    "a synthetic survey made from a part of the people": lambda: by_recipe(survey(), SYNTHETIC),
    "a synthetic clinic made from a part of the people": lambda: by_recipe(clinic(), SYNTHETIC),
    "every column of a part of the clinic shuffled by itself": lambda: by_file(clinic(), shuffled),
    "a survey of constants": lambda: by_file(
        survey(), lambda rows: rows.with_columns(pl.col(name).first() for name in rows.columns)
    ),
    "classes of twenty of a part of the clinic, averaged": lambda: by_recipe(
        clinic(), {"method": "k_anonymize", "k": 20}, {"method": "average"}
    ),
}


@pytest.mark.parametrize("release", MUST_NOT_PASS)
def test_a_survey_that_can_be_broken_does_not_pass(release: str) -> None:
    code, audit = MUST_NOT_PASS[release]
    assert_not_passed(audit()[0], code)


@pytest.mark.parametrize("release", MUST_PASS)
def test_a_survey_that_holds_passes(release: str) -> None:
    assert_passed(MUST_PASS[release]()[0])


def test_shares_of_a_sample_are_compared_by_the_upper_end_of_their_interval() -> None:
    options = {"attacks": ["link", "link_members"], "max_reid": 0.9}
    _, limits = by_recipe(clinic(), SYNTHETIC, limits={"membership_tpr": 0.5}, **options)
    share = next(limit for limit in limits if limit.name == "membership_tpr")
    assert share.passed
    assert share.interval is not None
    assert share.value is not None
    low, high = share.interval
    assert low <= share.value < high
    between = (share.value + high) / 2
    verdict, limits = by_recipe(clinic(), SYNTHETIC, limits={"membership_tpr": between}, **options)
    assert_not_passed(verdict, "limit")
    assert "95 % interval" in verdict.text
    assert next(reason for reason in verdict.reasons if reason.code == "limit").evidence["interval"] == share.interval
    complete = next(limit for limit in limits if limit.name == "reid")
    assert complete.interval is None


def test_the_policy_limits_membership_only_where_it_is_asked() -> None:
    release = icefire.anonymize(clinic(), {"step": [{"method": "delete", "share": 0.4}, SYNTHETIC]})
    for ask, named in ((["origin"], False), (["membership"], True)):
        card = icefire.audit(clinic(), release, ask=ask, measures=["U6"], policy="trusted").scorecard
        assert ("membership_tpr" in [limit.name for limit in card.limits]) == named

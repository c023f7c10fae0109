"""The gate for synthetic tables: releases that must not pass, and releases that must."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from support.gate import assert_not_passed, assert_passed
from support.synthetic_tables import ROLES, drawn_and_changed, gaussian_copula, noisy, population

import icefire
from icefire.core.scorecard import Verdict

PEOPLE, OTHERS = population(450, 1), population(400, 2)
COPULA = gaussian_copula(PEOPLE, 450, 3)
SYNTHESIZED = {"step": [{"method": "synthesize"}]}


def audited(released: Any, original: Any = PEOPLE, holdout: Any = OTHERS, **options: Any) -> Verdict:
    return icefire.audit(original, released, synthetic=True, holdout=holdout, **{**ROLES, **options}).scorecard.verdict


def with_copies(share: float) -> pl.DataFrame:
    copied = int(share * COPULA.height)
    return pl.concat([COPULA[copied:], PEOPLE[:copied].cast(COPULA.schema)])


def exact_values() -> pl.DataFrame:
    """Every column drawn anew from the values of people: no row is anybody's, the amounts are."""
    return PEOPLE.select(
        pl.all().map_batches(lambda column: column.sample(len(column), shuffle=True, seed=len(column.name)))
    )


def rare_copied() -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Many people; a release that holds the half of its rare people nearly as they are, and nobody else."""
    people, others = population(1500, 1), population(1500, 2)
    far = people.sort("income", descending=True)[:75]
    return people, others, pl.concat([gaussian_copula(people, 1425, 3), noisy(far, 0.02).cast(COPULA.schema)])


MUST_NOT_PASS: dict[str, tuple[str, str, Callable[[], Verdict]]] = {
    "the original itself": (
        "verbatim",
        "is the original itself",
        lambda: audited(PEOPLE.sample(450, shuffle=True, seed=1)),
    ),
    "some of the people": ("verbatim", "copies of one person", lambda: audited(PEOPLE[:60])),
    "a copula with a tenth of the rows copied": (
        "verbatim",
        "45 of them word for word",
        lambda: audited(with_copies(0.1)),
    ),
    "a tenth of the people among four times as many rows": (
        "verbatim",
        "of the people of the original the release has a copy",
        lambda: audited(pl.concat([gaussian_copula(PEOPLE, 1800, 8), PEOPLE[:45].cast(COPULA.schema)])),
    ),
    "copies with a little noise": ("verbatim", "0 of them word for word", lambda: audited(noisy(PEOPLE, 0.01))),
    "copies with more noise, as often again": (
        "limit",
        "members recognised",
        lambda: audited(pl.concat([noisy(PEOPLE, 0.1), noisy(PEOPLE, 0.1, 6)])),
    ),
    "people drawn with replacement, a third of the cells changed": (
        "limit",
        "by row_likelihood",
        lambda: audited(drawn_and_changed(PEOPLE, 0.3)),
    ),
    "amounts to the cent drawn from those of people": ("limit", "income (", lambda: audited(exact_values())),
    "a copula without a hold-out": ("not_assessed", "--holdout", lambda: audited(COPULA, holdout=None)),
    "a hold-out too small": ("not_assessed", "at least 100", lambda: audited(COPULA, holdout=OTHERS[:60])),
    "the release was made from the hold-out": (
        "not_assessed",
        "nearer to the release",
        lambda: audited(noisy(OTHERS, 0.1)),
    ),
    "a new column": (
        "not_assessed",
        "look at score",
        lambda: audited(COPULA.with_columns(pl.Series("score", range(450)))),
    ),
    "only the weakest attack": ("not_assessed", "dcr did not run", lambda: audited(COPULA, attacks=["identical"])),
    "copies in other units": (
        "limit",
        "members recognised",
        lambda: audited(PEOPLE.with_columns(pl.col("income") / 100, pl.col("rent") * 10, pl.col("weight") * 2.2)),
    ),
    "ages in groups, which the original does not have": (
        "not_assessed",
        "values of age",
        lambda: audited(COPULA.with_columns(age=(pl.col("age") // 10 * 10).cast(pl.String) + " or more")),
    ),
    "a policy without a limit on membership": (
        "not_assessed",
        "Nothing limits",
        lambda: audited(COPULA, policy=Path(__file__).parent / "origin_only.toml"),
    ),
    "names of people": (
        "identifier",
        "'name'",
        lambda: audited(
            COPULA.with_columns(pl.Series("name", [f"Person {row}" for row in range(450)])),
            original=PEOPLE.with_columns(pl.Series("name", [f"Person {row}" for row in range(450)])),
            ids=("name",),
        ),
    ),
    "copies called what a recipe makes": (
        "not_assessed",
        "made in another way",
        lambda: audited(noisy(PEOPLE, 0.1), holdout=None, recipe=SYNTHESIZED),
    ),
    "a recipe that adds a little noise": (
        "limit",
        "members recognised",
        lambda: audited(noisy(PEOPLE, 0.1), holdout=None, recipe={"step": [{"method": "noise", "scale": 0.05}]}),
    ),
}

MUST_PASS: dict[str, Callable[[], Verdict]] = {
    "a Gaussian copula": lambda: audited(COPULA),
    "three times as many rows": lambda: audited(gaussian_copula(PEOPLE, 1350, 4)),
    "a few rows": lambda: audited(COPULA[:40]),
    "other order of columns, one not released": lambda: audited(COPULA.select("rent", "sex", "age", "town", "income")),
    "a constant column": lambda: audited(
        COPULA.with_columns(year=pl.lit(2020)),
        original=PEOPLE.with_columns(year=pl.lit(2020)),
        holdout=OTHERS.with_columns(year=pl.lit(2020)),
    ),
    "the method synthesize": lambda: audited(
        icefire.anonymize(icefire.read(PEOPLE, **ROLES), SYNTHESIZED).released.frame
    ),
    "the method synthesize by its recipe": lambda: audited(
        icefire.anonymize(icefire.read(PEOPLE, **ROLES), SYNTHESIZED), holdout=None
    ),
    "a copula, the attacker knows more people": lambda: audited(COPULA, background=population(300, 9)),
}


@pytest.mark.parametrize("name", MUST_NOT_PASS)
def test_it_must_not_pass(name: str) -> None:
    code, words, judged = MUST_NOT_PASS[name]
    verdict = judged()
    assert_not_passed(verdict, code)
    assert words in verdict.text, verdict.text


@pytest.mark.parametrize("name", MUST_PASS)
def test_it_must_pass(name: str) -> None:
    assert_passed(MUST_PASS[name]())


def test_rare_people_remembered_alone_block_a_release() -> None:
    people, others, released = rare_copied()
    verdict = audited(released, people, others)
    assert_not_passed(verdict, "limit")
    assert "Of the rare people" in verdict.text

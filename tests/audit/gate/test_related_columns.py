"""The gate for released columns that follow from others than the one of their name."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.gate import assert_not_passed, assert_passed
from support.gate_tables import QI, SA, STAFF, judge, noisy, shuffled, staff

PEOPLE = 160
AMOUNTS = staff(rows=PEOPLE).select(SA).to_numpy().astype(float)
STANDARD = (AMOUNTS - AMOUNTS.mean(axis=0)) / AMOUNTS.std(axis=0)
RNG = np.random.default_rng(21)


def few() -> pl.DataFrame:
    return staff(rows=PEOPLE)


def judged(released: pl.DataFrame) -> Any:
    return judge(few(), released, attacks=["link"], measures=["U6"], **STAFF)


def under_other_headers(scale: float) -> pl.DataFrame:
    """Every amount under the name of the next one, with noise, quasi-identifiers shuffled."""
    table = noisy(shuffled(few(), QI), scale)
    return table.rename(dict(zip(SA, (*SA[1:], SA[0]), strict=True))).select(few().columns)


def combined(weights: Any, noise: float = 0.05) -> pl.DataFrame:
    """Amounts replaced by weighted sums of all of them, with noise, quasi-identifiers shuffled."""
    values = STANDARD @ weights + RNG.normal(0, noise, (PEOPLE, len(SA)))
    return shuffled(few(), QI).with_columns(pl.Series(name, values[:, place]) for place, name in enumerate(SA))


def of_two(sign: float) -> Any:
    """Weights of every amount and the next one."""
    return np.eye(len(SA)) + sign * np.roll(np.eye(len(SA)), 1, axis=0)


def multiplied() -> pl.DataFrame:
    """Every amount less the mean, times the next one less its mean: no sum, and no order is left."""
    values = STANDARD * np.roll(STANDARD, 1, axis=1)
    return shuffled(few(), QI).with_columns(pl.Series(name, values[:, place]) for place, name in enumerate(SA))


def places(distances: bool) -> pl.DataFrame:
    """Homes and work places by coordinates, or their distances from four points nobody else knows."""
    rng = np.random.default_rng(12)
    points, secret = rng.normal(0, 1, (PEOPLE, 4)), np.array([[2.0, 1], [-1, 0.5], [0.3, -2], [1, 1]])
    if distances:
        pairs = [points[:, :2] - secret[0], points[:, :2] - secret[1], points[:, 2:] - secret[2], points[:, 2:] - 1.0]
        points = np.column_stack([np.hypot(*pair.T) for pair in pairs]).round(3)
    return few().select("sex", "job").with_columns(pl.Series(f"c{at}", points[:, at]) for at in range(4))


def marks(mixed: bool) -> pl.DataFrame:
    """Marks in nine subjects beside two categories; if mixed, each pupil has the own marks in other subjects."""
    rng = np.random.default_rng(13)
    given = np.clip(np.round(5 + 1.6 * rng.normal(0, 1, (PEOPLE, 1)) + 2 * rng.normal(0, 1, (PEOPLE, 9))), 1, 12)
    given = rng.permuted(given, axis=1) if mixed else given
    return few().select("sex", "job").with_columns(pl.Series(f"m{at}", given[:, at].astype(int)) for at in range(9))


def dates(moved: int = 0, blank: float = 0.0) -> pl.DataFrame:
    """One date of everybody beside two categories; some are missing."""
    rng = np.random.default_rng(6)
    days = rng.integers(0, 20_000, PEOPLE)
    born = [(date(1950, 1, 1) + timedelta(int(d) + moved)).isoformat() for d in days]
    lost = np.random.default_rng(9).random(PEOPLE) < blank
    table = few().select("sex", "job").with_columns(born=pl.Series(born))
    return table.with_columns(pl.when(pl.Series(lost)).then(None).otherwise(pl.col("born")).alias("born"))


PRINCIPAL = np.linalg.eigh(np.cov(STANDARD.T))

MUST_NOT_PASS: dict[str, Any] = {
    "amounts under the headers of others, with much noise": lambda: judged(under_other_headers(0.2)),
    "differences of amounts": lambda: judged(combined(of_two(-1.0))),
    "principal components of the amounts": lambda: judged(combined(PRINCIPAL[1])),
    "amounts made uncorrelated": lambda: judged(combined(PRINCIPAL[1] / np.sqrt(PRINCIPAL[0]))),
    "products of amounts less their means": lambda: judged(multiplied()),
    "distances from secret points instead of coordinates": lambda: judge(
        places(distances=False), shuffled(places(distances=True), ("sex", "job")), qi=("sex", "job"), attacks=["link"]
    ),
    "marks of each pupil in other columns": lambda: judge(
        marks(mixed=False), shuffled(marks(mixed=True), ("sex", "job")), qi=("sex", "job"), attacks=["link"]
    ),
    "ratios of amounts": lambda: judged(
        shuffled(few(), QI).with_columns(
            (pl.col(one) / pl.col(other)).alias(one) for one, other in zip(SA, (*SA[1:], SA[0]), strict=True)
        )
    ),
    "one date, moved and partly blank, all else shuffled": lambda: judge(
        dates(blank=0.1), shuffled(dates(137, blank=0.3), ("sex", "job")), qi=("sex", "job"), attacks=["link"]
    ),
}

MUST_PASS: dict[str, Any] = {
    "amounts under the headers of others, every column shuffled": lambda: judged(shuffled(under_other_headers(0.0))),
    "products of amounts of different people": lambda: judged(shuffled(multiplied())),
    "marks of different pupils": lambda: judge(
        marks(mixed=False), shuffled(marks(mixed=True)), qi=("sex", "job"), attacks=["link"]
    ),
    "sums of amounts of different people": lambda: judged(shuffled(combined(of_two(1.0)))),
    "noise that leaves nothing": lambda: judged(noisy(shuffled(few(), QI), 20.0)),
}


@pytest.mark.parametrize("release", MUST_NOT_PASS)
def test_columns_that_follow_from_others_do_not_pass(release: str) -> None:
    assert_not_passed(MUST_NOT_PASS[release]())


@pytest.mark.parametrize("release", MUST_PASS)
def test_columns_that_follow_from_nothing_pass(release: str) -> None:
    assert_passed(MUST_PASS[release]())


def test_the_reason_says_what_an_informed_attacker_finds_and_by_which_columns() -> None:
    verdict = judged(combined(of_two(-1.0)))
    (reason,) = verdict.reasons
    assert reason.code == "not_assessed"
    assert reason.evidence["share"] > 0.5
    assert set(reason.evidence["columns"]) <= set(SA)
    assert "knows how the columns were made" in reason.text

"""The gate on tables of other kinds: events with dates, sensors, answers without numbers, accounts of firms."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.gate import assert_not_passed, assert_passed
from support.gate_tables import judge, noisy, shuffled

ROWS = 240
SENSORS: dict[str, Any] = {"qi": ("s0", "s1", "s2"), "sa": tuple(f"s{i}" for i in range(3, 9))}
ANSWERS: dict[str, Any] = {"qi": tuple(f"q{i}" for i in range(7)), "sa": tuple(f"q{i}" for i in range(7, 14))}
EVENTS: dict[str, Any] = {"qi": ("region", "applied", "seen"), "sa": ("decided", "closed")}
FIRMS: dict[str, Any] = {"qi": ("staff", "years"), "sa": ("turnover", "assets", "debt", "tax")}
SIZES = (2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 12)


def sensors() -> pl.DataFrame:
    """Nine readings that three causes move, each in a unit of its own."""
    rng = np.random.default_rng(14)
    readings = rng.normal(0, 1, (ROWS, 3)) @ rng.normal(0, 1, (3, 9)) + rng.normal(0, 0.8, (ROWS, 9))
    units = 10.0 ** rng.uniform(-1, 3, 9)
    return pl.DataFrame({f"s{i}": (units[i] * (5 + readings[:, i])).round(4) for i in range(9)})


def answers() -> pl.DataFrame:
    """Fourteen questions with two to twelve answers, no number among them."""
    rng = np.random.default_rng(15)
    kind = rng.integers(0, 3, ROWS)
    shares = [rng.dirichlet(np.full(size, 1.5), 3) for size in SIZES]
    return pl.DataFrame(
        {f"q{i}": [f"{chr(97 + rng.choice(len(p[k]), p=p[k]))}{i}" for k in kind] for i, p in enumerate(shares)}
    )


def events() -> pl.DataFrame:
    """Four dates one after the other."""
    rng = np.random.default_rng(17)
    days = np.cumsum([rng.integers(0, 1500, ROWS), *(rng.gamma(2, scale, ROWS) for scale in (10, 30, 100))], axis=0)
    dates = [[date(2019, 1, 1) + timedelta(int(day)) for day in row] for row in days]
    names = ("applied", "seen", "decided", "closed")
    return pl.DataFrame({"region": rng.choice(list("NESW"), ROWS), **dict(zip(names, dates, strict=True))})


def firms() -> pl.DataFrame:
    """Amounts over several powers of ten."""
    rng = np.random.default_rng(16)
    size = rng.lognormal(8, 1, ROWS)
    spread = {"turnover": 0.0, "assets": 0.7, "debt": 1.0, "tax": 0.3}
    amounts = {name: (size * rng.lognormal(0, wide, ROWS)).round(0) for name, wide in spread.items()}
    return pl.DataFrame(
        {"staff": np.maximum(1, size / 4000).round(0), "years": rng.gamma(3, 6, ROWS).round(0), **amounts}
    )


def redrawn(table: pl.DataFrame, keep: float, seed: int = 4) -> pl.DataFrame:
    """Every answer kept with a chance, otherwise that of anybody."""
    rng = np.random.default_rng(seed)
    others = table.select(pl.Series(n, table[n].gather(rng.integers(0, ROWS, ROWS))) for n in table.columns)
    kept = {name: pl.Series(rng.random(ROWS) < keep) for name in table.columns}
    return table.with_columns(pl.when(kept[name]).then(table[name]).otherwise(others[name]) for name in table.columns)


def averaged(table: pl.DataFrame, size: int) -> pl.DataFrame:
    """Numbers averaged over groups of people who are alike in the first principal direction."""
    values = table.to_numpy().astype(float)
    scaled = (values - values.mean(axis=0)) / values.std(axis=0)
    order = np.argsort(scaled @ np.linalg.svd(scaled, full_matrices=False)[2][0])
    group = np.empty(ROWS, np.int64)
    group[order] = np.arange(ROWS) // size
    return table.with_columns(pl.all().mean().over(pl.Series("group", group)).round(3))


def moved_in_time(table: pl.DataFrame) -> pl.DataFrame:
    """All dates of a person moved by one number of days, another for everybody."""
    days = pl.Series(np.random.default_rng(3).integers(-700, 700, ROWS))
    return table.with_columns(pl.col(pl.Date) + pl.duration(days=days))


def wards() -> pl.DataFrame:
    """Twelve wards of twenty patients; all patients of a ward have the same illness."""
    ward = np.repeat(np.arange(12), 20)
    illness = pl.Series(["flu", "asthma", "cancer", "measles"]).gather(ward % 4)
    return pl.DataFrame(
        {"age": 20 + 5 * (ward // 2), "sex": pl.Series(["f", "m"]).gather(ward % 2), "illness": illness}
    )


def mixed_wards() -> pl.DataFrame:
    """The same people in one ward of each sex, with illnesses that do not depend on it."""
    return wards().with_columns(age=pl.lit(40), illness=pl.col("illness").shuffle(3))


MUST_NOT_PASS: dict[str, Any] = {
    "one illness in each class, of which no role is said": lambda: judge(wards(), wards(), qi=("age", "sex")),
    "the illness under another name": lambda: judge(
        wards(), wards().rename({"illness": "kind"}), qi=("age", "sex"), sa=("illness",)
    ),
    "the illness withheld, and a copy of it of which no role is said": lambda: judge(
        wards().with_columns(kind="illness"),
        wards().rename({"illness": "kind"}),
        qi=("age", "sex"),
        sa=("illness",),
    ),
    "sensors with noise of half a deviation": lambda: judge(
        sensors(), noisy(sensors(), 0.5, sensors().columns), **SENSORS
    ),
    "sensors as cube roots, three of them shuffled": lambda: judge(
        sensors(), shuffled(sensors(), SENSORS["qi"]).with_columns(pl.col(SENSORS["sa"]).cbrt()), **SENSORS
    ),
    "answers, four of ten drawn anew": lambda: judge(answers(), redrawn(answers(), 0.6), **ANSWERS),
    "answers, one half shuffled and one of ten drawn anew": lambda: judge(
        answers(), redrawn(shuffled(answers(), ANSWERS["qi"]), 0.9), **ANSWERS
    ),
    "dates cut to months": lambda: judge(
        events(), events().with_columns(pl.col(pl.Date).dt.strftime("%Y-%m")), **EVENTS
    ),
    "dates moved by a secret number of days for each person": lambda: judge(
        events(), moved_in_time(events()), **EVENTS
    ),
    "amounts with two significant digits": lambda: judge(
        firms(), firms().with_columns(pl.all().round_sig_figs(2)), **FIRMS
    ),
    "logarithms of amounts with noise": lambda: judge(
        firms(), noisy(firms().with_columns(pl.all().log1p()), 0.1, firms().columns), **FIRMS
    ),
}

MUST_PASS: dict[str, Any] = {
    "large classes with all illnesses, of which no role is said": lambda: judge(
        mixed_wards(), mixed_wards(), qi=("age", "sex")
    ),
    "large classes, the illness withheld": lambda: judge(
        wards(), wards().drop("illness"), qi=("age", "sex"), sa=("illness",)
    ),
    "sensors shuffled": lambda: judge(sensors(), shuffled(sensors()), **SENSORS),
    "sensors with noise of six deviations": lambda: judge(sensors(), noisy(sensors(), 6, sensors().columns), **SENSORS),
    "sensors averaged over forty people": lambda: judge(sensors(), averaged(sensors(), 40), **SENSORS),
    "answers, nine of ten drawn anew": lambda: judge(answers(), redrawn(answers(), 0.1), **ANSWERS),
    "two answers of few kinds": lambda: judge(answers(), answers().select("q0", "q7"), **ANSWERS),
    "the region and the year alone": lambda: judge(
        events(), events().select("region", pl.col("applied").dt.year() // 3 * 3), **EVENTS
    ),
    "amounts averaged over forty firms": lambda: judge(firms(), averaged(firms(), 40), **FIRMS),
}


@pytest.mark.parametrize("release", MUST_NOT_PASS)
def test_it_must_not_pass(release: str) -> None:
    assert_not_passed(MUST_NOT_PASS[release]())


@pytest.mark.parametrize("release", MUST_PASS)
def test_it_must_pass(release: str) -> None:
    assert_passed(MUST_PASS[release]())

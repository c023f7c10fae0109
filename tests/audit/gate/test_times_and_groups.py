"""The gate for times of day, parts of dates, and values that are compared with those of their group."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.gate import assert_not_passed, assert_passed
from support.gate_tables import judge, shuffled

PEOPLE = 160
WHEN = [datetime(2024, 3, 4) + timedelta(seconds=int(s)) for s in np.random.default_rng(5).integers(0, 604_800, PEOPLE)]


def rides() -> pl.DataFrame:
    """Rides of one week: when they began, to the second."""
    rng = np.random.default_rng(6)
    return pl.DataFrame(
        {
            "driver": rng.choice([f"driver {number}" for number in range(12)], PEOPLE),
            "paid": rng.choice(["cash", "card", "app"], PEOPLE),
            "began": [when.strftime("%Y-%m-%d %H:%M:%S") for when in WHEN],
            "fare": rng.lognormal(7, 0.5, PEOPLE).round(0),
        }
    )


def births() -> pl.DataFrame:
    """Births over twenty years, and what those people earn."""
    rng = np.random.default_rng(7)
    days = pl.Series(rng.integers(0, 7300, PEOPLE)).cast(pl.Int32).cast(pl.Date)
    return pl.DataFrame(
        {
            "sex": rng.choice(["f", "m"], PEOPLE),
            "office": rng.choice(["north", "south", "east", "west"], PEOPLE),
            "born": days,
            "pay": rng.lognormal(8, 0.4, PEOPLE).round(2),
        }
    )


def judged(table: pl.DataFrame, **columns: pl.Series) -> Any:
    """All columns shuffled but these."""
    qi = table.columns[:2]
    return judge(table, shuffled(table).with_columns(**columns), qi=qi, attacks=["link"], measures=["U6"])


def written(form: str, moved: timedelta = timedelta(0)) -> pl.Series:
    return pl.Series([(when + moved).strftime(form) for when in WHEN])


def in_offices(change: Callable[[pl.Expr], pl.Expr]) -> pl.Series:
    return births().select(change(pl.col("pay")))["pay"]


PLACES = in_offices(lambda pay: (pay.rank() / pl.len()).over("office"))
MUST_NOT_PASS: dict[str, Any] = {
    "the second at which each ride began": lambda: judged(rides(), began=written("%Y-%m-%d %H:%M:%S")),
    "minutes, moved by nine hours": lambda: judged(rides(), began=written("%d.%m.%Y %H:%M", timedelta(hours=9))),
    "the time of day alone": lambda: judged(rides(), began=written("%H:%M:%S")),
    "times of day with am and pm": lambda: judged(rides(), began=written("%I:%M:%S %p")),
    "seconds since 1970": lambda: judged(rides(), began=pl.Series([int(when.timestamp()) for when in WHEN])),
    "the day of the year instead of the birth": lambda: judged(births(), born=births()["born"].dt.ordinal_day()),
    "pay less the mean of the office": lambda: judged(
        births(), pay=in_offices(lambda pay: pay - pay.mean().over("office"))
    ),
    "the place of the pay in the office": lambda: judged(births(), pay=PLACES),
}
MUST_PASS: dict[str, Any] = {
    "seconds of other rides": lambda: judged(rides()),
    "times of day of other rides": lambda: judged(rides(), began=written("%H:%M").shuffle(1)),
    "the day of the year of other births": lambda: judged(births(), born=births()["born"].dt.ordinal_day().shuffle(2)),
    "the place of the pay of others in their office": lambda: judged(births(), pay=PLACES.shuffle(3)),
}


@pytest.mark.parametrize("release", MUST_NOT_PASS)
def test_times_and_places_in_groups_that_tell_do_not_pass(release: str) -> None:
    assert_not_passed(MUST_NOT_PASS[release]())


@pytest.mark.parametrize("release", MUST_PASS)
def test_times_and_places_in_groups_of_others_pass(release: str) -> None:
    assert_passed(MUST_PASS[release]())

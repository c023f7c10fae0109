"""The gate for histories changed by other programs: names written otherwise, other units, claims of similar people."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.gate import assert_not_passed, assert_passed, codes
from support.shop_releases import released

import icefire
from icefire.core.history import Fields, History
from icefire.core.release import Release, Truth
from icefire.core.scorecard import Verdict

PEOPLE, GOODS = 50, 60
FIELDS = Fields("who", "what", date="day", price="price", number="number")


@cache
def pharmacy() -> History:
    """What people bought, each with goods they often buy, at prices that are sometimes reduced."""
    rng = np.random.default_rng(7)
    usual, price = rng.dirichlet(np.full(GOODS, 0.5)), np.round(rng.gamma(2, 6, GOODS) + 1, 2)
    who = np.repeat(np.arange(PEOPLE), rng.integers(6, 25, PEOPLE))
    habits = np.array([rng.dirichlet(50 * usual + 0.02) for _ in range(PEOPLE)])
    what = np.array([rng.choice(GOODS, p=habits[person]) for person in who])
    days = pl.from_epoch(pl.Series(19_700 + rng.integers(0, 300, len(who))), "d").dt.strftime("%Y-%m-%d")
    columns = {
        "who": [f"person {person:03d}" for person in who],
        "what": [f"med-{good:03d}" for good in what],
        "day": days,
        "price": (price[what] * rng.choice([1, 1, 0.9, 0.5], len(who))).round(2),
        "number": rng.choice([1, 1, 1, 2, 3], len(who)),
    }
    return History(pl.DataFrame(columns), FIELDS)


def changed(**columns: pl.Expr) -> Any:
    def change(data: History, rng: np.random.Generator) -> History:
        return data.with_frame(data.frame.with_columns(**columns))

    return change


def half_deleted(data: History, rng: np.random.Generator) -> History:
    """Half of the rows, and one of everybody at least."""
    kept = pl.Series(rng.random(data.height) < 0.5) | data.frame["who"].is_first_distinct()
    return data.take(np.flatnonzero(kept.to_numpy()))


def shuffled_prices(data: History, rng: np.random.Generator) -> History:
    return data.with_frame(data.frame.with_columns(data.frame["price"].gather(rng.permutation(data.height))))


def unknown_groups(data: History, rng: np.random.Generator) -> History:
    """Goods in twelve groups that nobody publishes."""
    group = pl.Series(rng.integers(0, 12, GOODS)).gather(_goods_of(data))
    return data.with_frame(data.frame.with_columns(what="kind " + group.cast(pl.String)))


def dealt(data: History, rng: np.random.Generator) -> History:
    """Six rows of everybody, with goods of anybody."""
    rows = np.concatenate([rng.permutation(np.flatnonzero(data.codes == person))[:6] for person in range(PEOPLE)])
    some = data.take(rows)
    return some.with_frame(some.frame.with_columns(pl.Series("what", rng.permutation(some.frame["what"].to_numpy()))))


HIDDEN = {"day": pl.lit("2024-01-01"), "number": pl.lit(1)}
IN_CAPITALS = pl.col("what").str.to_uppercase().str.replace("-", " ", literal=True)
IN_CENTS = (pl.col("price") * 1.37 + 0.11).round(4)


def judged(release: Any) -> Verdict:
    return icefire.audit(pharmacy(), release, measures=["rows_added"]).scorecard.verdict


def of_similar_people(release: Release[History]) -> Release[History]:
    """The same, claimed to come from customers who bought much the same goods."""
    bought = np.zeros((PEOPLE, GOODS))
    bought[pharmacy().codes, _goods()] = 1
    common = bought @ bought.T
    similar = common / (bought.sum(1)[:, None] + bought.sum(1) - common)
    order, free = np.arange(PEOPLE), set(range(PEOPLE))
    for person in range(PEOPLE):
        choices = sorted(free - {person}, key=lambda other: -similar[person, other])
        order[person] = choices[0] if choices else person
        free -= {int(order[person])}
    return replace(release, truth=Truth(order[release.truth.rows]))


def _goods() -> Any:
    return _goods_of(pharmacy())


def _goods_of(data: History) -> Any:
    return data.frame["what"].str.tail(3).cast(pl.Int64).rank("dense").to_numpy().astype(np.int64) - 1


MUST_NOT_PASS: dict[str, Any] = {
    "goods in capitals, half of the rows deleted": lambda: released(
        pharmacy(), half_deleted, changed(what=IN_CAPITALS, price=pl.lit(1.0), **HIDDEN)
    ),
    "prices in another unit and nothing else": lambda: released(
        pharmacy(), changed(what=pl.lit("*"), price=IN_CENTS, **HIDDEN)
    ),
}


INFORMED: dict[str, tuple[str, Any]] = {
    "goods in unknown groups, half of the rows deleted": (
        "what the goods were called",
        lambda: released(pharmacy(), unknown_groups, half_deleted, changed(price=pl.lit(1.0), **HIDDEN)),
    ),
    "nothing but how many rows there are": (
        "how many rows were left",
        lambda: released(
            pharmacy(), changed(what=pl.col("what").shuffle(4), price=pl.col("price").shuffle(5), number=pl.lit(1))
        ),
    ),
}


@pytest.mark.parametrize("release", INFORMED)
def test_what_an_informed_attacker_finds_does_not_pass(release: str) -> None:
    known, case = INFORMED[release]
    verdict = judged(case())
    assert_not_passed(verdict)
    assert known in verdict.text or "limit" in codes(verdict)


def test_as_many_rows_of_everybody_with_goods_of_anybody_pass() -> None:
    assert_passed(judged(released(pharmacy(), dealt, unknown_groups, changed(price=pl.lit(1.0), **HIDDEN))))


@pytest.mark.parametrize("release", MUST_NOT_PASS)
def test_a_history_that_was_written_otherwise_does_not_pass(release: str) -> None:
    assert_not_passed(judged(MUST_NOT_PASS[release]()), "limit")


def test_prices_in_another_unit_that_were_shuffled_pass() -> None:
    release = released(pharmacy(), dealt, shuffled_prices, changed(what=pl.lit("*"), price=IN_CENTS, **HIDDEN))
    assert_passed(judged(release))


def test_histories_said_to_be_those_of_similar_people_do_not_pass() -> None:
    release = released(pharmacy(), changed(number=pl.lit(1), price=pl.lit(1.0)))
    verdict = judged(of_similar_people(release))
    assert_not_passed(verdict)
    assert codes(verdict) & {"verbatim", "correspondence"}

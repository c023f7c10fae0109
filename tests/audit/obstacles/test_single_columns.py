"""Columns that identify people by themselves: what counts, and what chance does in small tables."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.small_tables import compare

import icefire
from icefire.audit.obstacles.single_columns import BY_ORDER, BY_REVERSED_ORDER, columns_that_identify, people_identified
from icefire.core.scorecard import Reason

LIMIT = 0.09
ROWS = 15


def permuted(rng: np.random.Generator) -> pl.DataFrame:
    """Many columns in which everybody has a value of their own."""
    return pl.DataFrame({f"c{place}": rng.permutation(ROWS) for place in range(20)})


def refused(x: pl.DataFrame, y: pl.DataFrame) -> list[Reason]:
    return columns_that_identify(compare(icefire.read(x, qi=["c0"]), icefire.read(y, qi=["c0"])), LIMIT)


def test_columns_of_small_shuffled_tables_do_not_identify_people():
    rng = np.random.default_rng(1)
    share = np.mean([bool(refused(permuted(rng), permuted(rng))) for _ in range(100)])
    assert share <= 0.02


@pytest.mark.parametrize("make", [lambda v: v, lambda v: 3.7 * v + 1, lambda v: -v, np.exp])
def test_one_telling_column_of_a_small_table_counts(make):
    rng = np.random.default_rng(2)
    x, y = permuted(rng), permuted(rng)
    y = y.with_columns(pl.Series("c3", make(x["c3"].to_numpy().astype(float))))
    (reason,) = refused(x, y)
    assert list(reason.evidence["columns"]) == ["c3"]


def test_the_headline_speaks_of_columns_unless_rows_are_published_as_they_were():
    rng = np.random.default_rng(3)
    x = pl.DataFrame({f"c{place}": rng.normal(50, 10, 60).round(2) for place in range(4)})
    y = pl.DataFrame({name: x[name] if name == "c3" else x[name].gather(rng.permutation(60)) for name in x.columns})
    for table, headline in ((y, "Single columns identify people"), (x, "Rows are published verbatim")):
        audited = icefire.audit(x, table, qi=["c0", "c1"], sa=["c2", "c3"], aligned=True, attacks=["euc1"], measures=[])
        assert audited.scorecard.verdict.headline == f"{headline}: do not release"


def test_people_who_share_their_value_are_said_to_be_drawn():
    rng = np.random.default_rng(4)
    x = pl.DataFrame({"c0": rng.permutation(250) % 60, "c1": rng.permutation(250)})
    y = x.with_columns(c1=pl.Series(rng.permutation(250)))
    (reason,) = refused(x, y)
    assert reason.evidence["columns"] == {"c0": pytest.approx(60 / 250)}
    assert "c0 (24.0 %, by its order, one drawn of the people with the same value)" in reason.text
    assert "nobody else" not in reason.text
    alone = x.with_columns(c0=pl.Series(rng.permutation(250)))
    (reason,) = refused(alone, alone.with_columns(y["c1"]))
    assert "c0 (100.0 %, by its values)" in reason.text


def test_of_many_columns_the_reason_names_the_most_telling_and_the_evidence_all() -> None:
    rng = np.random.default_rng(3)
    table = pl.DataFrame({"age": [30] * 40, **{f"v{column}": rng.permutation(40) * 7.5 for column in range(9)}})
    card = icefire.audit(
        table, table, aligned=True, qi="age", sa=[f"v{c}" for c in range(9)], attacks=["euc1"]
    ).scorecard
    [reason] = [one for one in card.verdict.reasons if "columns identify people" in one.text]
    assert reason.text.startswith("9 columns identify people by themselves")
    assert reason.text.count("100.0 %") == 5
    assert len(reason.evidence["columns"]) == 9


def found_by_place(x: list[float | None], y: list[float | None], truth: list[int], sign: int) -> float:
    """Take for each released value the person at the same place in the order; the slow, obvious way."""
    known, shown = sorted(v for v in x if v is not None), sorted(sign * v for v in y if v is not None)
    people = 0.0
    for row, value in enumerate(y):
        if value is None:
            continue
        first, last = shown.index(sign * value), shown.index(sign * value) + shown.count(sign * value)
        guess = known[min((first + last) * len(known) // (2 * len(shown)), len(known) - 1)]
        people += (x[truth[row]] == guess) / known.count(guess)
    return people


@pytest.mark.parametrize("many", [3, 20])
@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64])
def test_people_found_by_the_place_of_a_value_are_those_of_a_slow_count(many, dtype):
    rng = np.random.default_rng(5)
    for _ in range(20):
        x, y = (
            [None if gap else int(v) for v, gap in zip(rng.integers(0, many, 12), rng.random(12) < 0.2, strict=True)]
            for _ in range(2)
        )
        truth = rng.permutation(12)
        ways = people_identified(pl.Series(x, dtype=dtype), pl.Series(y, dtype=dtype), truth)
        for way, sign in ((BY_ORDER, 1), (BY_REVERSED_ORDER, -1)):
            assert ways[way].people == pytest.approx(found_by_place(x, y, truth.tolist(), sign))

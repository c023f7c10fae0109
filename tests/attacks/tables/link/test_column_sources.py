"""Released columns that come from others than the one of their name: found from the two tables alone."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.gate_tables import QI, SA, noisy, shuffled, staff

import icefire
from icefire.attacks.tables.link.attack import link
from icefire.attacks.tables.link.column_sources import (
    as_invariant_coordinates,
    as_learned_combinations,
    changed_numbers,
    under_other_headers,
)
from icefire.attacks.tables.link.ordering import ordered_tables
from icefire.core import align
from icefire.core.release import Case, Guess

PEOPLE = 200
TABLE = staff(rows=PEOPLE)
AMOUNTS = TABLE.select(SA).to_numpy().astype(float)
STANDARD = (AMOUNTS - AMOUNTS.mean(axis=0)) / AMOUNTS.std(axis=0)


def case(released: pl.DataFrame, original: pl.DataFrame = TABLE) -> Case:
    known = icefire.read(original, qi=QI, sa=SA)
    return Case(*align.match(known, released))


def rotated() -> pl.DataFrame:
    """Every amount under the name of the next one, quasi-identifiers shuffled."""
    table = noisy(shuffled(TABLE, QI), 0.05)
    return table.rename(dict(zip(SA, (*SA[1:], SA[0]), strict=True))).select(TABLE.columns)


def combined(weights: np.ndarray) -> pl.DataFrame:
    values = STANDARD @ weights + np.random.default_rng(1).normal(0, 0.02, (PEOPLE, len(SA)))
    return shuffled(TABLE, QI).with_columns(pl.Series(name, values[:, place]) for place, name in enumerate(SA))


def attacked(released: pl.DataFrame) -> tuple[float, Guess]:
    guess = link(case(released), rng=np.random.default_rng(3))
    return float((guess.first == np.arange(PEOPLE)).mean()), guess


def test_amounts_under_other_headers_are_found():
    rate, guess = attacked(rotated())
    assert rate > 0.9
    assert guess.notes["columns"]["rent"]["change"].startswith("holds the values of income; ")


@pytest.mark.parametrize("kind", ["any weights", "principal components"])
def test_weighted_sums_of_all_amounts_are_undone(kind: str):
    weights = np.random.default_rng(8).normal(size=(len(SA), len(SA)))
    if kind == "principal components":
        weights = np.linalg.eigh(np.cov(STANDARD.T))[1]
    rate, guess = attacked(combined(weights))
    assert rate > 0.9
    assert guess.probability is not None
    assert guess.probability.mean() == pytest.approx(rate, abs=0.1)


def test_columns_that_have_their_own_values_are_not_read_otherwise():
    tables = ordered_tables(case(shuffled(TABLE)))
    assert under_other_headers(tables, pl.DataFrame()) is None
    assert changed_numbers(tables) == []
    assert as_invariant_coordinates(tables) == []


def test_a_column_may_hold_the_values_of_one_that_is_not_released():
    original = TABLE.with_columns(wealth=TABLE["income"] * 9 + 3)
    tables = ordered_tables(case(TABLE.with_columns(rent=original["wealth"]), original))
    other = under_other_headers(tables, original.select("wealth")[tables.x_order.tolist()])
    assert other is not None
    assert other.words == {"rent": "holds the values of wealth"}


@pytest.mark.filterwarnings("error")
def test_a_column_without_values_predicts_nothing():
    table = TABLE.with_columns(pl.lit(None, dtype=pl.Float64).alias("seen"))
    tables = ordered_tables(case(table, table))
    rows = np.arange(tables.y.height)
    learned = as_learned_combinations(tables, SA[:1], rows, rows)
    assert learned is None or np.isfinite(learned.tables.x[SA[0]].to_numpy()).all()

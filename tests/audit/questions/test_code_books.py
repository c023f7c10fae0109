"""Sensitive values that a release writes otherwise: codes, other numbers and units are read as what they stand for."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.audit.attributes.code_book import in_original_values
from icefire.core.scorecard.attributes import AttributeColumn

TWELVE = pl.Series("ill", ["flu"] * 6 + ["gout"] * 6)
EVERYBODY = np.arange(12)


def read(people: pl.Series, released: pl.Series, reach: float = 0.0) -> pl.Series | None:
    return in_original_values(people, released, np.arange(len(people)), reach)


def test_codes_are_what_they_stand_for():
    coded = TWELVE.replace({"flu": "A1", "gout": "B7"})
    meant = read(TWELVE, coded)
    assert meant is not None
    assert meant.to_list() == TWELVE.to_list()
    order = np.random.default_rng(1).permutation(12)
    shuffled = in_original_values(TWELVE, coded[order], order, 0.0)
    assert shuffled is not None
    assert shuffled.to_list() == TWELVE[order].to_list()


def test_a_code_of_several_values_is_their_set():
    people = pl.Series("ill", ["flu", "cold", "gout", "rash"] * 4)
    meant = read(people, people.replace({"flu": "x", "cold": "x", "gout": "y", "rash": "y"}))
    assert meant is not None
    assert meant.unique().sort().to_list() == ["{cold, flu}", "{gout, rash}"]


@pytest.mark.parametrize(
    "change",
    [lambda pay: pay / 1000, lambda pay: 9000 - 3 * pay, lambda pay: pay.log()],
    ids=["thousands", "reversed", "logarithms"],
)
def test_numbers_of_another_scale_are_the_numbers(change):
    pay = pl.Series("pay", np.random.default_rng(2).integers(100, 2000, 40).astype(float))
    meant = read(pay, change(pay), 50.0)
    assert meant is not None
    assert meant.to_list() == pay.to_list()


RNG = np.random.default_rng(3)
PAY = pl.Series("pay", RNG.normal(1000, 200, 60).round(2))
VALUES = pl.Series("ill", RNG.choice(["flu", "gout", "rash"], 60))


@pytest.mark.parametrize(
    ("people", "released"),
    [
        (VALUES, VALUES),
        (VALUES, VALUES.sample(60, shuffle=True, seed=1)),
        (VALUES, pl.Series(RNG.choice(["A", "B", "C"], 60))),
        (VALUES, pl.Series([f"code {row}" for row in range(60)])),
        (VALUES, pl.Series(["*"] * 40 + VALUES[40:].to_list())),
        (PAY, PAY + 1),
        (PAY, PAY.sample(60, shuffle=True, seed=1)),
        (PAY, PAY + pl.Series(RNG.normal(0, 400, 60))),
        (PAY, (PAY / 500).round() * 500),
        (VALUES[:4], VALUES[:4].replace({"flu": "A"})),
    ],
    ids=["unchanged", "shuffled", "random", "one each", "blank", "near", "numbers shuffled", "noise", "rounded", "few"],
)
def test_cells_that_no_code_book_explains_are_read_as_they_are(people, released):
    assert read(people, released, 30.0) is None


def hidden(released: pl.DataFrame) -> tuple[AttributeColumn, icefire.Scorecard]:
    original = pl.DataFrame({"town": ["a"] * 12 + ["b"] * 12, "ill": ["flu"] * 12 + ["gout"] * 12})
    card = icefire.audit(original, released, aligned=True, qi=["town"], sa=["ill"]).scorecard
    assert card.attributes is not None
    return card.attributes.columns["ill"], card


def test_classes_with_one_code_each_do_not_pass():
    column, card = hidden(pl.DataFrame({"town": ["a"] * 12 + ["b"] * 12, "ill": ["Q1"] * 12 + ["Q7"] * 12}))
    assert (column.certain, column.attacks["class"].success, column.prior) == (1.0, 1.0, 0.5)
    assert not card.verdict.passed
    assert "Everybody's ill is known" in card.verdict.text


@pytest.mark.parametrize(("exceptions", "is_read"), [(0.04, True), (0.1, False)])
def test_codes_of_many_rows_are_read_as_those_of_few(exceptions, is_read):
    rng = np.random.default_rng(6)
    number = rng.integers(0, 300, 20_000)
    other = np.where(rng.random(20_000) < exceptions, rng.integers(0, 300, 20_000), number)
    people = pl.Series("ill", number).cast(pl.String)
    assert (read(people, pl.Series("ill", other * 7 + 1000).cast(pl.String)) is not None) is is_read


def test_numbers_whose_order_was_kept_in_the_first_rows_alone_are_no_other_unit():
    pay = pl.Series("pay", np.random.default_rng(7).permutation(3000).astype(float))
    assert read(pay, pay / 1000) is not None
    shown = pl.concat([pay[:2998], pay[2998:].reverse()]) / 1000
    assert read(pay, shown) is None

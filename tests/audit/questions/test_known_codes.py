"""Known columns that a release writes otherwise: group numbers, codes and words are read as what they stand for."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.audit.attributes.known_codes import codes_of_column

AGES = pl.Series("age", [31, 33, 36, 38, 40, 42, 45, 47, 51, 52, 55, 59])
TOWNS = pl.Series("town", ["Ube", "Ito", "Ube", "Ito", "Ise", "Ota", "Ise", "Ota"] * 3)


def codes(people: pl.Series, released: pl.Series):
    return codes_of_column(people, released, np.arange(len(people)))


@pytest.mark.parametrize(
    "cells",
    [
        AGES // 10,
        pl.Series([f"g{7 * age % 11}" for age in (AGES // 10).to_list()]),
        pl.Series([f"{age}s" for age in (AGES // 10 * 10).to_list()]),
    ],
    ids=["number of the group", "code", "thirties"],
)
def test_groups_of_numbers_are_their_ranges(cells):
    found = codes(AGES if cells.dtype.is_numeric() else AGES.cast(pl.String), cells)
    assert found is not None
    assert found.of_release(cells).unique().sort().to_list() == ["[31.0, 38.0]", "[40.0, 47.0]", "[51.0, 59.0]"]
    assert found.of_people(AGES).to_list() == [str(age) for age in AGES]


def test_a_word_for_several_values_takes_their_place():
    found = codes(TOWNS, TOWNS.replace({"Ube": "w", "Ito": "w", "Ise": "e", "Ota": "e"}))
    assert found is not None
    assert found.of_people(pl.Series(["Ube", "Ota", "Kure"])).to_list() == ["w", "e", None]
    assert found.of_release(pl.Series(["w", "e"])).to_list() == ["w", "e"]


def test_a_code_for_each_value_is_the_value():
    found = codes(TOWNS, TOWNS.replace({"Ube": "1", "Ito": "2", "Ise": "3", "Ota": "4"}))
    assert found is not None
    assert found.of_release(pl.Series(["4", "1"])).to_list() == ["Ota", "Ube"]


RNG = np.random.default_rng(3)


@pytest.mark.parametrize(
    ("people", "released"),
    [
        (TOWNS, TOWNS),
        (TOWNS, TOWNS.sample(24, shuffle=True, seed=1)),
        (TOWNS, pl.Series(["*"] * 20 + TOWNS[20:].to_list())),
        (AGES.cast(pl.String), pl.Series([f"{age}-{age + 9}" for age in (AGES // 10 * 10).to_list()])),
        (AGES, pl.Series(RNG.permutation(AGES // 10))),
        (AGES, AGES + 3 * pl.Series(RNG.choice([-1, 1], 12))),
        (AGES[:5], AGES[:5] // 10),
    ],
    ids=["unchanged", "shuffled", "blank", "ranges", "shuffled groups", "noise", "few"],
)
def test_cells_that_can_be_read_or_are_not_told_stay_as_they_are(people, released):
    assert codes(people, released) is None


@pytest.mark.parametrize("age", [lambda low: f"{low}s", lambda low: low // 10], ids=["thirties", "number"])
def test_one_illness_per_class_does_not_pass_however_the_classes_are_called(age):
    group = np.repeat(np.arange(6), 12)
    low = 20 + 10 * (group % 3)
    town = np.array(["Ube", "Ito"])[group // 3]
    ill = np.array(["flu", "gout", "rash", "burn", "cold", "ache"])[group]
    original = pl.DataFrame({"age": low + RNG.integers(0, 10, 72), "town": town, "ill": ill})
    released = pl.DataFrame(
        {"age": [age(int(one)) for one in low], "town": np.where(town == "Ube", "q1", "q2"), "ill": ill}
    )
    outside = original.with_columns(ill=pl.Series(RNG.permutation(ill)))
    for options in ({}, {"holdout": outside.with_columns(age=pl.col("age") + RNG.integers(-1, 2, 72))}):
        card = icefire.audit(original, released, aligned=True, qi=["age", "town"], sa="ill", measures=[], **options)
        card = card.scorecard
        assert card.attributes.columns["ill"].certain == 1
        assert not card.verdict.passed
        assert any(reason.evidence.get("name") == "attribute_certain" for reason in card.verdict.reasons)

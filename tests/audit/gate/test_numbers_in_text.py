"""The gate for numbers that became text: suppressed cells, units, decimal commas, words for large amounts."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from support.gate import assert_not_passed, assert_passed
from support.gate_tables import QI, ROWS, SA, STAFF, judge, noisy, shuffled, staff

HIDDEN = np.random.default_rng(6).random((ROWS, len(SA))) < 0.1
CATEGORIES: dict[str, Any] = {"qi": QI, "sa": (), "attacks": ["link"]}


def amounts() -> pl.DataFrame:
    """Everybody's amounts with a little noise, all else shuffled."""
    return noisy(shuffled(staff(), QI), 0.05).with_columns(pl.col(SA).round(1))


def with_word(table: pl.DataFrame, word: str) -> pl.DataFrame:
    """One cell of ten replaced by a word."""
    return table.with_columns(
        pl.when(pl.Series(HIDDEN[:, place])).then(pl.lit(word)).otherwise(pl.col(name).cast(pl.String)).alias(name)
        for place, name in enumerate(SA)
    )


def with_comma(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(pl.col(name).cast(pl.String).str.replace(".", ",", literal=True) for name in SA)


def with_unit(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(pl.format("{} EUR", pl.col(name)).alias(name) for name in SA)


RELEASES: dict[str, Any] = {
    "suppressed cells": lambda table: with_word(table, "*"),
    "a word in some cells": lambda table: with_word(table, "high"),
    "decimal commas": with_comma,
    "a unit in every cell": with_unit,
}


@pytest.mark.parametrize("release", RELEASES)
def test_amounts_that_became_text_are_still_compared(release: str) -> None:
    assert_not_passed(judge(staff(), RELEASES[release](amounts()), **CATEGORIES), "limit")


@pytest.mark.parametrize("release", RELEASES)
def test_amounts_that_became_text_and_were_shuffled_pass(release: str) -> None:
    assert_passed(judge(staff(), shuffled(RELEASES[release](amounts())), **CATEGORIES))


def test_suppressed_cells_of_sensitive_numbers_are_missing_values() -> None:
    blanks = amounts().with_columns(
        pl.when(pl.Series(~HIDDEN[:, place])).then(pl.col(name)).alias(name) for place, name in enumerate(SA)
    )
    one, other = (judge(staff(), table, **STAFF) for table in (with_word(amounts(), "*"), blanks))
    assert_not_passed(one, "limit")
    assert [reason.text for reason in one.reasons] == [reason.text for reason in other.reasons]


def test_sensitive_numbers_that_are_all_suppressed_tell_nothing() -> None:
    assert_passed(judge(staff(), shuffled(staff()).with_columns(pl.lit("*").alias(name) for name in SA), **STAFF))

"""Codes: digits that are names, and the two ways in which two tables may write them."""

from __future__ import annotations

import polars as pl
import pytest

from icefire.core import align, codes
from icefire.core.schema import Column, Kind, Role

REGION = Column("region", Role.QI, Kind.CATEGORY)


def _both(x: list[object], y: list[object]) -> tuple[list[object], list[object]]:
    left, right = align.harmonise(pl.Series("region", x), pl.Series("region", y), REGION)
    return left.to_list(), right.to_list()


@pytest.mark.parametrize(
    ("values", "is_code"),
    [
        (["0", "1", "23"], False),
        (["0.5", "0", "-0.1", "0.0", "0e0", "0e+00"], False),
        (["1.2E5", "12e4", "1.2E+05"], False),
        (["-05", "5"], False),
        (["0123", "45678"], True),
        (["00", "1"], True),
        (["007"], True),
        (["01.11", "10.71"], True),
        (["12E4", "13E4"], True),
    ],
)
def test_leading_zeros_and_a_letter_e_make_codes(values: list[str], is_code: bool) -> None:
    dtype = pl.Int64() if all(value.strip("-").isdigit() for value in values) else pl.Float64()
    frame = pl.DataFrame({"a": values})
    assert frame.select(codes.holds_codes("a", dtype)).item() is is_code


@pytest.mark.parametrize(
    ("values", "is_code"),
    [([99_999_999_999_999], False), ([1, 100_000_000_000_000], True), ([-(10**15)], True), ([None, None], False)],
)
def test_fifteen_digits_make_codes(values: list[int | None], is_code: bool) -> None:
    assert codes.holds_long_codes(pl.Series("a", values, dtype=pl.Int64)) is is_code
    assert not codes.holds_long_codes(pl.Series("a", values, dtype=pl.Float64))


def test_a_table_that_lost_its_zeros_is_compared_without_them() -> None:
    assert _both(["0123", "4567"], [123, 4567]) == (["123", "4567"], ["123", "4567"])
    assert _both(["0123", "4567"], ["123", "4567"]) == (["123", "4567"], ["123", "4567"])
    assert _both(["123", "4567", "x"], ["0123", "4567", "*"]) == (["123", "4567", "x"], ["123", "4567", "*"])


def test_zeros_stay_where_both_tables_have_them() -> None:
    assert _both(["0123", "123"], ["0123", "*"]) == (["0123", "123"], ["0123", "*"])
    assert _both(["0123", "0456"], ["01**", "0456"]) == (["0123", "0456"], ["01**", "0456"])


def test_an_empty_fraction_is_no_difference() -> None:
    assert _both(["1", "2", "x"], [1.0, 2.0, 3.5]) == (["1", "2", "x"], ["1", "2", "3.5"])
    assert _both(["1", "2"], ["1.0", "2.0"]) == (["1", "2"], ["1", "2"])
    assert _both(["1.10", "1.1"], ["1.10", "1.1"]) == (["1.10", "1.1"], ["1.10", "1.1"])


def test_numbers_of_the_original_stay_numbers() -> None:
    assert _both([30, 41], ["030", "041"]) == ([30.0, 41.0], [30.0, 41.0])


def test_truth_values_are_compared_with_words() -> None:
    assert _both([True, False], ["True", "*"]) == (["true", "false"], ["true", "*"])
    assert _both([True, False], [False, True]) == ([1, 0], [0, 1])


def test_long_codes_that_differ_in_the_last_digit_differ() -> None:
    x, y = _both(["9007199254740992", "9007199254740993"], ["9007199254740993", "9007199254740992"])
    assert len({*x}) == 2
    assert x == y[::-1]

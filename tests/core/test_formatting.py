"""Numbers as people read them."""

from __future__ import annotations

import pytest

from icefire.core import formatting
from icefire.core.scorecard import ClassBin


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.3e-17, "0"),
        (0.0, "0"),
        (1.0, "1"),
        (8333.0, "8,333"),
        (1234.567, "1,235"),
        (1.8837, "1.884"),
        (0.0123456, "0.01235"),
        (-20417.25, "-20,417"),
        (0.00001234, "0.00001234"),
        (1.5e-9, "1.5e-09"),
        (999.96, "1,000"),
        (2e18, "2e+18"),
        (None, "not known"),
        (float("nan"), "not known"),
    ],
)
def test_numbers_have_four_significant_digits(value: float | None, text: str) -> None:
    assert formatting.number(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (1 - 1e-16, "100.0 %"),  # the sum of weights that are all of them
        (1 + 2e-16, "100.0 %"),
        (0.0, "0.0 %"),
        (3.3e-17, "0.0 %"),
        (0.913, "91.3 %"),
        (1.0, "100.0 %"),
        (1 / 8333, "0.012 %"),
        (8332 / 8333, "99.99 %"),
        (1e-7, "0.00001 %"),
        (0.05, "5.0 %"),
    ],
)
def test_a_share_that_is_not_0_or_1_is_never_written_as_0_or_100(share: float, text: str) -> None:
    assert formatting.percent(share) == text


def test_gains_carry_their_sign() -> None:
    assert [formatting.points(g) for g in (0.213, -0.0253, 0.0, 0.0003, -1e-18)] == [
        "+21.3",
        "-2.5",
        "0.0",
        "+0.03",
        "0.0",
    ]


def test_a_value_just_over_its_limit_is_told_apart_from_it() -> None:
    assert formatting.beside(0.0500004, 0.05, share=True) == ("5.00004 %", "5 %")
    assert formatting.beside(0.05, 0.05, share=True) == ("5 %", "5 %")
    assert formatting.beside(None, 3.0, share=False) == ("not known", "3")


@pytest.mark.parametrize(
    ("value", "limit", "texts"),
    [
        (0.003704, 0.09, ("0.37 %", "9 %")),
        (0.0902, 0.09, ("9.02 %", "9 %")),
        (0.00012345, 0.09, ("0.012 %", "9 %")),
        (0.999996, 0.09, ("99.9996 %", "9 %")),
        (0.1234567, 0.2, ("12.35 %", "20 %")),
        (0.0, 0.05, ("0 %", "5 %")),
        (1.0, 0.05, ("100 %", "5 %")),
        (None, 0.05, ("not known", "5 %")),
    ],
)
def test_shares_beside_their_limit_are_short(value: float | None, limit: float, texts: tuple[str, str]) -> None:
    assert formatting.beside(value, limit, share=True) == texts


def test_class_sizes_are_written_as_ranges() -> None:
    bins = [ClassBin(1, 1, 0, 0), ClassBin(3, 4, 0, 0), ClassBin(1000, None, 0, 0)]
    assert [formatting.size_range(group.low, group.high) for group in bins] == ["1", "3–4", "1,000 or more"]


def test_cells_are_written_as_they_are() -> None:
    values = [2015, 1234.5, None, True, ["a", "b"], [], {"k": 3}, "<b>"]
    assert [formatting.plain(v) for v in values] == ["2015", "1234.5", "missing", "yes", "a, b", "none", "k: 3", "<b>"]


def test_times_are_short() -> None:
    assert [formatting.seconds(s) for s in (0.0042, 0.917, 1234.4)] == ["< 0.01", "0.92", "1,234"]


@pytest.mark.parametrize(("value", "text"), [(2.21, "2.2"), (0.0, "0.0"), (-0.01, "0.0"), (-0.9, "0.0")])
def test_a_column_that_misleads_tells_no_bits(value: float, text: str) -> None:
    assert formatting.bits(value) == text

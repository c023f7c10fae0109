"""Text that is read as numbers, and labels that are not."""

from __future__ import annotations

import polars as pl
import pytest

from icefire.attacks.tables.link.numbers_in_text import as_numbers

AGES = pl.Series("age", [str(age) for age in range(20, 60)])


def released(template: str, step: float = 1.0) -> pl.Series:
    return pl.Series("age", [template.format(20 + step * place) for place in range(len(AGES))])


@pytest.mark.parametrize("template", ["{}", "{} years", "€ {}", "{:.1f}%"])
def test_numbers_with_units_are_read(template: str) -> None:
    read = as_numbers(AGES, released(template))
    assert read is not None
    assert read[1].to_list() == [20.0 + place for place in range(len(AGES))]


def test_decimal_commas_are_read_and_words_are_missing() -> None:
    text = pl.Series("age", [*(f"{age},5" for age in range(20, 58)), "*", "unknown"])
    read = as_numbers(AGES, text)
    assert read is not None
    assert read[1].to_list() == [*(age + 0.5 for age in range(20, 58)), None, None]


@pytest.mark.parametrize(
    "labels",
    [
        [f"{age}*" for age in (2, 3, 4, 5)] * 10,
        ["20-29", "30-39", "40-49", "50-59"] * 10,
        [f"[{age}, {age + 1}]" for age in range(20, 60)],
        ["under 30", "over 30"] * 20,
        ["low", "high"] * 20,
        [*(str(age) for age in range(20, 50)), *["50-59"] * 10],
    ],
)
def test_labels_are_no_numbers(labels: list[str]) -> None:
    assert as_numbers(AGES, pl.Series("age", labels)) is None


def test_different_texts_do_not_become_one_number() -> None:
    assert as_numbers(AGES, pl.Series("age", [f"{'ab'[age % 2]} {age // 2}.0" for age in range(40)])) is None
    assert as_numbers(pl.Series("code", ["01", "1"] * 20), AGES) is None

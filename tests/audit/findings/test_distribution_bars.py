"""Bars of text columns before and after: dates stand by time, codes by how they begin."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

from icefire.audit.findings.distributions import OTHERS, distribution
from icefire.measures.compared_columns import shares_of
from icefire.measures.released_values import read_column

ROWS = 240


def bars(original: list[str], released: list[str]) -> list[tuple[str, float, float]]:
    column = shares_of(read_column(pl.Series("x", original), pl.Series("x", released)))
    drawn = distribution(column, pl.String())
    return [(one.label, one.original, one.released) for one in drawn.bins]


def days(form: str) -> list[str]:
    return [(dt.date(1950, 1, 15) + dt.timedelta(days=100 * place)).strftime(form) for place in range(ROWS)]


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%Y年%m月%d日"])
def test_dates_are_put_together_by_time(form: str) -> None:
    found = bars(days(form), days(form))
    assert len(found) == 12
    assert found[0][0].startswith("below 195")
    assert found[-1][0] == "2009-07 and more"
    assert all(0.05 < before < 0.12 and after == pytest.approx(before) for _, before, after in found)


def test_labels_for_dates_are_shared_out_over_them() -> None:
    released = [f"{day[:3]}0s" for day in days("%Y-%m-%d")]
    found = bars(days("%Y-%m-%d"), released)
    assert OTHERS not in [label for label, *_ in found]
    assert sum(after for *_, after in found) == pytest.approx(1)


def test_words_among_released_dates_have_a_bar_of_their_own() -> None:
    released = ["not said", *days("%Y-%m-%d")[1:]]
    found = bars(days("%Y-%m-%d"), released)
    assert found[-1][0] == OTHERS
    assert found[-1][2] == pytest.approx(1 / ROWS)


def test_codes_are_put_together_by_how_they_begin() -> None:
    rng = np.random.default_rng(1)
    codes = [f"0{place % 5}{number:03}" for place, number in enumerate(rng.integers(0, 1000, ROWS))]
    found = bars(codes, codes)
    assert [label for label, *_ in found] == ["00…", "01…", "02…", "03…", "04…"]
    assert all(before == pytest.approx(0.2) for _, before, _ in found)


def test_few_values_keep_a_bar_each() -> None:
    found = bars(["a", "b", "b", "c"], ["a", "a", "b", "c"])
    assert found == [("b", 0.5, 0.25), ("a", 0.25, 0.5), ("c", 0.25, 0.25)]

"""Columns that pandas has and others have not: bands of `cut`, periods, sparse columns, texts beside numbers."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

import icefire
from icefire.core.errors import InputError

pandas = pytest.importorskip("pandas", reason="pandas frames are tested where pandas is")

AGES = [20 + row for row in range(30)]
PAY = [1000 + 7 * row for row in range(30)]


@pytest.fixture(params=[True, False], ids=["with pyarrow", "without pyarrow"])
def arrow(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """With pyarrow, and as if it were not installed."""
    found = importlib.util.find_spec
    if request.param:
        pytest.importorskip("pyarrow")
    else:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "pyarrow" else found(name))
    return bool(request.param)


def cells(column: Any) -> list[Any]:
    """Return the values of a column as they are read."""
    frame = pandas.DataFrame({"age": AGES, "pay": PAY}).assign(column=column)
    return icefire.read(frame, qi="age", sa="pay").frame["column"].to_list()


def test_bands_of_cut_are_texts(arrow: bool) -> None:
    bands = pandas.cut(pandas.Series(AGES), [20, 30, 50])
    assert cells(bands)[:12] == [None] + ["(20, 30]"] * 10 + ["(30, 50]"]


def test_categories_of_numbers_may_be_missing(arrow: bool) -> None:
    assert cells(pandas.Categorical([None, 7, 8] * 10))[:3] == [None, "7", "8"]


def test_intervals_and_periods_are_texts(arrow: bool) -> None:
    assert cells(pandas.arrays.IntervalArray.from_breaks(range(31)))[0] == "(0, 1]"
    assert cells(pandas.period_range("2000-01", periods=30, freq="M"))[:2] == ["2000-01", "2000-02"]


def test_sparse_columns_are_read(arrow: bool) -> None:
    assert cells(pandas.arrays.SparseArray([0, 5] * 15))[:2] == [0, 5]


def test_numbers_of_which_some_were_masked_are_texts(arrow: bool) -> None:
    masked = pandas.Series(AGES, dtype=object)
    masked[masked < 22] = "*"
    assert cells(masked)[:3] == ["*", "*", "22"]


def test_a_release_by_cut_is_audited(arrow: bool) -> None:
    original = pandas.DataFrame({"age": AGES, "pay": PAY})
    released = original.assign(age=pandas.cut(original["age"], [0, 30, 60]))
    audit = icefire.audit(
        original, released, qi="age", sa="pay", aligned=True, attacks="id_rand", measures=["k_min", "k_mean"]
    )
    assert audit.scorecard.measures["k_min"].value == 11


def test_a_column_that_cannot_be_read_is_named(arrow: bool) -> None:
    with pytest.raises(InputError, match="'column'"):
        cells([{1, 2}, "a", 3] * 10)

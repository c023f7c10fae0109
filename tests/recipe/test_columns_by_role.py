"""Parameters that take columns take them by role and kind too."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import icefire
from icefire.core.errors import SchemaError
from icefire.recipe import load, review

TABLE = icefire.read(
    pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(12)],
            "age": [20 + 3 * i for i in range(12)],
            "sex": ["f", "m"] * 6,
            "pay": [10.5 * i for i in range(12)],
            "note": list("abcabcabcabc"),
        }
    ),
    qi=["age", "sex"],
    sa=["pay"],
    ids=["name"],
)


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("@qi", ["age", "sex"]),
        ("@qi numbers", ["age"]),
        ("@numbers qi", ["age"]),
        ("@qi categories", ["sex"]),
        ("@sa", ["pay"]),
        ("@sa categories", []),
        ("@numbers", ["age", "pay"]),
        ("@other", ["note"]),
        ("@id", ["name"]),
        ("@all", ["age", "sex", "pay", "note"]),
        ("@qi sa", ["age", "sex", "pay"]),
    ],
)
def test_a_role_stands_for_its_columns(asked: str, names: list[str]) -> None:
    assert list(TABLE.schema.pick((asked,), (), "columns")) == names


def test_a_column_of_that_name_comes_first() -> None:
    table = icefire.read(pl.DataFrame({"@qi": [1, 2], "b": [1, 2]}), qi=["b"])
    assert table.schema.pick(("@qi",), (), "columns") == ("@qi",)


def released(**step: Any) -> pl.DataFrame:
    release = icefire.anonymize(TABLE, {"step": [step]}, seed=1)
    return TABLE.frame[release.truth.rows].select(release.released.frame.columns), release.released.frame


@pytest.mark.parametrize("columns", ["@qi numbers", ["@qi numbers"]])
def test_a_step_works_on_the_columns_of_a_role(columns: Any) -> None:
    before, after = released(method="generalize", columns=columns, width=10)
    assert after["age"].dtype == pl.String
    assert after["sex"].equals(before["sex"])
    before, after = released(method="noise", columns="@sa", scale=0.5)
    assert after["age"].equals(before["age"])
    assert not after["pay"].equals(before["pay"])


def test_a_role_without_columns_changes_nothing() -> None:
    before, after = released(method="noise", columns="@other numbers", scale=0.5)
    assert after.equals(before)


@pytest.mark.parametrize("wrong", ["@", "@qis", "@qi numbers text"])
def test_a_role_that_is_none_is_refused_with_those_there_are(wrong: str) -> None:
    recipe = {"step": [{"method": "noise", "columns": wrong, "scale": 0.5}]}
    fault = review(recipe, TABLE).faults[0]
    assert "is no role; write @ and one or two of: all, qi, sa, id, other, numbers, categories" in fault.text
    with pytest.raises(SchemaError, match="is no role"):
        icefire.anonymize(TABLE, load(recipe))

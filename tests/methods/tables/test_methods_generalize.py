"""generalize: bands, groups, prefixes, dates and levels of hierarchies, each by hand on a few rows."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import icefire

TABLE = pl.DataFrame(
    {
        "age": [3, 18, 39, 40, 70, None],
        "drink": ["coffee", "tea", "bread", "coffee", None, "milk"],
        "postcode": ["01067", "01099", "04103", "04109", "01067", "06618"],
        "born": [
            datetime.date(year, month, 1)
            for year, month in ((1999, 5), (1990, 1), (2001, 12), (1985, 4), (1999, 6), (1970, 7))
        ],
        "spent": [1.5, 2.0, 9.9, 12.5, 3.0, 4.0],
    }
)


def generalized(column: str, **parameters: Any) -> list[Any]:
    data = icefire.read(TABLE, qi=["age", "drink", "postcode", "born"], sa=["spent"])
    recipe = {"step": [{"method": "generalize", "columns": [column], **parameters}]}
    release = icefire.anonymize(data, recipe, seed=1)
    assert release.truth is not None
    return [
        value
        for _, value in sorted(
            zip(release.truth.rows, release.released.frame[column].to_list(), strict=True), key=lambda pair: pair[0]
        )
    ]


@pytest.mark.parametrize(
    ("column", "parameters", "expected"),
    [
        ("age", {"width": 20}, ["0-19", "0-19", "20-39", "40-59", "60-79", None]),
        ("age", {"width": 20, "level": 2}, ["0-39", "0-39", "0-39", "40-79", "40-79", None]),
        ("age", {"cuts": "0,18,65"}, ["0-17", "18-64", "18-64", "18-64", ">=65", None]),
        ("age", {"cuts": [0, 18, 65]}, ["0-17", "18-64", "18-64", "18-64", ">=65", None]),
        ("age", {"cuts": 40}, ["<40", "<40", "<40", ">=40", ">=40", None]),
        ("spent", {"cuts": [2.5, "9.9"]}, ["<2.5", "<2.5", ">=9.9", ">=9.9", "[2.5, 9.9)", "[2.5, 9.9)"]),
        ("age", {"top": True}, ["*"] * 6),
        ("drink", {"groups": {"cup": ["coffee", "tea", "milk"]}}, ["cup", "cup", "bread", "cup", None, "cup"]),
        ("drink", {"groups": {"hot": ["coffee", "tea"]}, "other": "cold"}, ["hot", "hot", "cold", "hot", None, "cold"]),
        ("postcode", {"prefix": 2}, ["01*", "01*", "04*", "04*", "01*", "06*"]),
        ("postcode", {}, ["0106*", "0109*", "0410*", "0410*", "0106*", "0661*"]),
        ("born", {"unit": "year"}, ["1999", "1990", "2001", "1985", "1999", "1970"]),
        ("born", {"unit": "year", "level": 2}, ["1990s", "1990s", "2000s", "1980s", "1990s", "1970s"]),
        ("born", {"unit": "quarter"}, ["1999-Q2", "1990-Q1", "2001-Q4", "1985-Q2", "1999-Q2", "1970-Q3"]),
        ("spent", {"width": 5}, ["[0, 5)", "[0, 5)", "[5, 10)", "[10, 15)", "[0, 5)", "[0, 5)"]),
    ],
)  # fmt: skip
def test_values_become_what_they_are_in_general(column: str, parameters: dict[str, Any], expected: list[Any]) -> None:
    assert generalized(column, **parameters) == expected


def test_a_folder_of_hierarchies_is_used(tmp_path: Path) -> None:
    (tmp_path / "drink.csv").write_text("coffee;hot;*\ntea;hot;*\nbread;solid;*\nmilk;cold;*\n", encoding="utf-8")
    assert generalized("drink", hierarchies=str(tmp_path)) == ["hot", "hot", "solid", "hot", None, "cold"]


@pytest.mark.parametrize(
    ("column", "parameters", "words"),
    [
        ("age", {"width": 1}, "width 1 joins no values of column 'age'"),
        ("age", {"width": 5, "cuts": "1"}, "got width, cuts; give one"),
        ("age", {"cuts": [65, 18]}, "in ascending order"),
        ("age", {"cuts": []}, "it takes numbers: a list"),
        ("age", {"cuts": [18, "old"]}, "it takes numbers: a list"),
        ("age", {"cuts": "18;65"}, "it takes numbers: a list"),
        ("age", {"level": 1, "top": True}, "got level 1 and top"),
        ("drink", {"other": "rest"}, "there are no groups"),
        ("drink", {"groups": {"cars": ["tram"]}}, "no value of the groups is in column 'drink'"),
        ("drink", {"groups": {"a": ["tea"], "b": ["tea"]}}, "put it in one"),
        ("drink", {"groups": {"a": "tea"}}, "a table of groups"),
        ("age", {"prefix": 1}, "prefix is for text and codes"),
        ("postcode", {"prefix": 5}, "no value of 'postcode' has more characters"),
        ("born", {"unit": "week"}, "day, month, quarter, year, decade"),
        ("born", {"unit": "day"}, "unit day joins no values"),
        ("drink", {"unit": "year"}, "not dates"),
    ],
)
def test_what_does_not_fit_is_refused(column: str, parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(icefire.IcefireError, match=words):
        generalized(column, **parameters)


def test_an_age_of_a_child_and_of_the_old_have_open_bands_only_above() -> None:
    assert generalized("age", cuts="18,65")[0] == "<18"

"""A truth given as pairs of names: files, tables and dictionaries, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from icefire.audit.name_pairs import read_name_pairs, rows_of_pairs, subjects_of_pairs
from icefire.core.errors import InputError

ORIGINAL = pl.Series(["ann", "bea", "cem"])
RELEASED = pl.Series(["x2", "x9", "x5"])
ROWS = [2, 0, 1]


def test_pairs_of_a_file_match_subjects_under_any_header_and_in_either_order(tmp_path: Path) -> None:
    for number, lines in enumerate((["who,code", "ann,x9", "bea,x5", "cem,x2"], ["a;b", "x9;ann", "x5;bea", "x2;cem"])):
        file = tmp_path / f"{number}.csv"
        file.write_text("\n".join(lines) + "\n")
        pairs = read_name_pairs(file)
        assert pairs is not None
        assert subjects_of_pairs(pairs, ORIGINAL, RELEASED).rows.tolist() == ROWS


def test_a_dictionary_and_a_table_say_the_same() -> None:
    names = {"ann": "x9", "bea": "x5", "cem": "x2"}
    for source in (names, pl.DataFrame({"a": list(names), "b": list(names.values())})):
        pairs = read_name_pairs(source)
        assert pairs is not None
        assert subjects_of_pairs(pairs, ORIGINAL, RELEASED).rows.tolist() == ROWS


def test_integers_are_no_pairs(tmp_path: Path) -> None:
    file = tmp_path / "truth.csv"
    file.write_text("2\n0\n1\n")
    assert read_name_pairs(file) is None
    assert read_name_pairs(np.array([2, 0, 1])) is None


def test_names_with_leading_zeros_stay_names(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text("id,code\n007,1\n07,2\n")
    pairs = read_name_pairs(file)
    assert pairs is not None
    assert subjects_of_pairs(pairs, pl.Series(["007", "07"]), pl.Series([2, 1])).rows.tolist() == [1, 0]


def test_an_empty_original_is_nobody() -> None:
    pairs = pl.DataFrame({"original": ["ann", None], "released": ["x9", "x2"]})
    assert subjects_of_pairs(pairs, ORIGINAL, RELEASED[:2]).rows.tolist() == [-1, 0]


def test_the_headers_name_the_columns_of_tables() -> None:
    original = pl.DataFrame({"patient": ["ann", "bea", "cem"], "age": [1, 2, 3]})
    released = pl.DataFrame({"age": [3, 1, 2], "code": RELEASED})
    pairs = pl.DataFrame({"code": ["x9", "x5", "x2"], "patient": ["ann", "bea", "cem"]})
    assert rows_of_pairs(pairs, original, released).rows.tolist() == ROWS
    with pytest.raises(InputError, match="one must be a column of the original"):
        rows_of_pairs(pairs.rename({"code": "number"}), original, released)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ({"ann": "x9", "bea": "x5"}, "'x2' of the release is in no row"),
        ({"ann": "x9", "bea": "x9", "cem": "x2"}, "'x9' stands in more than one pair"),
        ({"ann": "x9", "dan": "x5", "cem": "x2"}, "'dan' of the pairs is no person of the original"),
    ],
)
def test_pairs_that_do_not_fit_are_refused(pairs: dict[str, str], message: str) -> None:
    table = read_name_pairs(pairs)
    assert table is not None
    with pytest.raises(InputError, match=message):
        subjects_of_pairs(table, ORIGINAL, RELEASED)

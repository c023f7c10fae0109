"""Check the files of an organiser's own contest cell by cell against its original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from icefire.contests.common import cells, tables
from icefire.contests.common.cells import Cells
from icefire.contests.common.problem import Problem
from icefire.core import align
from icefire.core.reading import Expected
from icefire.io.tables import read_frame


def find_problems(paths: Sequence[Path], reading: Mapping[str, Any]) -> list[Problem]:
    """Check a release against its original and, if it is given, the correspondence."""
    known, shown = (read_frame(path, reading["how"], Expected(is_release=True)) for path in paths[:2])
    name = paths[1].name
    problems = tables.wrong_columns(name, shown, known.columns)
    if problems:
        return problems
    for column in (*reading["qi"], *reading["sa"]):
        problems += _wrong_values(name, known[column], shown[column], column in reading["sa"])
    problems += _wrong_size(name, known.height, shown.height)
    return problems + (tables.wrong_correspondence(paths[2], known.height, shown.height) if len(paths) > 2 else [])


def find_member_problems(paths: Sequence[Path], reading: Mapping[str, Any], asked: int) -> list[Problem]:
    """Check a release against its original, and the list of the deleted rows."""
    known, shown = (read_frame(path, reading["how"], Expected(is_release=True)) for path in paths[:2])
    problems = find_problems(paths[:2], reading)
    deleted, wrong = cells.read(paths[2], ("row",))
    if deleted is None:
        return problems + wrong
    problems += cells.whole_numbers(deleted, "row", 0, known.height - 1) + cells.repeated(deleted, "row", "row")
    if deleted.height < asked:
        text = f"{deleted.height} rows; at least {asked} must be deleted, for so many are asked about"
        problems.append(Problem(deleted.file, text))
    if shown.height < asked:
        problems.append(
            Problem(paths[1].name, f"{shown.height} rows; at least {asked} must be kept: so many are asked")
        )
    if shown.height + deleted.height != known.height:
        total = f"{shown.height:,} rows, and {deleted.height:,} in {deleted.file}"
        text = f"{total}; together they must be the {known.height:,} of {paths[0].name}"
        problems.append(Problem(paths[1].name, text))
    return problems


def _wrong_size(name: str, originals: int, released: int) -> list[Problem]:
    if released < align.LEAST_ROWS:
        return [Problem(name, f"{released} rows; at least {align.LEAST_ROWS} are needed")]
    return tables.too_many_rows(name, originals, released)


def _wrong_values(name: str, known: pl.Series, shown: pl.Series, sensitive: bool) -> list[Problem]:
    """Numbers stay numbers where attacks compute with them, and no cell is empty in a column that had none."""
    column = shown.name
    text = Cells(name, pl.DataFrame([align.as_text(shown)]))
    if not known.null_count() and shown.null_count():
        return text.wrong(column, shown.is_null(), "every cell filled, as in the original")
    if not (sensitive and known.dtype.is_numeric()):
        return []
    numbers = text.frame[column].cast(pl.Float64, strict=False)
    bad = shown.is_not_null() & ~(numbers.is_finite().fill_null(False))
    return text.wrong(column, bad, "a number")

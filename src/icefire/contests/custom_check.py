"""The files of an organiser's own contest, checked cell by cell against its original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from icefire.contests import cells
from icefire.contests.cells import Cells
from icefire.contests.rules import Problem
from icefire.core import align
from icefire.io import files


def check(paths: Sequence[Path], reading: Mapping[str, Any]) -> list[Problem]:
    """Check a release against its original and, if it is given, the correspondence."""
    known, shown = (files.read_frame(path, reading["how"]) for path in paths[:2])
    name = paths[1].name
    problems = columns(name, shown, known.columns)
    if problems:
        return problems
    for column in (*reading["qi"], *reading["sa"]):
        problems += _values(name, known[column], shown[column], column in reading["sa"])
    problems += sizes(name, known.height, shown.height)
    return problems + (correspondence(paths[2], known.height, shown.height) if len(paths) > 2 else [])


def columns(name: str, frame: pl.DataFrame, wanted: Sequence[str]) -> list[Problem]:
    """Name the columns that are missing, and those that are too many."""
    missing = [Problem(name, "the column is missing", None, column) for column in wanted if column not in frame.columns]
    more = [Problem(name, "the contest has no such column", None, c) for c in frame.columns if c not in wanted]
    return missing + more


def sizes(name: str, originals: int, released: int) -> list[Problem]:
    """A release has at least two rows, and no more than its original."""
    if released < align.LEAST_ROWS:
        return [Problem(name, f"{released} rows; at least {align.LEAST_ROWS} are needed")]
    text = f"{released:,} rows; the original has {originals:,}, and every row comes from one of them"
    return [Problem(name, text)] if released > originals else []


def correspondence(path: Path, originals: int, released: int) -> list[Problem]:
    """Check that there is one original row for each released one, and none twice."""
    truth, problems = cells.read(path, ("original",))
    if truth is None:
        return problems
    if truth.height != released:
        return [Problem(truth.file, f"{truth.height:,} rows; the release has {released:,}: one for each")]
    wrong = cells.whole_numbers(truth, "original", 0, originals - 1)
    return wrong or cells.repeated(truth, "original", "row of the original")


def _values(name: str, known: pl.Series, shown: pl.Series, sensitive: bool) -> list[Problem]:
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

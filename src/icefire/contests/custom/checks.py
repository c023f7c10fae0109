"""Check the files of an organiser's own contest cell by cell against its original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from icefire.contests.common import tables
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

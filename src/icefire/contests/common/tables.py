"""Checks of a released table against its original: columns, number of rows, correspondence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from icefire.contests.common import cells
from icefire.contests.common.problem import Problem


def wrong_columns(name: str, frame: pl.DataFrame, wanted: Sequence[str]) -> list[Problem]:
    """Name the columns that are missing, and those that are too many."""
    missing = [Problem(name, "the column is missing", None, column) for column in wanted if column not in frame.columns]
    more = [Problem(name, "the contest has no such column", None, c) for c in frame.columns if c not in wanted]
    return missing + more


def too_many_rows(name: str, originals: int, released: int) -> list[Problem]:
    """Say that a release has more rows than its original, if it has."""
    text = f"{released:,} rows; the original has {originals:,}, and every row comes from one of them"
    return [Problem(name, text)] if released > originals else []


def wrong_correspondence(path: Path, originals: int, released: int) -> list[Problem]:
    """Check that a file names one original row for each released row, and none twice."""
    truth, problems = cells.read(path, ("original",))
    if truth is None:
        return problems
    if truth.height != released:
        return [Problem(truth.file, f"{truth.height:,} rows; the release has {released:,}: one for each")]
    return wrong_origins(truth, originals)


def wrong_origins(truth: cells.Cells, originals: int) -> list[Problem]:
    """Name the cells that are no row of the original, or one that an earlier cell names."""
    wrong = cells.whole_numbers(truth, "original", 0, originals - 1)
    return wrong or cells.repeated(truth, "original", "row of the original")

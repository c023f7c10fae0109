"""A contest that is one new file: three columns of the health survey, written where contests are looked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from icefire import contests

NAME = "tinycup"
SOURCE = '''
"""Tiny Cup: three columns of a health survey."""

from icefire.contests.common import tables
from icefire.contests.common.contest import Contest
from icefire.contests.common.sample_files import SampleFiles
from icefire.contests.games.tables import TableGame
from icefire.io.format import Format
from icefire.io.tables import read_frame
from icefire.io import files

COLUMNS = ("gen", "age", "bmi")


def find_problems(paths):
    known, shown = (read_frame(path) for path in paths[:2])
    return [
        *tables.wrong_columns(paths[1].name, shown, COLUMNS),
        *tables.wrong_correspondence(paths[2], known.height, shown.height),
    ]


def score_parts(errors, security):
    return {"U1": errors["U1"], "security": security}


CONTEST = Contest(
    name="tinycup",
    title="Tiny Cup: three columns",
    files=("X.csv", "Y.csv", "correspondence.csv"),
    find_problems=find_problems,
    reading={"qi": ("gen", "age"), "sa": ("bmi",), "how": Format(header=True, decimal=".")},
    game=TableGame,
    sample=SampleFiles("survey", small=60, cut=lambda piece: piece.select(COLUMNS)),
    measures=("S1", "U1"),
    attacks=("E1", "EUC2"),
    utilities=("U1",),
    score_parts=score_parts,
    figures=lambda values, security: {"score": sum(score_parts({"U1": values["mean_error"]}, security).values())},
)
'''


@contextmanager
def new_contest_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Put the file into a folder that belongs to the package of contests; gives the contest's name."""
    folder.mkdir()
    (folder / f"{NAME}.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(contests, "__path__", [*contests.__path__, str(folder)])
    try:
        yield NAME
    finally:
        sys.modules.pop(f"{contests.__name__}.{NAME}", None)
        vars(contests).pop(NAME, None)

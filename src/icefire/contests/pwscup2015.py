"""PWSCUP 2015: microdata of households. A team hands in a release Y of the table X and where each row comes from.

The tables have a header and the 25 columns of the sample `households`, or as many of other names in their order. The
correspondence has, for each row of Y, the row of X it was made from, counted from 0. Utility is U1 to U6, security the
worst of all attacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from icefire.contests.common import cells, tables
from icefire.contests.common.cells import Cells
from icefire.contests.common.contest import Contest
from icefire.contests.common.problem import Problem
from icefire.contests.common.sample_files import SampleFiles
from icefire.contests.games.tables import TableGame
from icefire.core import align
from icefire.core.reading import Expected
from icefire.io.format import Format
from icefire.io.tables import read_frame
from icefire.samples import households

ATTACKS = ("id_rand", "id_sa", "sort", "sa_nearest", "euc1", "euc2")
UTILITIES = ("U1", "U2", "U3", "U4", "U5", "U6")
MEASURES = ("S1", "S2", *UTILITIES)
COLUMNS = (*households.QI, *households.SA)
HOW = Format(header=True, decimal=".", names_by_place=COLUMNS)
"""A file whose columns have other names, none of these, is read by their order."""
ATTRIBUTE = "tuition"
"""The 21st column: the one sensitive attribute that E2 and E4 compare. A zero there is no answer of E4."""
SECURITY_LIMIT = 0.5
"""A rule of ours, not of the contest: without it the unchanged original, with six errors of 0, wins against releases
that are useful and safe."""
AYA_LIMIT = 0.95
"""A rule of ours as well. Unchanged rows with an invented correspondence have an AYA of 1. Classes that were averaged
or swapped have 0.7 to 0.9, for the middle of a class is nearest to one of its members: 0.5 would refuse them all."""
PARAMETERS: dict[str, dict[str, Any]] = {
    "id_sa": {"column": ATTRIBUTE},
    "sa_nearest": {"column": ATTRIBUTE, "zero_is_no_answer": True},
}


def find_problems(paths: Sequence[Path]) -> list[Problem]:
    """Check X, Y and, if it is given, the correspondence."""
    known, shown = (read_frame(path, HOW, Expected(is_release=True)) for path in paths[:2])
    problems = [
        *tables.wrong_columns(paths[0].name, known, COLUMNS),
        *tables.wrong_columns(paths[1].name, shown, COLUMNS),
    ]
    if problems:
        return problems
    problems = [
        *_wrong_values(paths[0].name, known),
        *_wrong_values(paths[1].name, shown),
        *tables.too_many_rows(paths[1].name, known.height, shown.height),
    ]
    return problems + (tables.wrong_correspondence(paths[2], known.height, shown.height) if len(paths) > 2 else [])


def _wrong_values(name: str, frame: pl.DataFrame) -> list[Problem]:
    text = Cells(name, frame.select(align.as_text(frame[column]) for column in frame.columns))
    problems = [p for column in households.QI for p in text.wrong(column, frame[column].is_null(), "every cell filled")]
    for column in households.SA:
        problems += cells.numbers(text, column, lambda number: number.is_not_null(), "a number")
    return problems


CONTEST = Contest(
    name="pwscup2015",
    title="PWSCUP 2015: microdata of households",
    files=("X.csv", "Y.csv", "correspondence.csv"),
    optional=1,
    find_problems=find_problems,
    reading={"qi": households.QI, "sa": households.SA, "how": HOW},
    game=TableGame,
    sample=SampleFiles("households"),
    measures=MEASURES,
    attacks=ATTACKS,
    parameters=PARAMETERS,
    utilities=UTILITIES,
    security_limit=SECURITY_LIMIT,
    aya_limit=AYA_LIMIT,
    figures=lambda values, security: {"security": security},
)

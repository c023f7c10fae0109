"""PWSCUP 2015: microdata of households. A team hands in a release Y of the table X and where each row comes from.

The tables have a header and the columns of the sample `households`; the correspondence has, for each row of Y, the row
of X it was made from, counted from 0. Utility is U1 to U6, security the worst of all attacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from icefire.contests import cells
from icefire.contests.cells import Cells
from icefire.contests.rules import Problem, Rules
from icefire.core import align
from icefire.core.scorecard import Scorecard
from icefire.io import files
from icefire.samples import households

ATTACKS = ("id_rand", "id_sa", "sort", "sa_nearest", "euc1", "euc2")
UTILITIES = ("U1", "U2", "U3", "U4", "U5", "U6")
MEASURES = ("S1", "S2", *UTILITIES)


def check(paths: Sequence[Path]) -> list[Problem]:
    """Check X, Y and, if it is given, the correspondence."""
    known, shown = (files.read_frame(path) for path in paths[:2])
    problems = [*_columns(paths[0].name, known), *_columns(paths[1].name, shown)]
    if problems:
        return problems
    problems = [*_values(paths[0].name, known), *_values(paths[1].name, shown)]
    if shown.height > known.height:
        text = f"{shown.height:,} rows; the original has {known.height:,}, and every row comes from one of them"
        problems.append(Problem(paths[1].name, text))
    return problems + (_correspondence(paths[2], known.height, shown.height) if len(paths) > 2 else [])


def _columns(name: str, frame: pl.DataFrame) -> list[Problem]:
    wanted = (*households.QI, *households.SA)
    missing = [Problem(name, "the column is missing", None, column) for column in wanted if column not in frame.columns]
    more = [Problem(name, "the contest has no such column", None, c) for c in frame.columns if c not in wanted]
    return missing + more


def _values(name: str, frame: pl.DataFrame) -> list[Problem]:
    text = Cells(name, frame.select(align.as_text(frame[column]) for column in frame.columns))
    problems = [p for column in households.QI for p in text.wrong(column, frame[column].is_null(), "every cell filled")]
    for column in households.SA:
        problems += cells.numbers(text, column, lambda number: number.is_not_null(), "a number")
    return problems


def _correspondence(path: Path, originals: int, released: int) -> list[Problem]:
    truth, problems = cells.read(path, ("original",))
    if truth is None:
        return problems
    if truth.height != released:
        return [Problem(truth.file, f"{truth.height:,} rows; the release has {released:,}: one for each")]
    wrong = cells.whole_numbers(truth, "original", 0, originals - 1)
    return wrong or cells.repeated(truth, "original", "row of the original")


def standing(card: Scorecard) -> dict[str, float]:
    """Security is the maximum over the sample attacks and AYA."""
    rates = [attack.rate for attack in card.attacks.values()]
    return {"security": max([*rates, *([card.aya.rate] if card.aya else [])])} if rates else {}


RULES = Rules(
    name="pwscup2015",
    title="PWSCUP 2015: microdata of households",
    files=("X.csv", "Y.csv", "correspondence.csv"),
    optional=1,
    check=check,
    reading={"qi": households.QI, "sa": households.SA, "how": files.Format()},
    measures=MEASURES,
    attacks=ATTACKS,
    utilities=UTILITIES,
    standing=standing,
)

"""PWS Cup 2021: a health survey. A team deletes rows X of the table B and changes the rest, C, to D, row by row.

No file has a header. B and D have twelve columns; X lists the deleted rows of B, counted from 0, so that row i of D was
made from the i-th row of B that is left. An attack answers, for each of the records asked about, up to three rows of D,
or -1 for "not a member".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from icefire.audit.limits import Gate
from icefire.audit.plan import AuditPlan
from icefire.contests.common import cells
from icefire.contests.common.cells import Cells
from icefire.contests.common.contest import Contest
from icefire.contests.common.problem import CheckResult, Problem
from icefire.contests.common.sample_files import SampleFiles
from icefire.contests.games.membership import MembershipGame, measure_release
from icefire.core.scorecard import Limit
from icefire.io import files
from icefire.io.format import Format
from icefire.io.read import read_table

ASKED = 50
"""So many deleted records and so many kept ones are asked about."""
ANSWERS = 3
"""So many rows of D may be answered for a record."""

COLUMNS = ("gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "gh", "mets", "qm", "dia")
EXPLAINING = ("gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "qm")
HOW = Format(header=False, columns=COLUMNS, decimal=".")
READING: Mapping[str, Any] = {
    "qi": EXPLAINING,
    "sa": ("dia",),
    "how": Format(header=False, decimal=".", columns=COLUMNS),
}

RANGES = {"age": (13.0, 85.0), "bmi": (13.0, 75.0)}
VALUES = {
    "gen": ("Female", "Male"),
    "race": ("Black", "Hispanic", "Mexican", "Other", "White"),
    "edu": ("11th", "9th", "College", "Graduate", "HighSchool", "Missing"),
    "mar": ("Divorced", "Married", "Never", "Parther", "Separated", "Widowed"),
    "dep": ("0", "1"),
    "pir": ("0", "1"),
    "qm": ("Q1", "Q2", "Q3", "Q4"),
    "dia": ("0", "1"),
}
NUMBERS, CATEGORIES = tuple(RANGES), tuple(VALUES)

_LOSS = {"numbers": NUMBERS, "categories": CATEGORIES}
_COUNTS = {
    "columns": EXPLAINING,
    "by": "dia",
    "bins": "age: 19 44 64 80; bmi: 15 18.5 25 30 70; dep: -inf 0.5 inf; pir: -inf 0.5 inf",
}
_FORMULA = {"formula": "dia ~ " + " + ".join(EXPLAINING)}
_CORRELATED = {"columns": (*EXPLAINING, "dia")}
MEASURES: Mapping[str, Mapping[str, Any]] = {
    "iloss": _LOSS,
    "iloss_age": {},
    "iloss_bmi": {},
    "iloss_cat": {"categories": CATEGORIES},
    "uniqrt": {"columns": EXPLAINING, "rounding": "age: 10; bmi: 10"},
    **dict.fromkeys(("cnt_max", "cnt_mean", "rate_max", "rate_mean"), _COUNTS),
    **dict.fromkeys(("coef_max", "coef_mean", "or_max", "or_mean", "pvalue_max", "pvalue_mean"), _FORMULA),
    **dict.fromkeys(("cor_max", "cor_mean"), _CORRELATED),
}
"""Measures with their parameters."""

_ONE_HOT = ("gen", "race", "edu", "mar", "qm")
_LOSS_ATTACKS = (
    "all_members",
    "far_candidate",
    "random_candidate",
    "near_density",
    "candidate_bayes",
    "member_assignment",
    "exchanged_rows",
    "scattered_rows",
    "link_members",
)
ATTACKS: Mapping[str, Mapping[str, Any]] = {
    "rlink": {"numbers": tuple(name for name in COLUMNS if name not in _ONE_HOT), "categories": _ONE_HOT},
    **dict.fromkeys(_LOSS_ATTACKS, _LOSS),
}
"""Sample attacks with their parameters."""
PARAMETERS = {**MEASURES, **ATTACKS}

LIMITS = {"uniqrt": 0.5, "rate_max": 0.05, "or_max": 0.1, "cor_max": 0.1}
ILOSS = {"preliminary": 6.0, "final": 4.0}
"""Largest loss of a row, by round; the other limits are the same in both."""
PRELIMINARY, FINAL = ({"iloss": loss, **LIMITS} for loss in ILOSS.values())
BEFORE_CHANGE = ("uniqrt",)
"""Measured on C, the kept rows before anything was changed."""


def find_problems(paths: Sequence[Path]) -> list[Problem]:
    """Check B, D and X and, if they are given, the answers E of an attack."""
    known, first = cells.read(paths[0], COLUMNS)
    shown, second = cells.read(paths[1], COLUMNS)
    deleted, third = cells.read(paths[2], ("row",))
    problems = [*first, *second, *third]
    for table in (known, shown):
        problems += [] if table is None else cells.wrong_values(table, COLUMNS, RANGES, VALUES)
    if known is not None and deleted is not None:
        problems += _wrong_deletions(deleted, known)
    if known is not None and shown is not None:
        problems += _wrong_sizes(known, shown, deleted)
    return problems + (_wrong_answers(paths[3], shown) if len(paths) > 3 else [])


def _wrong_deletions(deleted: Cells, known: Cells) -> list[Problem]:
    problems = cells.whole_numbers(deleted, "row", 0, known.height - 1) + cells.repeated(deleted, "row", "row")
    if deleted.height < ASKED:
        text = f"{deleted.height} rows; at least {ASKED} must be deleted, for so many are asked about"
        problems.append(Problem(deleted.file, text))
    return problems


def _wrong_sizes(known: Cells, shown: Cells, deleted: Cells | None) -> list[Problem]:
    problems = []
    if shown.height < known.height / 2:
        text = f"{shown.height:,} rows; at least half of the {known.height:,} rows of {known.file} are needed"
        problems.append(Problem(shown.file, text))
    if deleted is not None and shown.height + deleted.height != known.height:
        total = f"{shown.height:,} rows, and {deleted.height:,} in {deleted.file}"
        problems.append(Problem(shown.file, f"{total}; together they must be the {known.height:,} of {known.file}"))
    return problems


def _wrong_answers(path: Path, shown: Cells | None) -> list[Problem]:
    answers, problems = cells.read(path, tuple(f"answer {place}" for place in range(1, ANSWERS + 1)))
    if answers is None or shown is None:
        return problems
    if answers.height != 2 * ASKED:
        problems.append(Problem(answers.file, f"{answers.height:,} rows; an attack answers for {2 * ASKED} records"))
    for column in answers.frame.columns:
        problems += cells.whole_numbers(answers, column, -1, shown.height - 1)
    return problems


def measure_limits(paths: Sequence[Path]) -> CheckResult:
    """Measure a release without problems against the limits of the final round; the preliminary's are a remark.

    The share of unique rows is that of C, all else compares D with B: rows with those they were made from.
    """
    known, shown = (read_table(path, **READING) for path in paths[:2])
    gone = files.read_integers(paths[2], "deleted rows")[:, 0]
    kept = np.setdiff1d(np.arange(known.height), gone)
    plan = AuditPlan(measures=tuple(FINAL), parameters=PARAMETERS)
    measures = measure_release(known, shown, kept, plan, BEFORE_CHANGE)
    values = {name: measures[name].value for name in FINAL}
    final, early = (_compared(values, allowed) for allowed in (FINAL, PRELIMINARY))
    held = "within" if all(limit.passed for limit in early) else "over"
    remark = f"preliminary round (iloss at most {ILOSS['preliminary']:g}): {held} the limits"
    return CheckResult(limits=tuple(final), remarks=(remark,))


def _compared(values: Mapping[str, float | None], allowed: Mapping[str, float]) -> list[Limit]:
    """Compare; a figure without a value, such as odds ratios after a category vanished, is over its limit."""
    return [Limit(n, "max", allowed[n], v, v is not None and v <= allowed[n]) for n, v in values.items()]


CONTEST = Contest(
    name="pwscup2021",
    title="PWS Cup 2021: health survey with membership",
    files=("B.csv", "D.csv", "X.csv", "E.csv"),
    optional=1,
    find_problems=find_problems,
    measure_limits=measure_limits,
    reading=READING,
    game=partial(MembershipGame, asked=ASKED, answers=ANSWERS, before_change=BEFORE_CHANGE),
    sample=SampleFiles("survey"),
    measures=tuple(MEASURES),
    attacks=tuple(ATTACKS),
    parameters=PARAMETERS,
    limits=tuple(Gate(name, limit) for name, limit in FINAL.items()),
    fire_rule="best_three",
)

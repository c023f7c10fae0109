"""PWS Cup 2021: a health survey. A team deletes rows X of the table B and changes the rest, C, to D, row by row.

No file has a header. B and D have twelve columns; X lists the deleted rows of B, counted from 0, so that row i of D was
made from the i-th row of B that is left. An attack answers, for each of the records asked about, up to three rows of D,
or -1 for "not a member".
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from icefire.contests import cells
from icefire.contests.cells import Cells
from icefire.contests.rules import Problem, Rules
from icefire.contests.survey_limits import ASKED, ATTACKS, COLUMNS, MEASURES, PARAMETERS, READING, limits

NUMBERS = {"age": (13.0, 85.0), "bmi": (13.0, 75.0)}
CATEGORIES = {
    "gen": ("Female", "Male"),
    "race": ("Black", "Hispanic", "Mexican", "Other", "White"),
    "edu": ("11th", "9th", "College", "Graduate", "HighSchool", "Missing"),
    "mar": ("Divorced", "Married", "Never", "Parther", "Separated", "Widowed"),
    "dep": ("0", "1"),
    "pir": ("0", "1"),
    "qm": ("Q1", "Q2", "Q3", "Q4"),
    "dia": ("0", "1"),
}
ANSWERS = 3
TARGETS = 2 * ASKED


def check(paths: Sequence[Path]) -> list[Problem]:
    """Check B, D and X and, if they are given, the answers E of an attack."""
    known, first = cells.read(paths[0], COLUMNS)
    shown, second = cells.read(paths[1], COLUMNS)
    deleted, third = cells.read(paths[2], ("row",))
    problems = [*first, *second, *third]
    for table in (known, shown):
        problems += [] if table is None else _values(table)
    if known is not None and deleted is not None:
        problems += _deleted(deleted, known)
    if known is not None and shown is not None:
        problems += _sizes(known, shown, deleted)
    return problems + (_answers(paths[3], shown) if len(paths) > len(RULES.files) - 1 else [])


def _values(table: Cells) -> list[Problem]:
    problems = []
    for column in COLUMNS:
        if column in NUMBERS:
            low, high = NUMBERS[column]
            allowed = f"a number from {low:g} to {high:g}"
            problems += cells.numbers(table, column, lambda n, a=low, b=high: n.is_between(a, b), allowed)  # type: ignore[misc]
        elif column in CATEGORIES:
            problems += cells.one_of(table, column, CATEGORIES[column])
        else:
            problems += cells.numbers(table, column, lambda n: n.is_not_null(), "a number (it is not used)")
    return problems


def _deleted(deleted: Cells, known: Cells) -> list[Problem]:
    problems = cells.whole_numbers(deleted, "row", 0, known.height - 1) + cells.repeated(deleted, "row", "row")
    if deleted.height < ASKED:
        text = f"{deleted.height} rows; at least {ASKED} must be deleted, for so many are asked about"
        problems.append(Problem(deleted.file, text))
    return problems


def _sizes(known: Cells, shown: Cells, deleted: Cells | None) -> list[Problem]:
    problems = []
    if shown.height <= known.height / 2:
        text = f"{shown.height:,} rows; more than half of the {known.height:,} rows of {known.file} are needed"
        problems.append(Problem(shown.file, text))
    if deleted is not None and shown.height + deleted.height != known.height:
        total = f"{shown.height:,} rows, and {deleted.height:,} in {deleted.file}"
        problems.append(Problem(shown.file, f"{total}; together they must be the {known.height:,} of {known.file}"))
    return problems


def _answers(path: Path, shown: Cells | None) -> list[Problem]:
    answers, problems = cells.read(path, tuple(f"answer {place}" for place in range(1, ANSWERS + 1)))
    if answers is None or shown is None:
        return problems
    if answers.height != TARGETS:
        problems.append(Problem(answers.file, f"{answers.height:,} rows; an attack answers for {TARGETS} records"))
    for column in answers.frame.columns:
        problems += cells.whole_numbers(answers, column, -1, shown.height - 1)
    return problems


RULES = Rules(
    name="pwscup2021",
    title="PWS Cup 2021: health survey with membership",
    files=("B.csv", "D.csv", "X.csv", "E.csv"),
    optional=1,
    check=check,
    judge=lambda paths: limits(*paths[:3]),
    reading=READING,
    measures=MEASURES,
    parameters=PARAMETERS,
    attacks=ATTACKS,
    fire_rule="best_three",
)

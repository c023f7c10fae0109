"""iPWS Cup 2023: a health survey without deletion. A team changes the table B, row by row, to C.

No file has a header. The judge draws rows of C at random; attackers hold B and answer, for each drawn row, the row of
B it was made from, counted from 0. Utility is the geometric mean of six figures that compare C with B, privacy the
share of wrong answers of the best attacker, and the score their harmonic mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from icefire.audit.contest import ContestFiles, ContestFindings
from icefire.contests.common import cells, results
from icefire.contests.common.contest import Contest
from icefire.contests.common.game import SECURITY
from icefire.contests.common.problem import Problem
from icefire.contests.common.sample_files import SampleFiles
from icefire.contests.formulas import labelled_figures
from icefire.contests.games.sampled_rows import SampledRowsGame
from icefire.core.errors import InputError, UndefinedError
from icefire.core.scorecard import MeasureResult
from icefire.core.scorecard.attacks import AttackResult
from icefire.io.format import Format
from icefire.kernels.neighbours.numbers_and_words import nearest_rows_of_both
from icefire.kernels.types import Float, Int, Int32
from icefire.samples import survey

ASKED = 300
"""So many rows of C are drawn and asked about."""
COLUMNS = survey.COLUMNS
EXPLAINING = ("gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "qm")
RANGES = {"age": (13.0, 87.0), "bmi": (8.0, 91.0)}
VALUES = {
    "gen": ("Female", "Male"),
    "race": ("Black", "Hispanic", "Mexican", "Other", "White"),
    "edu": ("11th", "9th", "College", "Graduate", "HighSchool"),
    "mar": ("Divorced", "Married", "Never", "Parther", "Separated", "Widowed"),
    "dep": ("0", "1"),
    "pir": ("0", "1"),
    "qm": ("Q1", "Q2", "Q3", "Q4"),
    "dia": ("0", "1"),
}
WORDS = ("gen", "race", "edu", "mar", "qm")
NUMBERS = ("age", "bmi", "dep", "pir", "dia")
EDGES = {"age": (19.0, 44.0, 64.0, 80.0), "bmi": (15.0, 18.5, 25.0, 30.0, 70.0)}
FACTORS = ("rate_max", "or_max", "cor_max", "iloss2_age", "iloss2_bmi", "iloss2_cat")
MEASURES = {
    "rate_max": "Largest change of the share of a value with or without diabetes.",
    "or_max": "Largest change of an odds ratio of the model of diabetes, the intercept included.",
    "cor_max": "Largest change of a correlation of two columns, each value of a text a column of its own.",
    "iloss2_age": "Largest change of an age, in units of 20 years, at most 1.",
    "iloss2_bmi": "Largest change of a body mass index, in units of 20, at most 1.",
    "iloss2_cat": "Largest share of the eight categories of a row that were changed.",
    "utility": "Geometric mean of 1 less each of the six figures, 0 if one of these is not positive; higher is better.",
}
ATTACKS = {"rlink2": "The nearest row of B by squared differences of numbers and 2 for every unequal word."}
UNIT = 20.0
"""A change of age or body mass index by so much, or more, is the whole loss."""


LabelledFigures = Callable[[pl.DataFrame, str], dict[str, float]]


def find_problems(paths: Sequence[Path]) -> list[Problem]:
    """Check B, C and, if they are given, the answers E of an attack."""
    known, first = cells.read(paths[0], COLUMNS)
    shown, second = cells.read(paths[1], COLUMNS)
    problems = [*first, *second]
    for table in (known, shown):
        problems += [] if table is None else cells.wrong_values(table, COLUMNS, RANGES, VALUES)
    if known is not None and shown is not None and known.height != shown.height:
        text = f"{shown.height:,} rows; {known.file} has {known.height:,}, and no row is deleted or added"
        problems.append(Problem(shown.file, text))
    if len(paths) > 2 and known is not None:
        problems += _wrong_answers(paths[2], known.height)
    return problems


def _wrong_answers(path: Path, rows: int) -> list[Problem]:
    answers, problems = cells.read(path, ("answer",))
    if answers is None:
        return problems
    wanted = min(ASKED, rows)
    if answers.height != wanted:
        problems.append(Problem(answers.file, f"{answers.height:,} rows; an attack answers for {wanted:,} rows of C"))
    return problems + cells.whole_numbers(answers, "answer", 0, rows - 1)


def measure(known: pl.DataFrame, shown: pl.DataFrame) -> dict[str, MeasureResult]:
    """Measure C against B, both as text; a figure that is not defined has none, and then utility has none."""
    figures = {
        "rate_max": lambda: _difference(known, shown, _shares),
        "or_max": lambda: _difference(known, shown, _odds_ratios),
        "cor_max": lambda: _difference(known, shown, _correlations),
        "iloss2_age": lambda: _largest_change(known, shown, "age"),
        "iloss2_bmi": lambda: _largest_change(known, shown, "bmi"),
        "iloss2_cat": lambda: _changed_words(known, shown),
    }
    measures = {name: results.measured(compute) for name, compute in figures.items()}
    values = {name: result.value for name, result in measures.items()}
    return {**measures, "utility": results.measured(lambda: utility(values), highest="1")}


def utility(losses: Mapping[str, float | None]) -> float:
    """Return the geometric mean of 1 less each of the six losses; 0 where one of these is not positive."""
    missing = [name for name in FACTORS if losses.get(name) is None]
    if missing:
        raise UndefinedError(f"{missing[0]} has no value")
    factors = np.array([1 - (losses[name] or 0.0) for name in FACTORS])
    return float(np.prod(factors) ** (1 / len(factors))) if (factors > 0).all() else 0.0


def _difference(known: pl.DataFrame, shown: pl.DataFrame, figures: LabelledFigures) -> float:
    before, after = (figures(_typed(frame, name), name) for frame, name in ((known, "B"), (shown, "C")))
    return labelled_figures.largest_difference(before, after)


def _typed(frame: pl.DataFrame, table: str) -> pl.DataFrame:
    return frame.with_columns(results.as_numbers(frame[name], table) for name in NUMBERS)


def _shares(frame: pl.DataFrame, table: str) -> dict[str, float]:
    return labelled_figures.shares(frame, EXPLAINING, "dia", EDGES)


def _odds_ratios(frame: pl.DataFrame, table: str) -> dict[str, float]:
    return labelled_figures.odds_ratios(frame, "dia", EXPLAINING, table)


def _correlations(frame: pl.DataFrame, table: str) -> dict[str, float]:
    return labelled_figures.correlations(frame.select(*EXPLAINING, "dia"))


def _check_rows(known: pl.DataFrame, shown: pl.DataFrame) -> None:
    if known.height != shown.height:
        raise UndefinedError(f"B has {known.height:,} rows and C {shown.height:,}; rows cannot be compared")


def _largest_change(known: pl.DataFrame, shown: pl.DataFrame, column: str) -> float:
    _check_rows(known, shown)
    change = results.as_numbers(known[column], "B") - results.as_numbers(shown[column], "C")
    return float(np.minimum(np.abs(change.to_numpy()), UNIT).max()) / UNIT


def _changed_words(known: pl.DataFrame, shown: pl.DataFrame) -> float:
    _check_rows(known, shown)
    unequal = [_as_words(known, name) != _as_words(shown, name) for name in VALUES]
    return float(pl.DataFrame(unequal).sum_horizontal().max()) / len(VALUES)  # type: ignore[arg-type]


def _as_words(frame: pl.DataFrame, column: str) -> pl.Series:
    """Return the values of a category; 1 and 1.0 are one value."""
    text = frame[column].fill_null("")
    numbers = text.cast(pl.Float64, strict=False)
    return (text if column in WORDS else numbers.cast(pl.String).fill_null(text)).alias(column)


def rlink2(known: pl.DataFrame, shown: pl.DataFrame) -> Int:
    """Answer the nearest row of B for every row of C; the lowest of equally near ones."""
    x, y = (_points(frame, both) for frame, both in ((known, (known, shown)), (shown, (known, shown))))
    return nearest_rows_of_both(x, y, squared=True)


def _points(frame: pl.DataFrame, both: tuple[pl.DataFrame, pl.DataFrame]) -> tuple[Float, Int32]:
    numbers = [results.as_numbers(frame[name], "a table").to_numpy() for name in NUMBERS]
    words = [frame[name].fill_null("").cast(_words_of(both, name)).to_physical().to_numpy() for name in WORDS]
    return np.column_stack(numbers), np.column_stack(words).astype(np.int32)


def _words_of(both: tuple[pl.DataFrame, pl.DataFrame], column: str) -> pl.Enum:
    return pl.Enum(pl.concat([frame[column] for frame in both]).fill_null("").unique().sort())


def own_audit(given: ContestFiles) -> ContestFindings:
    """Measure C against B and attack all its rows: the drawn ones in expectation."""
    results.check_parameters(given.parameters, {})
    known, shown = read(given.original), read(given.released)
    attacks, left_out = attack(known, shown, np.arange(shown.height))
    return ContestFindings(measure(known, shown), attacks, known.height, shown.height, COLUMNS, left_out)


def attack(known: pl.DataFrame, shown: pl.DataFrame, rows: Int) -> tuple[dict[str, AttackResult], dict[str, str]]:
    """Attack rows of C that were made from these rows of B; returns results, and what could not run with the reason."""
    try:
        hits = int((rlink2(known, shown) == rows).sum())
    except UndefinedError as error:
        return {}, {"rlink2": error.message}
    return {"rlink2": results.attacked(hits, shown.height, knows="all of B")}, {}


def read(path: Path) -> pl.DataFrame:
    """Read a table as text.

    Raises:
        InputError: If a row has another number of columns.
    """
    table, problems = cells.read(path, COLUMNS)
    if table is None:
        raise InputError(str(problems[0]))
    return table.frame


def harmonic_score(value: float, privacy: float) -> float:
    """Return the harmonic mean of utility and privacy, 0 if either is 0; the highest wins."""
    return 2 * value * privacy / (value + privacy) if value > 0 and privacy > 0 else 0.0


def score_parts(measures: Mapping[str, float], security: float) -> dict[str, float]:
    """Return 1 less the score in two parts: what is missing in utility, and what in privacy."""
    value, privacy = measures["utility"], 1 - security
    total = value + privacy
    if total <= 0:
        return {"utility": 0.5, SECURITY: 0.5}
    return {"utility": privacy * (1 - value) / total, SECURITY: value * (1 - privacy) / total}


def figures(values: Mapping[str, float | None], security: float) -> dict[str, float]:
    """Return utility, privacy and score; none where utility is undefined."""
    value = values.get("utility")
    if value is None:
        return {}
    return {"utility": value, "privacy": 1 - security, "score": harmonic_score(value, 1 - security)}


CONTEST = Contest(
    name="ipwscup2023",
    title="iPWS Cup 2023: health survey without deletion",
    files=("B.csv", "C.csv", "E.csv"),
    optional=1,
    find_problems=find_problems,
    reading={"how": Format(header=False, decimal=".", columns=COLUMNS)},
    game=partial(SampledRowsGame, asked=ASKED, read=read, measure=measure, attack=attack),
    sample=SampleFiles("survey"),
    measures=tuple(MEASURES),
    attacks=tuple(ATTACKS),
    summaries={**MEASURES, **ATTACKS},
    utilities=("utility",),
    fire_rule="mean",
    score_parts=score_parts,
    own_audit=own_audit,
    figures=figures,
)

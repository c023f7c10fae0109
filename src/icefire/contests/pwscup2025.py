"""PWS Cup 2025: synthetic patients. A team makes, from the patients B, as many synthetic rows C.

Tables have a header and 18 columns. Attackers hold a pool A that B was drawn from and mark as many of its rows as B
has: the patients that they take for members. Utility compares statistics, a logistic regression and Kruskal-Wallis
tests of B and C. The contest's model of strokes (XGBoost) and its 20 points are not part of it here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from icefire.audit.contest import ContestFiles, ContestFindings
from icefire.contests.common import cells, column_rules, results
from icefire.contests.common.cells import Cells
from icefire.contests.common.column_rules import ColumnRule
from icefire.contests.common.contest import Contest
from icefire.contests.common.game import SECURITY
from icefire.contests.common.problem import Problem
from icefire.contests.common.sample_files import SampleFiles
from icefire.contests.formulas import column_statistics, kruskal_figures, logistic_terms
from icefire.contests.games.named_members import NamedMembersGame
from icefire.core.errors import InputError, UndefinedError
from icefire.core.scorecard import MeasureResult
from icefire.core.scorecard.attacks import AttackResult
from icefire.io import files
from icefire.io.format import Format
from icefire.kernels.neighbours.numbers_and_words import nearest_rows_of_both
from icefire.kernels.types import Float, Int, Int32
from icefire.samples import patients

SHARE = 10
"""One in so many patients of the pool is a member."""
COLUMNS = patients.COLUMNS
VALUES = {
    "GENDER": ("F", "M"),
    "RACE": ("asian", "black", "hawaiian", "native", "other", "white"),
    "ETHNICITY": ("hispanic", "nonhispanic"),
    **dict.fromkeys(patients.FLAGS, ("0", "1")),
}
RANGES = {
    "AGE": (2, 110),
    "encounter_count": (4, 1211),
    "num_procedures": (0, 2442),
    "num_medications": (0, 7195),
    "num_immunizations": (0, 40),
    "num_allergies": (0, 17),
    "num_devices": (0, 160),
    "mean_systolic_bp": (37.22, 172.85),
    "mean_diastolic_bp": (1.78, 126.17),
    "mean_bmi": (2.97, 73.58),
    "mean_weight": (4.55, 196.7),
}
"""Ranges of the final round."""
DECIMALS = 2
"""Of the means; all other numbers are whole."""
RULES = {
    name: ColumnRule(values=VALUES[name])
    if name in VALUES
    else ColumnRule(None, *RANGES[name], DECIMALS if name in patients.MEANS else 0)
    for name in COLUMNS
}
TARGET = "asthma_flag"
TESTED = ("encounter_count", "num_medications", "num_procedures", "num_immunizations", "num_devices")
AGE_EDGES = (18, 45, 65, 75)
PARTS = {"stats_max": 40.0, "logistic_max": 20.0, "kruskal_max": 20.0}
"""Points of utility."""
POINTS = sum(PARTS.values())
MEASURES = {
    "stats_max": "Largest change of a statistic of a column, of the share of a value, or of a correlation.",
    "logistic_max": "Largest change of a figure of the logistic regression of asthma on all other columns.",
    "kruskal_max": "Largest change of a figure of the Kruskal-Wallis tests by groups of age.",
    "utility_without_model": "Points of usefulness, of 80: 40, 20 and 20 for the three; higher is better.",
}
TableFigures = Callable[[pl.DataFrame], dict[str, float]]
ATTACKS = {"nearest_l1": "Each synthetic row marks its nearest patient of the pool."}


def find_problems(paths: Sequence[Path]) -> list[Problem]:
    """Check C against B and, if they are given, the marks F of an attack; a JSON file holds the rules of another round.

    Values of B are not checked: it is what teams are given, and some lie outside the ranges.
    """
    rules, problems = _rules([path for path in paths[2:] if path.suffix.lower() == ".json"])
    tables = [_read_cells(path) for path in paths[:2]]
    problems += [problem for _, some in tables for problem in some]
    known, shown = (table for table, _ in tables)
    if shown is not None:
        problems += column_rules.wrong_values(shown, rules)
    if known is not None and shown is not None and known.height != shown.height:
        text = f"{shown.height:,} rows; {known.file} has {known.height:,}, and both must have as many"
        problems.append(Problem(shown.file, text))
    for path in paths[2:]:
        if path.suffix.lower() != ".json" and known is not None:
            problems += wrong_marks(path, None, known.height)
    return problems


def _rules(paths: Sequence[Path]) -> tuple[Mapping[str, ColumnRule], list[Problem]]:
    """Return the rules of the columns: those of a file, or of the final round."""
    if not paths:
        return RULES, []
    rules, problems = column_rules.read_rules(paths[0], COLUMNS)
    return rules or {}, problems


def _read_cells(path: Path) -> tuple[Cells | None, list[Problem]]:
    table, problems = cells.read(path, COLUMNS)
    if table is None:
        return None, problems
    header = table.frame.row(0) if table.height else ()
    wrong = next((place for place, name in enumerate(COLUMNS) if not header or header[place] != name), None)
    if wrong is not None:
        named = repr(header[wrong]) if header else "no name"
        text = f"column {wrong + 1} has {named}; it must be {COLUMNS[wrong]!r}, in this order"
        return None, [Problem(path.name, text)]
    return Cells(path.name, table.frame[1:]), []


def wrong_marks(path: Path, rows: int | None, members: int) -> list[Problem]:
    """Say what is wrong with marks: one column of 0 and 1, a line per row of the pool, exactly so many ones."""
    marks, problems = cells.read(path, ("mark",))
    if marks is None:
        return problems
    problems = cells.one_of(marks, "mark", ("0", "1"))
    if rows is not None and marks.height != rows:
        problems.append(Problem(marks.file, f"{marks.height:,} rows; the pool has {rows:,}: one mark for each"))
    ones = int((marks.frame["mark"] == "1").sum())
    if not problems and ones != members:
        problems.append(Problem(marks.file, f"{ones:,} ones; exactly {members:,} are needed, as many as B has rows"))
    return problems


def measure(known: pl.DataFrame, shown: pl.DataFrame, coefficients: str = "squashed") -> dict[str, MeasureResult]:
    """Measure C against B, both as text; a figure that is not defined has none, and then utility has none."""
    before, after = column_statistics.trimmed(known), column_statistics.trimmed(shown)
    figures: dict[str, Callable[[], float]] = {
        "stats_max": lambda: _difference(before, after, column_statistics.statistics),
        "logistic_max": lambda: logistic_max(before, after, coefficients),
        "kruskal_max": lambda: _difference(before, after, _kruskal),
    }
    measures = {name: results.measured(compute) for name, compute in figures.items()}
    values = {name: result.value for name, result in measures.items()}
    return {**measures, "utility_without_model": results.measured(lambda: utility(values), highest="80")}


def _difference(before: pl.DataFrame, after: pl.DataFrame, figures: TableFigures) -> float:
    return column_statistics.largest_difference_of_all(figures(before), figures(after))


def logistic_max(before: pl.DataFrame, after: pl.DataFrame, coefficients: str) -> float:
    """Return the largest change of a figure of the regression; changes of coefficients pass tanh(d/2) if squashed."""
    first, second = (logistic_terms.logistic_figures(frame, TARGET) for frame in (before, after))
    largest = 0.0
    for label in dict.fromkeys([*first, *second]):
        change = abs(first.get(label, 0.0) - second.get(label, 0.0))
        squashed = label.startswith("coef: ") and coefficients == "squashed"
        largest = max(largest, math.tanh(change / 2) if squashed else change)
    return largest


def has_both_classes(members: pl.DataFrame) -> bool:
    """Tell whether the regression is defined: there are patients with asthma and patients without it."""
    return members[TARGET].str.strip_chars().n_unique() > 1


def _kruskal(frame: pl.DataFrame) -> dict[str, float]:
    ages = column_statistics.parsed(frame["AGE"])
    group = np.where(ages >= 0, np.digitize(ages, AGE_EDGES), -1)  # who has no age, or a negative one, is in no group
    figures: dict[str, float] = {}
    for name in TESTED:
        values = column_statistics.parsed(frame[name])
        known = ~np.isnan(values)
        groups = [values[known & (group == number)] for number in range(len(AGE_EDGES) + 1)]
        figures |= {f"{name} {figure}": value for figure, value in kruskal_figures.kruskal_figures(groups).items()}
    return figures


def utility(losses: Mapping[str, float | None]) -> float:
    """Return the points of usefulness, of 80, without the model."""
    missing = next((name for name in PARTS if losses.get(name) is None), None)
    if missing is not None:
        raise UndefinedError(f"{missing} has no value")
    stats, logistic, kruskal = (losses[name] or 0.0 for name in PARTS)
    return 40 * max(0.0, 1 - stats) + 20 * (1 - logistic) + 20 * (1 - kruskal)


def nearest_l1(shown: pl.DataFrame, pool: pl.DataFrame) -> Int:
    """Return the rows of the pool that are nearest to some synthetic row, ascending."""
    columns = [name for name in pool.columns if name in shown.columns]
    a, c = column_statistics.trimmed(pool.select(columns)), column_statistics.trimmed(shown.select(columns))
    numeric = column_statistics.numeric_columns(a)
    x, y = _scaled(a, c, numeric)
    words = [name for name in columns if name not in numeric]
    return np.unique(nearest_rows_of_both((x, _codes(a, c, words)[0]), (y, _codes(a, c, words)[1]), squared=False))


def _scaled(a: pl.DataFrame, c: pl.DataFrame, numeric: Sequence[str]) -> tuple[Float, Float]:
    left: list[Float] = []
    right: list[Float] = []
    for name in numeric:
        values = column_statistics.parsed(a[name])
        extent = np.nanmax(values) - np.nanmin(values)
        if extent > 0:
            median = np.nanmedian(values)
            for frame, side in ((a, left), (c, right)):
                numbers = column_statistics.parsed(frame[name])
                side.append(np.where(np.isnan(numbers), median, numbers) / extent)
    empty = (np.empty((a.height, 0)), np.empty((c.height, 0)))
    return (np.column_stack(left), np.column_stack(right)) if left else empty


def _codes(a: pl.DataFrame, c: pl.DataFrame, words: Sequence[str]) -> tuple[Int32, Int32]:
    both = pl.concat([a.select(words), c.select(words)]).select(pl.all().str.to_lowercase().rank("dense"))
    codes = both.to_numpy().astype(np.int32) if words else np.empty((a.height + c.height, 0), np.int32)
    return codes[: a.height], codes[a.height :]


def attack(members: pl.DataFrame, shown: pl.DataFrame, pool: pl.DataFrame) -> dict[str, AttackResult]:
    """Mark rows of the pool, and count those that are members: rows of B as they are."""
    marked = nearest_l1(shown, pool)
    hits = pool[marked].join(members.unique(), on=list(members.columns), how="semi", nulls_equal=True).height
    return {"nearest_l1": results.attacked(hits, members.height, knows="the pool", marked=len(marked))}


def own_audit(given: ContestFiles) -> ContestFindings:
    """Measure C against B and, where a pool is given, seek the members in it."""
    results.check_parameters(given.parameters, {"logistic_max": ("coefficients",)})
    coefficients = results.chosen(given.parameters, "logistic_max", "coefficients", ("squashed", "raw"))
    known, shown = read(given.original), read(given.released)
    measures = measure(known, shown, coefficients)
    if given.pool is None:
        attacks, left_out = {}, {"nearest_l1": "it seeks members in a pool; name one with --pool A.csv"}
    else:
        attacks, left_out = attack(known, shown, read(given.pool)), {}
    return ContestFindings(measures, attacks, known.height, shown.height, known.columns, left_out)


def read(path: Path) -> pl.DataFrame:
    """Read a table with a header as text.

    Raises:
        InputError: If it cannot be read.
    """
    files.check_readable(path)
    try:
        return pl.read_csv(path, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{path.name} cannot be read as CSV ({str(error).partition(chr(10))[0]})") from None


def anonymity(hits: Sequence[int], members: int, named_by: int) -> float:
    """Return the points of anonymity, of 100.

    Args:
        hits: Members that each attacking team named.
        members: How many members there are.
        named_by: The most teams that named one and the same member.

    Returns:
        100 less the share that the best team named in per cent, less 1 for every further team that named one member.
    """
    return max(0.0, 100 * (1 - max(hits, default=0) / members) - max(0, named_by - 1))


def score_parts(measures: Mapping[str, float], security: float) -> dict[str, float]:
    """Return the points that are missing, of 180: in usefulness and in anonymity."""
    return {"utility_without_model": POINTS - measures["utility_without_model"], SECURITY: 100 * security}


def figures(values: Mapping[str, float | None], security: float) -> dict[str, float]:
    """Return the points of usefulness and anonymity and their sum; none where usefulness is undefined."""
    value = values.get("utility_without_model")
    if value is None:
        return {}
    points = 100 * (1 - security)
    return {"utility": value, "anonymity": points, "score": value + points}


CONTEST = Contest(
    name="pwscup2025",
    title="PWS Cup 2025: synthetic patients and membership",
    files=("B.csv", "C.csv", "F.csv", "ranges.json"),
    optional=2,
    find_problems=find_problems,
    reading={"how": Format(header=True, decimal=".")},
    game=partial(
        NamedMembersGame,
        share=SHARE,
        read=read,
        measure=measure,
        attack=attack,
        wrong_marks=wrong_marks,
        measurable=has_both_classes,
    ),
    sample=SampleFiles("patients", small=300),
    measures=tuple(MEASURES),
    attacks=tuple(ATTACKS),
    summaries={**MEASURES, **ATTACKS},
    utilities=("utility_without_model",),
    fire_rule="best_ten",
    score_parts=score_parts,
    own_audit=own_audit,
    figures=figures,
)

"""Train on the release, test on the original: does a model for one column still work?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from icefire.core import seeds
from icefire.core.errors import UndefinedError
from icefire.core.formatting import number
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.kernels.types import Bool, Float, Int
from icefire.measures.compared_columns import described_columns
from icefire.measures.drawn_values import DrawnColumn, DrawnTables, draw_tables
from icefire.measures.noted import NotedValue
from icefire.regression.linear_models import predicted_classes, predicted_numbers
from icefire.regression.main_effects import MainEffects, code_rows

FOLDS = 5
LEAST_ROWS = 10
MOST_CLASSES = 50


@dataclass(frozen=True, slots=True)
class TaskScores:
    """How well a model does on original rows it was not trained with."""

    target: str
    unit: str
    """What the scores are: accuracy or R²."""
    by_release: float
    by_original: float
    without: float
    """What the model reaches that says the same of everybody."""
    extent: str

    @property
    def note(self) -> str:
        """Both scores in words."""
        scores = (
            f"{self.unit} for {self.target}: {number(self.by_release)} trained on the release, "
            f"{number(self.by_original)} on the original, {number(self.without)} without a model"
        )
        return "; ".join(filter(None, (scores, self.extent)))


@measure("task_score", needs=("original",), better="higher", best="1", explicit_only=True)
def task_score(comparison: Comparison, *, target: str | None = None) -> float:
    """How well a model trained on the release tells a column of the original: accuracy of categories, R² of numbers.

    The original is cut into five parts at random. For each, one model is trained on the released rows of everybody else
    and one on the original rows of everybody else, and both are tested on the original rows of the part. Where it is
    not known which original a released row comes from, all released rows train, so that copies help. Models are linear
    with main effects: discriminants for categories and for numbers with two values, least squares for other numbers.
    Columns are coded as for `pmse`.

    Args:
        comparison: The original table, the released one, and the original row of each released row if known.
        target: Column to predict. Default: the first sensitive attribute that varies.

    Returns:
        The score of the model trained on the release (R² may be below 0), with a note that says what a model trained on
        the original reaches.

    Raises:
        SchemaError: If the target is not in the table.
        UndefinedError: If there is no target, it does not vary, or there are too few rows or too many categories.
    """
    scores = task_scores(comparison, target)
    return NotedValue(scores.by_release, scores.note)


@measure("task_loss", needs=("original",), explicit_only=True)
def task_loss(comparison: Comparison, *, target: str | None = None) -> float:
    """What a model for one column loses if it is trained on the release instead of the original; see `task_score`.

    Args:
        comparison: The original table, the released one, and the original row of each released row if known.
        target: Column to predict. Default: the first sensitive attribute that varies.

    Returns:
        The score of the model trained on the original less that of the model trained on the release; below 0 if the
        release trains better.

    Raises:
        SchemaError: If the target is not in the table.
        UndefinedError: If there is no target, it does not vary, or there are too few rows or too many categories.
    """
    scores = task_scores(comparison, target)
    return NotedValue(scores.by_original - scores.by_release, scores.note)


def task_scores(comparison: Comparison, target: str | None = None) -> TaskScores:
    """Train and test the models for a target; computed once for both measures."""
    return comparison.case.cached(("task", target), lambda: _scores(comparison, _target(comparison, target)))


def _target(comparison: Comparison, named: str | None) -> str:
    schema, frame = comparison.original.schema, comparison.original.frame
    if named is not None:
        target = schema.pick((named,), (), "target")[0]
        if target not in comparison.released.frame.columns:
            raise UndefinedError(f"the release does not have the column {target!r}; name another target")
        return target
    for name in comparison.original.sa:
        if frame[name].drop_nulls().n_unique() > 1:
            return name
    raise UndefinedError("no sensitive attribute varies; name a column with the parameter target")


def _scores(comparison: Comparison, target: str) -> TaskScores:
    names = described_columns(comparison, None)
    tables = draw_tables(comparison, names if target in names else (*names, target), always=target)
    goal = tables.columns[target]
    others = [column for name, column in tables.columns.items() if name != target]
    rows = code_rows(
        len(goal.values),
        [column.as_numbers() for column in others if column.column.is_number],
        [column.values for column in others if not column.column.is_number],
    )
    is_number = goal.column.is_number and len(np.unique(goal.column.known[goal.column.known < goal.column.size])) > 2
    folds = _Folds(comparison, tables, goal)
    extent = "; ".join(filter(None, (tables.extent, folds.extent)))
    if is_number:
        return _score_numbers(target, rows, goal.as_numbers(), folds, extent)
    return _score_classes(target, rows, goal, folds, extent)


class _Folds:
    """Which rows train and which are tested, part by part."""

    def __init__(self, comparison: Comparison, tables: DrawnTables, goal: DrawnColumn) -> None:
        """Cut the original rows that have a value of the target into parts."""
        self.originals = len(tables.known)
        has_value = goal.values < goal.column.size
        self.has_value = has_value & np.append(~goal.column.words, False)[goal.values]
        if self.has_value[: self.originals].sum() < LEAST_ROWS or not self.has_value[self.originals :].any():
            raise UndefinedError(f"a model needs {LEAST_ROWS} original rows and some released ones with a value")
        rng = seeds.generator(seeds.DEFAULT_SEED, "measure", "task")
        part = rng.permutation(np.arange(comparison.original.height) % FOLDS)
        self.part = part[tables.known]
        origin = comparison.truth.rows
        self.is_matched = len(origin) == comparison.released.height and bool((origin >= 0).any())
        shown = np.full(len(tables.shown), -1)
        if self.is_matched:
            owners = origin[tables.shown]
            shown = np.where(owners >= 0, part[np.maximum(owners, 0)], -1)
        self.shown_part = shown

    @property
    def extent(self) -> str:
        """Say if released rows of the people tested may have trained the model."""
        return "" if self.is_matched else "released rows of the people tested are not left out, as they are not known"

    def train_on_release(self, fold: int) -> Bool:
        """Released rows of people outside the part."""
        return self._rows(np.zeros(self.originals, bool), self.shown_part != fold)

    def train_on_original(self, fold: int) -> Bool:
        """Original rows outside the part."""
        return self._rows(self.part != fold, np.zeros(len(self.shown_part), bool))

    def test(self, fold: int) -> Bool:
        """Original rows of the part."""
        return self._rows(self.part == fold, np.zeros(len(self.shown_part), bool))

    def _rows(self, known: Bool, shown: Bool) -> Bool:
        rows: Bool = np.concatenate([known, shown]) & self.has_value
        return rows


def _score_numbers(target: str, rows: MainEffects, goal: Float, folds: _Folds, extent: str) -> TaskScores:
    """R² over all parts: 1 less the squared error as a share of that of the mean."""
    errors = np.zeros(3)
    for fold in range(FOLDS):
        test = folds.test(fold)
        release, original = folds.train_on_release(fold), folds.train_on_original(fold)
        if not test.any() or not release.any() or not original.any():
            continue
        truth, checked = goal[test], rows.take(test)
        guesses = [predicted_numbers(rows.take(train), goal[train], checked) for train in (release, original)]
        errors += [*(((truth - guess) ** 2).sum() for guess in guesses), ((truth - goal[original].mean()) ** 2).sum()]
    if not errors[2]:
        raise UndefinedError(f"the target {target!r} does not vary in the original; name another column")
    by_release, by_original, _ = 1 - errors / errors[2]
    return TaskScores(target, "R²", float(by_release), float(by_original), 0.0, extent)


def _score_classes(target: str, rows: MainEffects, goal: DrawnColumn, folds: _Folds, extent: str) -> TaskScores:
    """Share of the rows tested whose category is told rightly."""
    present = np.unique(goal.values[: folds.originals][folds.has_value[: folds.originals]])
    if len(present) < 2:
        raise UndefinedError(f"the target {target!r} does not vary in the original; name another column")
    if len(present) > MOST_CLASSES:
        raise UndefinedError(
            f"the target {target!r} has {len(present):,} categories, more than {MOST_CLASSES}; name another column"
        )
    classes = np.full(goal.column.size + 1, -1)
    classes[present] = np.arange(len(present))
    labels: Int = classes[goal.values]
    hits, tested = np.zeros(3), 0
    for fold in range(FOLDS):
        test = folds.test(fold)
        release, original = (
            rows_of(fold) & (labels >= 0) for rows_of in (folds.train_on_release, folds.train_on_original)
        )
        if not test.any() or not release.any() or not original.any():
            continue
        truth, checked = labels[test], rows.take(test)
        guesses = [predicted_classes(rows.take(t), labels[t], len(present), checked) for t in (release, original)]
        common = np.bincount(labels[original]).argmax()
        hits += [*((guess == truth).sum() for guess in guesses), (truth == common).sum()]
        tested += len(truth)
    if not tested:
        raise UndefinedError(f"too few rows to train a model for {target!r}")
    by_release, by_original, common_share = hits / tested
    return TaskScores(target, "accuracy", float(by_release), float(by_original), float(common_share), extent)

"""Truth, guess, case, comparison and release: what the attacker receives and what only the judge has.

A `Case` is all an attack receives. The `Truth` is not reachable from it: not as an attribute, not through a
closure, not on disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.answer_evidence import AnswerEvidence
from icefire.core.blocks import Blocks, Candidates, EncodedColumn, EncodedPair
from icefire.core.cache import CachedProperties
from icefire.core.coded_text import CodedPair, code_together
from icefire.core.dataset import Dataset
from icefire.core.display import ShownInNotebooks
from icefire.core.errors import InputError
from icefire.kernels.common.column_spread import column_spread
from icefire.kernels.types import Float, Int

ValueScale = Literal["raw", "standard"]
DataT = TypeVar("DataT")

NO_ANSWER = -1
SPREAD = "spread"


@dataclass(frozen=True, slots=True)
class Truth:
    """For every target, the row it really is; -1 where it is none. The judge's alone."""

    rows: Int

    def __repr__(self) -> str:
        return f"Truth(<{len(self.rows)} rows, secret>)"

    def __len__(self) -> int:
        return len(self.rows)

    def checked(self, targets: int, originals: int) -> Truth:
        """Return itself if it fits a release of `targets` rows made from `originals` rows."""
        if len(self.rows) != targets:
            raise InputError(
                f"the truth has {len(self.rows):,} rows, the release {targets:,}; give one original row for each"
            )
        wrong = np.flatnonzero((self.rows < 0) | (self.rows >= originals))
        if len(wrong):
            raise InputError(
                f"the truth is out of range: row {wrong[0]} holds {self.rows[wrong[0]]}; allowed are the rows "
                f"of the original, 0 to {originals - 1} (counted from 0)"
            )
        return self


@dataclass(frozen=True, slots=True)
class Guess(ShownInNotebooks):
    """An attacker's answers: for every target one or more rows, best first, -1 for none."""

    rows: Int
    candidates: Candidates | None = None
    """Where the answer was drawn from candidates at random: all of them, for the exact expectation."""
    probability: Float | None = None
    """Of each first answer, the probability that it is right, if the attack can tell."""
    notes: dict[str, Any] = field(default_factory=dict, compare=False)
    """What the attack learned about the release."""
    scores: Float | None = None
    """Membership: of each target any finite number, the higher the likelier it is in the release. Without scores, who
    is given a row scores 1 and who is given none scores 0."""
    evidence: AnswerEvidence | None = field(default=None, compare=False)
    """What speaks for each first answer, if the attack can tell."""

    def __repr__(self) -> str:
        return f"<Guess: {len(self.rows):,} targets, {int((self.first != NO_ANSWER).sum()):,} answered>"

    def __post_init__(self) -> None:
        if self.rows.ndim == 1:
            object.__setattr__(self, "rows", self.rows.reshape(-1, 1))

    @classmethod
    def by_scores(cls, scores: Float) -> Guess:
        """Make an answer about membership that names no rows."""
        return cls(np.empty((len(scores), 0), np.int64), scores=np.asarray(scores, np.float64))

    @property
    def names_rows(self) -> bool:
        """Whether rows are named at all; scores alone name none."""
        return int(self.rows.shape[1]) > 0

    @property
    def first(self) -> Int:
        """The best answer for each target."""
        first: Int = self.rows[:, 0] if self.names_rows else np.full(len(self.rows), NO_ANSWER, np.int64)
        return first

    def __len__(self) -> int:
        return len(self.rows)

    def checked(self, targets: int, originals: int) -> Guess:
        """Return itself if it answers `targets` questions with rows below `originals`."""
        if len(self.rows) != targets:
            raise InputError(
                f"the guess has {len(self.rows):,} rows for {targets:,} targets; give one row per target, -1 for none"
            )
        wrong = np.argwhere((self.rows < NO_ANSWER) | (self.rows >= originals))
        if len(wrong):
            row, column = wrong[0]
            raise InputError(
                f"the guess is out of range: row {row} holds {self.rows[row, column]}; "
                f"allowed are -1 (no answer) to {originals - 1}"
            )
        if self.probability is not None:
            self._check_probability(self.probability)
        if self.scores is not None:
            self._check_scores(self.scores)
        return self

    def _check_scores(self, scores: Float) -> None:
        if scores.shape != (len(self.rows),):
            raise InputError(f"the guess has {scores.size:,} scores for {len(self.rows):,} targets; give one for each")
        wrong = np.flatnonzero(~np.isfinite(scores))
        if len(wrong):
            raise InputError(
                f"the score of target {wrong[0]} is {scores[wrong[0]]} ({len(wrong):,} of {len(scores):,} are not "
                "finite); give a finite number for each, the higher the likelier a member"
            )

    def _check_probability(self, probability: Float) -> None:
        if probability.shape != (len(self.rows),):
            raise InputError(
                f"the guess has {len(self.rows):,} rows, but {probability.size:,} probabilities; "
                "give one for each first answer"
            )
        wrong = np.flatnonzero(~((probability >= 0) & (probability <= 1)))
        if len(wrong):
            raise InputError(f"the probability of row {wrong[0]} is {probability[wrong[0]]}; allowed are 0 to 1")


@dataclass(frozen=True, slots=True)
class ReplayedCopy(Generic[DataT]):
    """The attacker's own copy of the original after steps of a known recipe; nothing in it comes from the release."""

    data: DataT
    rows: Int
    """The original row of each row; of a history, the original subject of each subject."""
    steps: tuple[str, ...]
    """The steps that were applied, in words."""
    complete: bool = False
    """These are all steps of the recipe: rows of the release are rows of the copy."""


@dataclass(frozen=True, slots=True)
class Case(CachedProperties):
    """What the attacker holds: people, and the released table. The targets are the released rows."""

    known: Dataset
    """The people known: the original (maximum knowledge), a part or a blurred copy of it, or a register."""
    released: Dataset
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    replayed: tuple[ReplayedCopy[Dataset], ...] = ()
    """Where the recipe is known or guessed: the original after its steps that draw nothing, in every version that is
    worth trying."""
    _known_points: dict[Any, Float] = field(default_factory=dict, repr=False, compare=False)
    """The people known as points; cases of the same people share them."""

    @property
    def targets(self) -> int:
        """Number of questions: one per released row."""
        return self.released.height

    @property
    def choices(self) -> int:
        """Number of possible answers: the rows known."""
        return self.known.height

    def blocks(self, columns: Sequence[str] | None = None) -> Blocks:
        """Rows of both tables that agree on the columns (default: the quasi-identifiers)."""
        names = tuple(self.known.qi if columns is None else columns)
        return self.cached(("blocks", names), lambda: self._blocks(names))

    def _blocks(self, names: tuple[str, ...]) -> Blocks:
        encoded = [self.encoded(name) for name in names]
        return blocks.blocks_of_pairs(encoded, self.known.height, self.released.height)

    def encoded(self, column: str) -> EncodedPair:
        """A column of both tables as whole numbers, equal where the values are."""
        return self.cached(("encoded", column), lambda: self._encoded(column))

    def _encoded(self, column: str) -> EncodedPair:
        text = self.coded_text(column)
        if text is None:
            return blocks.encode_apart(self.known.frame[column], self.released.frame[column], ordered=False)
        size = max(1, len(text.values) + text.has_missing)
        return EncodedColumn(text.known.codes, 0, size), EncodedColumn(text.shown.codes, 0, size)

    def ordered(self, column: str) -> EncodedPair:
        """A column of both tables as whole numbers that keep the order of the values; missing comes first."""
        text = self.coded_text(column)
        if text is None or text.has_missing:
            return blocks.encode_apart(self.known.frame[column], self.released.frame[column])
        return self.encoded(column)

    def coded_text(self, column: str) -> CodedPair | None:
        """A column that is text in both tables as numbers of its distinct values; None for another one."""
        if any(table.frame[column].dtype != pl.String for table in (self.known, self.released)):
            return None
        known, shown = self.known.coded_text(column), self.released.coded_text(column)
        return self.cached(("text", column), lambda: code_together(known, shown))

    def points(self, columns: Sequence[str] | None = None, scale: ValueScale = "raw") -> tuple[Float, Float]:
        """Both tables as points (default: the numeric sensitive attributes); see `fill` for missing values."""
        names = tuple(self.known.numeric_sa if columns is None else columns)
        return self.cached(("points", names, scale), lambda: self._points(names, scale))

    def _points(self, names: tuple[str, ...], scale: ValueScale) -> tuple[Float, Float]:
        for table in (self.known, self.released):
            table.check_numeric(names)
        if any(has_gaps(table.frame[name]) for table in (self.known, self.released) for name in names):
            x, y = self.known.matrix(names), self.released.matrix(names)
            fill(x, y)
            return standardised(x, y) if scale == "standard" else (x, y)
        if scale == "raw":
            return self.known.matrix(names), self.released.matrix(names)
        if (names, SPREAD) not in self._known_points:
            x = self.known.matrix(names)
            self._known_points[names, SPREAD] = spread_of(x)
            x /= self._known_points[names, SPREAD]
            self._known_points[names, scale] = x
        y = self.released.matrix(names)
        y /= self._known_points[names, SPREAD]
        return self._known_points[names, scale], y

    def forget_points(self) -> None:
        """Free the points, the largest of what is kept; they are computed anew where they are needed again."""
        self._known_points.clear()
        for key in [key for key in self._cache if key[0] == "points"]:
            del self._cache[key]

    def with_shuffled(self, released: Dataset) -> Case:
        """Return the case of the same people with the released rows in another order."""
        return Case(self.known, released, _known_points=self._known_points)


def has_gaps(column: pl.Series) -> bool:
    """Tell whether a column of numbers has a cell that is missing or not a number."""
    return bool(column.null_count()) or (column.dtype.is_float() and bool(column.is_nan().any()))


def fill(x: Float, y: Float) -> None:
    """Put missing values one column-range above the largest value of X, in place.

    Two missing values are then equal, and a missing value is farther from any other than those from each other.
    """
    for column in range(x.shape[1]):
        gaps_x, gaps_y = np.isnan(x[:, column]), np.isnan(y[:, column])
        if gaps_x.any() or gaps_y.any():
            low, high = np.nanmin(x[:, column]), np.nanmax(x[:, column])
            place = high + max(high - low, 1.0)
            x[gaps_x, column] = place
            y[gaps_y, column] = place


def standardised(x: Float, y: Float) -> tuple[Float, Float]:
    """Divide each column by its standard deviation in X, in place; a constant column stays as it is."""
    spread = spread_of(x)
    x /= spread
    y /= spread
    return x, y


def spread_of(x: Float) -> Float:
    """Return the standard deviation of each column; 1 for a constant one."""
    spread = column_spread(x)
    spread[spread == 0] = 1.0
    return spread


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the judge compares: a case and its truth. Measures receive it; attacks never do."""

    case: Case
    truth: Truth

    @property
    def original(self) -> Dataset:
        """The original table."""
        return self.case.known

    @property
    def released(self) -> Dataset:
        """The released table."""
        return self.case.released


@dataclass(frozen=True, slots=True)
class Release(ShownInNotebooks, Generic[DataT]):
    """Published data (a `Dataset` or a `History`) and how they were made. The truth and the seed are secret."""

    released: DataT
    truth: Truth
    recipe: dict[str, Any] = field(default_factory=dict)
    seed: int = field(default=0, repr=False)
    seed_was_drawn: bool = False
    """The seed was drawn for this release. A fixed one is known to whoever knows the recipe or the command, and
    whoever knows it can repeat every draw and so undo the release."""

    def __repr__(self) -> str:
        steps = " → ".join(step["method"] for step in self.recipe.get("steps", ()))
        return f"<Release of {self.released!r}{f' by {steps}' if steps else ''}; truth and seed are secret>"

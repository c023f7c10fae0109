"""What all games have in common: what is measured and attacked, and how results are written down."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from icefire.audit.correspondence import TruthSource
from icefire.audit.fingerprint.verb import OpenedTable, fingerprint_of_tables
from icefire.audit.plan import AuditPlan
from icefire.contests.common import cells
from icefire.contests.common.contest import Contest
from icefire.contests.common.game import (
    ANSWERS,
    ORIGINAL,
    ORIGINAL_CUSTOMERS,
    RELEASED,
    TRUTH,
    AnswerShape,
    ReleaseScoreParts,
)
from icefire.contests.games import limits, plain_text, result_names
from icefire.contests.games.contest_rules import WORST, ContestRules
from icefire.core import align, registry
from icefire.core.dataset import Dataset
from icefire.core.registry import Entry, Question
from icefire.core.release import Truth
from icefire.core.scorecard import MeasureResult

AttackScore = Mapping[str, Any]
"""hits, targets and rate of an attack or a guess."""
JOINT_ATTACKS = frozenset({"link", "link_rest", "link_members", "exchanged_rows", "scattered_rows", "replay"})
"""Attacks that weigh all columns and match everybody at once: the strongest on each kind of data.

`replay` runs only on releases that were handed in with their recipe."""
SHOWN = 0.2
"""Methods less probable than this are not shown to the judge."""


class ContestGame(ContestRules):
    """A contest and the organiser's limits, as every game uses them."""

    question: Question = "origin"
    most_answers = 1
    """How many rows may be answered for one target."""
    judge_files: tuple[str, ...] = (TRUTH,)
    """Files that `publish` writes for the judge alone."""

    def __init__(self, contest: Contest, organisers_limits: Mapping[str, float]) -> None:
        super().__init__(contest, organisers_limits)
        self._gates = limits.gates(contest.limits, limits.of_measures(organisers_limits))

    @property
    def score_parts(self) -> ReleaseScoreParts | None:
        """The contest's own score of a release in parts that add up to it, if the contest has one."""
        return self._score_parts if self.contest.score_parts else None

    def _score_parts(self, values: Mapping[str, float | None], security: float | None) -> dict[str, float]:
        assert self.contest.score_parts is not None
        keys = dict(zip(self.contest.utilities, self.utilities, strict=True))
        utilities = {name: values.get(key) for name, key in keys.items()}
        known = {name: WORST if value is None else value for name, value in utilities.items()}
        parts = self.contest.score_parts(known, security or 0.0)
        return {**dict.fromkeys(self.utilities, 0.0), **{keys.get(name, name): part for name, part in parts.items()}}

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """All measures, in the order they are shown."""
        return tuple(result_names.key(entry) for entry in self._measure_entries)

    @cached_property
    def utilities(self) -> tuple[str, ...]:
        """The measures that count in the ranking of releases."""
        entries = result_names.entries("measure", self.contest.utilities, self.contest.data)
        return tuple(result_names.key(entry) for entry in entries)

    @cached_property
    def attacks(self) -> tuple[str, ...]:
        """The sample attacks, in the order they are shown."""
        return tuple(result_names.key(entry) for entry in self._attack_entries)

    @cached_property
    def summaries(self) -> dict[str, str]:
        """What each measure and attack is, in one sentence."""
        return {result_names.key(entry): entry.summary for entry in (*self._measure_entries, *self._attack_entries)}

    @cached_property
    def _measure_entries(self) -> list[Entry]:
        """What the contest measures, and whatever a limit is on."""
        chosen = result_names.entries("measure", self.contest.measures, self.contest.data)
        limited = result_names.entries("measure", [gate.name for gate in self._gates], self.contest.data)
        return list({entry.name: entry for entry in (*chosen, *limited)}.values())

    @cached_property
    def _attack_entries(self) -> list[Entry]:
        """The contest's own attacks and, unless they are switched off, the joint attacks."""
        chosen = result_names.entries("attack", self.contest.attacks, self.contest.data, self.question)
        own = [entry for entry in chosen if entry.name not in JOINT_ATTACKS]
        every = registry.entries("attack", self.contest.data) if self.contest.joint_attacks else []
        joint = [entry for entry in every if entry.name in JOINT_ATTACKS and entry.question == self.question]
        return own + [entry for entry in joint if self._has_columns(entry)]

    def _has_columns(self, entry: Entry) -> bool:
        """Tell whether the contest's data have the columns that an attack needs."""
        roles = {"numeric_sa": "sa"}
        needed = [roles.get(need, need) for need in entry.needs]
        return self.contest.data == "history" or all(self.contest.reading.get(role) for role in needed)

    def plan(self, seed: int) -> AuditPlan:
        """Return what the judge runs."""
        return AuditPlan(
            seed=seed,
            measures=[entry.name for entry in self._measure_entries],
            attacks=[entry.name for entry in self._attack_entries],
            parameters=dict(self.contest.parameters),
        )

    def report(
        self, measures: Mapping[str, MeasureResult], attacks: Mapping[str, AttackScore], aya: AttackScore | None
    ) -> dict[str, Any]:
        """Write the results down; they go by plain names before and by keys after."""
        values = result_names.by_key("measure", measures)
        return {
            "measures": {name: _measure(result) for name, result in values.items()},
            "attacks": result_names.by_key("attack", attacks),
            "aya": aya,
            "broken": limits.broken(values, self._gates, self.utilities),
        }

    def fingerprint(self, given: Path, seed: int) -> dict[str, Any]:
        """Recognise the methods that made a release: none here, methods are recognised on tables only."""
        return {"methods": [], "note": "methods are recognised on tables only"}

    def fingerprint_of(self, original: Dataset, released: pl.DataFrame, truth: Truth, seed: int) -> dict[str, Any]:
        """Recognise the methods of a released table whose truth is known; those that are improbable are left out."""
        recognised = fingerprint_of_tables(original, OpenedTable(released, RELEASED, truth), TruthSource(), seed)
        shown = [one for one in recognised.methods if one.probability >= SHOWN]
        return {"methods": msgspec.to_builtins(shown), "note": " ".join(recognised.notes)}

    @abstractmethod
    def write_unchanged(self, given: Path) -> None:
        """Write the files of a submission that releases the original in the folder as it is."""

    @abstractmethod
    def unreadable(self, given: Path) -> list[str]:
        """Say which handed-in files are no plain text, or larger than the game allows."""

    def original_problems(self, given: Path) -> list[str]:
        """Check the original as if it were released as it is; what concerns the release alone is left out."""
        self.write_unchanged(given)
        problems = self.contest.find_problems([given / name for name in self.checked])
        about_original = [problem for problem in problems if problem.file in (ORIGINAL, ORIGINAL_CUSTOMERS)]
        return [str(problem) for problem in about_original if problem.row is not None or problem.column is not None]

    def submission_problems(self, given: Path) -> list[str]:
        """Check the files of a submission as the contest does."""
        unreadable = self.unreadable(given)
        if unreadable:
            return unreadable
        return [str(problem) for problem in self.contest.find_problems([given / name for name in self.checked])]

    def guess_problems(self, given: Path, shape: AnswerShape) -> list[str]:
        """Check that there is one answer for each target, and each is a row or -1."""
        path = given / ANSWERS
        unreadable = plain_text.problems(path, shape.targets, self.most_answers)
        if unreadable:
            return unreadable
        answers, problems = cells.read(path, self._answer_names(path))
        if answers is None:
            return [str(problem) for problem in problems]
        if answers.height != shape.targets:
            return [f"{path.name}: {answers.height:,} rows; {shape.targets:,} are asked for: one answer for each"]
        for column in answers.frame.columns:
            problems += cells.whole_numbers(answers, column, -1, shape.choices - 1)
        return [str(problem) for problem in problems] or self._contradictions(answers.frame)

    def _answer_names(self, path: Path) -> tuple[str, ...]:
        return ("answer",)

    def _contradictions(self, answers: pl.DataFrame) -> list[str]:
        return []


def _measure(result: MeasureResult) -> dict[str, Any]:
    finite = limits.finite(result.value)
    note = result.note if finite or result.note else "not finite: the numbers are too large"
    return {"value": result.value if finite else None, "note": note}


def rows_as_text(frame: pl.DataFrame) -> pl.Series:
    """Write every row as one piece of text; equal rows give equal text, and 30 is 30.0."""
    written = frame.select(align.as_text(frame[name]).fill_null("\x00").alias(name) for name in frame.columns)
    return written.select(pl.concat_str(pl.all(), separator="\x1f").alias("row"))["row"]


def content(rows: pl.Series) -> str:
    """Return a hash of rows, whatever their order."""
    whole = rows.sort().str.join("\n").item()
    return hashlib.sha256(whole.encode()).hexdigest()

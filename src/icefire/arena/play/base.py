"""What all games have in common: how their measures and attacks are called, and how results are written down."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import polars as pl

from icefire.arena.play import limits, naming, texts
from icefire.arena.play.game import ANSWERS, Asked
from icefire.audit.limits import Gate
from icefire.audit.plan import AuditPlan
from icefire.contests.common import cells
from icefire.contests.common.contest import Contest
from icefire.core import align
from icefire.core.registry import Data, Entry, Question
from icefire.core.scorecard import MeasureResult

Found = Mapping[str, Any]


class Game:
    """A contest's rules and the organiser's limits, as every game uses them."""

    data: Data = "table"
    question: Question = "origin"
    own_limits: tuple[Gate, ...] = ()

    def __init__(self, rules: Contest, bounds: Mapping[str, float]) -> None:
        self.rules = rules
        self._gates = limits.gates((*self.own_limits, *rules.limits), bounds)

    @property
    def fire_rule(self) -> Literal["total", "best_three"]:
        """What ranks attackers."""
        return self.rules.fire_rule

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """All measures, in the order they are shown."""
        return tuple(naming.key(entry) for entry in self._measured)

    @cached_property
    def utilities(self) -> tuple[str, ...]:
        """The measures that count in the ranking of releases."""
        return tuple(naming.key(entry) for entry in naming.entries("measure", self.rules.utilities, self.data))

    @cached_property
    def attacks(self) -> tuple[str, ...]:
        """The sample attacks, in the order they are shown."""
        return tuple(naming.key(entry) for entry in self._attacking)

    @cached_property
    def summaries(self) -> dict[str, str]:
        """What each measure and attack is, in one sentence."""
        return {naming.key(entry): entry.summary for entry in (*self._measured, *self._attacking)}

    @cached_property
    def _measured(self) -> list[Entry]:
        """What the contest measures, and whatever a limit is on."""
        chosen = naming.entries("measure", self.rules.measures, self.data)
        limited = naming.entries("measure", [gate.name for gate in self._gates], self.data)
        return list({entry.name: entry for entry in (*chosen, *limited)}.values())

    @cached_property
    def _attacking(self) -> list[Entry]:
        return naming.entries("attack", self.rules.attacks, self.data, self.question)

    def plan(self, seed: int) -> AuditPlan:
        """Return what the judge runs."""
        return AuditPlan(
            seed=seed,
            measures=[entry.name for entry in self._measured],
            attacks=[entry.name for entry in self._attacking],
            parameters=dict(self.rules.parameters),
        )

    def report(
        self, measures: Mapping[str, MeasureResult], attacks: Mapping[str, Found], aya: Found | None
    ) -> dict[str, Any]:
        """Write down what was found; results go by plain names before and by keys after."""
        named = naming.by_key("measure", measures)
        return {
            "measures": {name: _measure(result) for name, result in named.items()},
            "attacks": naming.by_key("attack", attacks),
            "aya": aya,
            "broken": limits.broken(named, self._gates, self.utilities),
        }

    def guess_problems(self, given: Path, asked: Asked) -> list[str]:
        """Check that there is one answer for each target, and each is a row or -1."""
        path = given / ANSWERS
        wrong = texts.problems(path, asked.targets, self._most_answers)
        if wrong:
            return wrong
        answers, problems = cells.read(path, self._answer_names(path))
        if answers is None:
            return [str(problem) for problem in problems]
        if answers.height != asked.targets:
            return [f"{path.name}: {answers.height:,} rows; {asked.targets:,} are asked for: one answer for each"]
        for column in answers.frame.columns:
            problems += cells.whole_numbers(answers, column, -1, asked.choices - 1)
        return [str(problem) for problem in problems] or self._contradictions(answers.frame)

    _most_answers = 1

    def _answer_names(self, path: Path) -> tuple[str, ...]:
        return ("answer",)

    def _contradictions(self, answers: pl.DataFrame) -> list[str]:
        return []


def _measure(result: MeasureResult) -> dict[str, Any]:
    there = limits.finite(result.value)
    note = result.note if there or result.note else "not finite: the numbers are too large"
    return {"value": result.value if there else None, "note": note}


def rows_as_text(frame: pl.DataFrame) -> pl.Series:
    """Write every row as one piece of text; equal rows give equal text, and 30 is 30.0."""
    written = frame.select(align.as_text(frame[name]).fill_null("\x00").alias(name) for name in frame.columns)
    return written.select(pl.concat_str(pl.all(), separator="\x1f").alias("row"))["row"]


def content(rows: pl.Series) -> str:
    """Return a hash of rows, whatever their order."""
    whole = rows.sort().str.join("\n").item()
    return hashlib.sha256(whole.encode()).hexdigest()

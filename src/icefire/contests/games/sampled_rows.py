"""Game on a table whose rows are changed one by one: which original row is each of the rows drawn by the judge?

A team hands in the changed table in the order of the original. Some of its rows are drawn and handed out in random
order; attackers answer one original row for each.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from icefire.contests.common import cells
from icefire.contests.common.contest import Contest
from icefire.contests.common.game import ANSWERS, ORIGINAL, RELEASED, TRUTH, AnswerShape, PublishedRelease
from icefire.contests.games import base, plain_text
from icefire.contests.games.own_formulas import WHOLE, OwnFormulasGame
from icefire.core import seeds
from icefire.core.scorecard import MeasureResult
from icefire.core.scorecard.attacks import AttackResult
from icefire.io import files, folder
from icefire.kernels.types import Int

Read = Callable[[Path], pl.DataFrame]
MeasureRows = Callable[[pl.DataFrame, pl.DataFrame], Mapping[str, MeasureResult]]
AttackRows = Callable[[pl.DataFrame, pl.DataFrame, Int], tuple[Mapping[str, AttackResult], Mapping[str, str]]]


class SampledRowsGame(OwnFormulasGame):
    """A team hands in one changed row for every original row, in their order: the order is the secret.

    Args:
        contest: What is played.
        organisers_limits: Limits by measure.
        asked: How many rows are drawn and asked about.
        read: Reads a table.
        measure: Measures a release against its original.
        attack: Runs the sample attacks on rows that come from known original rows.
    """

    def __init__(
        self,
        contest: Contest,
        organisers_limits: Mapping[str, float],
        *,
        asked: int,
        read: Read,
        measure: MeasureRows,
        attack: AttackRows,
    ) -> None:
        super().__init__(contest, organisers_limits)
        self._asked, self._read, self._measure, self._attack = asked, read, measure, attack

    def count_originals(self, given: Path) -> int:
        """Count the original rows."""
        return plain_text.size(given / ORIGINAL)[0]

    def answer_shape(self, rows: int, originals: int) -> AnswerShape:
        """One original row for each row that was drawn."""
        return AnswerShape(rows, originals, "always")

    def write_unchanged(self, given: Path) -> None:
        """Release the original row for row."""
        shutil.copyfile(given / ORIGINAL, given / RELEASED)

    def unreadable(self, given: Path) -> list[str]:
        """A release has no more lines than the original."""
        return plain_text.problems(given / RELEASED, *plain_text.size(given / ORIGINAL))

    def publish(self, given: Path, out: Path, seed: int) -> PublishedRelease:
        """Draw rows, in random order."""
        shown = self._read(given / RELEASED)
        drawn = self._draw(shown.height, seed)
        shown[drawn].write_csv(out / RELEASED, include_header=False)
        files.write_integers(drawn, out / TRUTH)
        shutil.copyfile(given / RELEASED, out / WHOLE)
        return PublishedRelease(len(drawn), base.content(base.rows_as_text(shown)))

    def judge(self, given: Path, seed: int) -> dict[str, Any]:
        """Measure the whole release, and attack the rows that were drawn."""
        known, whole, drawn = (self._read(given / name) for name in (ORIGINAL, WHOLE, RELEASED))
        attacks, _ = self._attack(known, drawn, folder.read_truth(given / TRUTH).rows)
        return self.report(self._measure(known, whole), attacks)

    def judge_original(self, given: Path, seed: int) -> dict[str, Any]:
        """Judge the original as if it had been released unchanged."""
        known = self._read(given / ORIGINAL)
        drawn = self._draw(known.height, seed)
        attacks, _ = self._attack(known, known[drawn], drawn)
        return self.report(self._measure(known, known), attacks)

    def guess_problems(self, given: Path, shape: AnswerShape) -> list[str]:
        """Check that there is one original row for each target: an attack always answers."""
        path = given / ANSWERS
        unreadable = plain_text.problems(path, shape.targets, 1)
        if unreadable:
            return unreadable
        answers, problems = cells.read(path, ("answer",))
        if answers is None:
            return [str(problem) for problem in problems]
        if answers.height != shape.targets:
            return [f"{path.name}: {answers.height:,} rows; {shape.targets:,} are asked for: one answer for each"]
        return [str(problem) for problem in cells.whole_numbers(answers, "answer", 0, shape.choices - 1)]

    def score_guess(self, given: Path) -> dict[str, Any]:
        """Count the right answers."""
        truth, answers = folder.read_truth(given / TRUTH).rows, folder.read_guess(given / ANSWERS)
        hits = int((truth == answers.reshape(len(truth), -1)[:, 0]).sum())
        return {"hits": hits, "targets": len(truth), "rate": hits / len(truth)}

    def _draw(self, rows: int, seed: int) -> Int:
        drawn: Int = seeds.generator(seed, "arena").permutation(rows)[: self._asked].astype(np.int64)
        return drawn

"""Game on a table with one row per person: is this record in the release, and which row is it?

A team deletes rows of the original and changes the rest. So many deleted and so many kept records are drawn in secret
and handed out with the shuffled release; attackers answer for each with some released rows, or with -1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from icefire.audit import judge
from icefire.audit.plan import AuditPlan
from icefire.audit.questions.membership import MembershipQuestion
from icefire.audit.steps import run_attacks, run_measures
from icefire.contests.common.contest import Contest
from icefire.contests.common.game import (
    ANSWERS,
    CORRESPONDENCE,
    ORIGINAL,
    RELEASED,
    TARGETS,
    TRUTH,
    AnswerShape,
    PublishedRelease,
)
from icefire.contests.games import base, plain_text
from icefire.core import membership, seeds
from icefire.core.dataset import Dataset
from icefire.core.membership import Draw, MembershipCase
from icefire.core.registry import Question
from icefire.core.release import NO_ANSWER, Case, Comparison, Guess, Truth
from icefire.core.scorecard import MeasureResult
from icefire.core.scorecard.scores import Membership
from icefire.io import files, folder
from icefire.io.read import read_table
from icefire.kernels.types import Int

ROW = "row"


class MembershipGame(base.ContestGame):
    """A team hands in the changed rows and the numbers of the deleted ones.

    The truth has one line for each original row: where it stands in the shuffled release, and which question it is;
    -1 where it was deleted, or is not asked about.

    Args:
        contest: What is played.
        organisers_limits: Limits by measure, beside the contest's own.
        asked: How many deleted records, and how many kept ones, are asked about.
        answers: How many released rows may be answered for a record.
        before_change: Measures of the kept rows as they were before anything was changed.
    """

    question: Question = "membership"
    handed_in = (RELEASED, CORRESPONDENCE)
    handed_out = (RELEASED, TARGETS)
    checked = (ORIGINAL, RELEASED, CORRESPONDENCE)

    def __init__(
        self,
        contest: Contest,
        organisers_limits: Mapping[str, float],
        *,
        asked: int,
        answers: int = 1,
        before_change: Sequence[str] = (),
    ) -> None:
        super().__init__(contest, organisers_limits)
        self._asked, self.most_answers, self._before_change = asked, answers, before_change

    def count_originals(self, given: Path) -> int:
        """Count the original rows."""
        return self._table(given / ORIGINAL).height

    def answer_shape(self, rows: int, originals: int) -> AnswerShape:
        """One answer for each record asked about: released rows."""
        return AnswerShape(2 * self._asked, rows)

    def write_unchanged(self, given: Path) -> None:
        """Delete the first rows, as many as are asked about, and release the others row for row."""
        lines = (given / ORIGINAL).read_bytes().splitlines(keepends=True)
        start = int(self._has_header)
        (given / RELEASED).write_bytes(b"".join(lines[:start] + lines[start + self._asked :]))
        files.write_integers(np.arange(self._asked), given / CORRESPONDENCE)

    def unreadable(self, given: Path) -> list[str]:
        """Neither file has more lines than the original."""
        lines, columns = plain_text.size(given / ORIGINAL)
        return [
            *plain_text.problems(given / RELEASED, lines, columns),
            *plain_text.problems(given / CORRESPONDENCE, lines, 1),
        ]

    def publish(self, given: Path, out: Path, seed: int) -> PublishedRelease:
        """Shuffle the release and draw the records asked about."""
        known, shown = self._table(given / ORIGINAL), self._table(given / RELEASED)
        kept = np.setdiff1d(np.arange(known.height), folder.read_truth(given / CORRESPONDENCE).rows)
        order = seeds.generator(seed, "arena").permutation(shown.height)
        place, rows = self._draw(known, kept[order], seed)
        shown.frame[order].write_csv(out / RELEASED, include_header=self._has_header)
        known.frame[rows].write_csv(out / TARGETS, include_header=self._has_header)
        files.write_integers(_truth_table(place, rows), out / TRUTH)
        return PublishedRelease(shown.height, base.content(base.rows_as_text(shown.frame)))

    def judge(self, given: Path, seed: int) -> dict[str, Any]:
        """Measure the release and let every membership attack answer the questions."""
        known, shown = self._table(given / ORIGINAL), self._table(given / RELEASED)
        place, rows = _read_truth_table(given / TRUTH)
        return self._judge(known, shown, place, rows, seed)

    def fingerprint(self, given: Path, seed: int) -> dict[str, Any]:
        """Recognise the methods that made the release."""
        known, shown = self._table(given / ORIGINAL), self._table(given / RELEASED)
        place, _ = _read_truth_table(given / TRUTH)
        return self.fingerprint_of(known, shown.frame, Truth(_origins(place, shown.height)), seed)

    def judge_original(self, given: Path, seed: int) -> dict[str, Any]:
        """Judge the original as if it had been released unchanged but for as many deleted rows as must be."""
        known = self._table(given / ORIGINAL)
        kept = seeds.generator(seed, "reference").permutation(known.height)[self._asked :]
        place, rows = self._draw(known, kept, seed)
        return self._judge(known, known.take(kept), place, rows, seed)

    def score_guess(self, given: Path) -> dict[str, Any]:
        """Score answers as the final round did."""
        place, rows = _read_truth_table(given / TRUTH)
        return _score(judge.membership(Truth(place[rows]), Guess(folder.read_guess(given / ANSWERS))))

    def _judge(self, known: Dataset, shown: Dataset, place: Int, rows: Int, seed: int) -> dict[str, Any]:
        plan = self.plan(seed)
        origins = _origins(place, shown.height)
        measures = measure_release(known, shown, origins, plan, self._before_change)
        case, truth = MembershipCase(known.take(rows), shown, known), Truth(place[rows])
        answers = run_attacks(MembershipQuestion(case, truth), known, plan)
        attacks = {name: _score(result.score) for name, result in answers.by_name.items() if result.score is not None}
        return self.report(measures, attacks, None)

    def _draw(self, known: Dataset, origins: Int, seed: int) -> tuple[Int, Int]:
        """Return where every original row stands in the release, and the original rows asked about, in their order."""
        place = np.full(known.height, NO_ANSWER, np.int64)
        place[origins] = np.arange(len(origins))
        numbered = known.with_frame(known.frame.with_row_index(ROW))
        case = Case(numbered, numbered.take(origins))
        draw = Draw(self._asked, self._asked)
        drawn, _ = membership.sample(Comparison(case, Truth(origins)), draw, seeds.generator(seed, "asked"))
        return place, drawn.records.frame[ROW].to_numpy().astype(np.int64)

    def _table(self, path: Path) -> Dataset:
        return read_table(path, **self.contest.reading)

    @property
    def _has_header(self) -> bool:
        return bool(self.contest.reading["how"].has_header)

    def _answer_names(self, path: Path) -> tuple[str, ...]:
        with path.open(encoding="utf-8-sig") as file:
            wide = file.readline().count(",") + 1
        return tuple(f"answer {place}" for place in range(1, min(wide, self.most_answers) + 1))

    def _contradictions(self, answers: pl.DataFrame) -> list[str]:
        """Whoever is no member has no row."""
        rows = answers.select(pl.all().cast(pl.Int64))
        both = (rows.to_series() == NO_ANSWER) & (rows.max_horizontal() != NO_ANSWER)
        return [
            f"{ANSWERS}: row {row}: the first answer is -1, which says that the record is not in the release, and "
            "another one names a row; put the row first, or -1 everywhere"
            for row in both.arg_true()[:20]
        ]


def measure_release(
    known: Dataset, shown: Dataset, origins: Int, plan: AuditPlan, before_change: Sequence[str]
) -> dict[str, MeasureResult]:
    """Run the measures of a plan; those of `before_change` on the kept rows as they were in the original."""
    measures = run_measures(Comparison(Case(known, shown), Truth(origins)), plan).by_name
    kept = np.sort(origins)
    unchanged = Comparison(Case(known, known.take(kept)), Truth(kept))
    return measures | run_measures(unchanged, replace(plan, measures=before_change)).by_name


def _truth_table(place: Int, rows: Int) -> Int:
    question = np.full(len(place), NO_ANSWER, np.int64)
    question[rows] = np.arange(len(rows))
    return np.stack([place, question], axis=1)


def _origins(place: Int, rows: int) -> Int:
    """Return the original row of every released one."""
    kept = np.flatnonzero(place >= 0)
    origins = np.empty(rows, np.int64)
    origins[place[kept]] = kept
    return origins


def _read_truth_table(path: Path) -> tuple[Int, Int]:
    both = files.read_integers(path, "truth")
    place, question = both[:, 0], both[:, 1]
    asked = np.flatnonzero(question >= 0)
    return place, asked[np.argsort(question[asked])]


def _score(score: Membership) -> dict[str, Any]:
    return {"hits": round(score.top_k * score.members), "targets": score.members, "rate": score.danger_final}

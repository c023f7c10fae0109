"""Who is in the release, and which row? PWS Cup 2021.

A team deletes rows of the original and changes the rest. So many deleted and so many kept records are drawn in secret
and handed out with the shuffled release; attackers answer for each with up to three released rows, or with -1.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl

from icefire.arena.play import base, texts
from icefire.arena.play.game import ANSWERS, CORRESPONDENCE, ORIGINAL, RELEASED, TARGETS, TRUTH, Asked, Published
from icefire.audit import judge as judges
from icefire.audit import run
from icefire.audit.limits import Gate
from icefire.audit.membership import MembershipQuestion
from icefire.contests import pwscup2021
from icefire.contests.pwscup2021 import ASKED, ILOSS, LIMITS
from icefire.core import membership, seeds
from icefire.core.dataset import Dataset
from icefire.core.membership import Draw, MembershipCase
from icefire.core.registry import Question
from icefire.core.release import NO_ANSWER, Case, Comparison, Guess, Truth
from icefire.core.scorecard.scores import Membership
from icefire.io import files, folder
from icefire.kernels.types import Int

ROW = "row"
MOST_ANSWERS = 3


class SurveyPlay(base.Game):
    """A team hands in the changed rows D and the numbers X of the deleted ones.

    The truth has one line for each original row: where it stands in the shuffled release, and which question it is;
    -1 where it was deleted, or is not asked about.
    """

    question: Question = "membership"
    own_limits = tuple(Gate(name, limit) for name, limit in {"iloss": ILOSS["final"], **LIMITS}.items())
    handed_in = (RELEASED, CORRESPONDENCE)
    handed_out = (RELEASED, TARGETS)
    _most_answers = MOST_ANSWERS

    def originals(self, files: Mapping[str, Path]) -> int:
        """Count the original rows."""
        return pwscup2021.table(files[ORIGINAL]).height

    def asked(self, rows: int, originals: int) -> Asked:
        """One answer for each record asked about: up to three released rows."""
        return Asked(2 * ASKED, rows)

    def problems(self, given: Path) -> list[str]:
        """Check columns, cells and the deleted rows."""
        lines, columns = texts.size(given / ORIGINAL)
        wrong = [
            *texts.problems(given / RELEASED, lines, columns),
            *texts.problems(given / CORRESPONDENCE, lines, 1),
        ]
        if wrong:
            return wrong
        problems = self.rules.find_problems([given / ORIGINAL, given / RELEASED, given / CORRESPONDENCE])
        return [str(problem) for problem in problems]

    def publish(self, given: Path, out: Path, seed: int) -> Published:
        """Shuffle the release and draw the records asked about."""
        known, shown = pwscup2021.table(given / ORIGINAL), pwscup2021.table(given / RELEASED)
        kept = np.setdiff1d(np.arange(known.height), folder.read_truth(given / CORRESPONDENCE).rows)
        order = seeds.generator(seed, "arena").permutation(shown.height)
        place, rows = _drawn(known, shown.take(order), kept[order], seed)
        shown.frame[order].write_csv(out / RELEASED, include_header=False)
        known.frame[rows].write_csv(out / TARGETS, include_header=False)
        files.write_integers(_truth(place, rows), out / TRUTH)
        return Published(shown.height, base.content(base.rows_as_text(shown.frame)))

    def judge(self, given: Path, seed: int) -> dict[str, Any]:
        """Measure the release and let every membership attack answer the questions."""
        known, shown = pwscup2021.table(given / ORIGINAL), pwscup2021.table(given / RELEASED)
        place, rows = _read_truth(given / TRUTH)
        return self._judged(known, shown, place, rows, seed)

    def reference(self, given: Path, seed: int) -> dict[str, Any]:
        """Judge the original as if it had been released unchanged but for as many deleted rows as must be."""
        known = pwscup2021.table(given / ORIGINAL)
        kept = seeds.generator(seed, "reference").permutation(known.height)[ASKED:]
        shown = known.take(kept)
        place, rows = _drawn(known, shown, kept, seed)
        return self._judged(known, shown, place, rows, seed)

    def score(self, given: Path) -> dict[str, Any]:
        """Score answers as the final round did."""
        place, rows = _read_truth(given / TRUTH)
        return _scored(Truth(place[rows]), Guess(folder.read_guess(given / ANSWERS)))

    def _judged(self, known: Dataset, shown: Dataset, place: Int, rows: Int, seed: int) -> dict[str, Any]:
        plan = self.plan(seed)
        kept = np.flatnonzero(place >= 0)
        origins = np.empty(shown.height, np.int64)
        origins[place[kept]] = kept
        measures = run.run_measures(Comparison(Case(known, shown), Truth(origins)), plan).by_name
        measures["uniqrt"] = msgspec.structs.replace(
            measures["uniqrt"], value=pwscup2021.unique_share(known, kept), note=""
        )
        case, truth = MembershipCase(known.take(rows), shown), Truth(place[rows])
        answers = run.run_attacks(MembershipQuestion(case, truth), known, plan)
        attacks = {name: _as_score(result.score) for name, result in answers.by_name.items()}
        return self.report(measures, attacks, None)

    def _answer_names(self, path: Path) -> tuple[str, ...]:
        with path.open(encoding="utf-8-sig") as file:
            wide = file.readline().count(",") + 1
        return tuple(f"answer {place}" for place in range(1, min(wide, MOST_ANSWERS) + 1))

    def _contradictions(self, answers: pl.DataFrame) -> list[str]:
        """Whoever is no member has no row."""
        rows = answers.select(pl.all().cast(pl.Int64))
        both = (rows.to_series() == NO_ANSWER) & (rows.max_horizontal() != NO_ANSWER)
        return [
            f"{ANSWERS}: row {row}: the first answer is -1, which says that the record is not in the release, and "
            "another one names a row; put the row first, or -1 everywhere"
            for row in both.arg_true()[:20]
        ]


def _drawn(known: Dataset, shown: Dataset, origins: Int, seed: int) -> tuple[Int, Int]:
    """Return where every original row stands in the release, and the original rows asked about, in their order."""
    place = np.full(known.height, NO_ANSWER, np.int64)
    place[origins] = np.arange(shown.height)
    numbered = known.with_frame(known.frame.with_row_index(ROW))
    case = Case(numbered, numbered.take(origins))
    drawn, _ = membership.sample(Comparison(case, Truth(origins)), Draw(ASKED, ASKED), seeds.generator(seed, "asked"))
    return place, drawn.records.frame[ROW].to_numpy().astype(np.int64)


def _truth(place: Int, rows: Int) -> Int:
    question = np.full(len(place), NO_ANSWER, np.int64)
    question[rows] = np.arange(len(rows))
    return np.stack([place, question], axis=1)


def _read_truth(path: Path) -> tuple[Int, Int]:
    both = files.read_integers(path, "truth")
    place, question = both[:, 0], both[:, 1]
    there = np.flatnonzero(question >= 0)
    return place, there[np.argsort(question[there])]


def _scored(truth: Truth, guess: Guess) -> dict[str, Any]:
    return _as_score(judges.membership(truth, guess))


def _as_score(found: Membership) -> dict[str, Any]:
    return {"hits": round(found.top_k * found.members), "targets": found.members, "rate": found.danger_final}

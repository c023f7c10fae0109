"""Game on synthetic releases: who of a pool of people is behind the release?

The original is the pool. The judge draws three samples of a tenth of it for every team, in secret; the team takes one
as its members, and hands in as many synthetic rows and the row numbers of its members. Attackers answer 0 or 1 for
every row of the pool, with as many ones as there are members.
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
from icefire.contests.common.game import (
    ANSWERS,
    CORRESPONDENCE,
    ORIGINAL,
    RELEASED,
    TRUTH,
    AnswerShape,
    PublishedRelease,
)
from icefire.contests.common.problem import Problem
from icefire.contests.games import base, plain_text
from icefire.contests.games.own_formulas import WHOLE, OwnFormulasGame
from icefire.core import seeds
from icefire.core.scorecard import MeasureResult
from icefire.core.scorecard.attacks import AttackResult
from icefire.io import files
from icefire.kernels.types import Int

MEMBERS = "members.csv"
"""What the contest's own check calls the members of a team."""
ReadText = Callable[[Path], pl.DataFrame]
MeasureTables = Callable[[pl.DataFrame, pl.DataFrame], Mapping[str, MeasureResult]]
AttackPool = Callable[[pl.DataFrame, pl.DataFrame, pl.DataFrame], Mapping[str, AttackResult]]
WrongMarks = Callable[[Path, int, int], list[Problem]]
DRAWS = 1000
"""How often members are drawn again until they can be measured."""


class NamedMembersGame(OwnFormulasGame):
    """A team hands in synthetic rows and, for the judge alone, which rows of the pool its members are.

    Args:
        contest: What is played.
        organisers_limits: Limits by measure.
        share: One in so many people of the pool is a member.
        read: Reads a table as text.
        measure: Measures a release against the members.
        attack: Runs the sample attacks: members, release, pool.
        wrong_marks: Checks answers for a pool of so many rows with so many members.
        measurable: Tells whether a release can be measured against these members.
    """

    handed_in = (RELEASED, CORRESPONDENCE)
    checked = (MEMBERS, RELEASED)
    draws = 3

    def __init__(
        self,
        contest: Contest,
        organisers_limits: Mapping[str, float],
        *,
        share: int,
        read: ReadText,
        measure: MeasureTables,
        attack: AttackPool,
        wrong_marks: WrongMarks,
        measurable: Callable[[pl.DataFrame], bool],
    ) -> None:
        super().__init__(contest, organisers_limits)
        self._share, self._read, self._measure, self._attack = share, read, measure, attack
        self._wrong_marks, self._measurable = wrong_marks, measurable

    def draw(self, original: Path, seed: int) -> bytes:
        """Draw the members that a team may have."""
        rows = self._drawn(self._read(original), seeds.generator(seed, "members"))
        return "".join(f"{row}\n" for row in np.sort(rows)).encode()

    def _drawn(self, pool: pl.DataFrame, rng: np.random.Generator) -> Int:
        """Draw members until they can be measured: in a small pool, a rare value may occur in no drawn row."""
        for _ in range(DRAWS):
            rows: Int = rng.permutation(pool.height)[: self._members(pool.height)]
            if self._measurable(pool[rows]):
                break
        return rows

    def count_originals(self, given: Path) -> int:
        """Count the people of the pool."""
        return plain_text.size(given / ORIGINAL)[0] - 1

    def answer_shape(self, rows: int, originals: int) -> AnswerShape:
        """0 or 1 for every row of the pool."""
        return AnswerShape(originals, 2, "marks")

    def write_unchanged(self, given: Path) -> None:
        """Draw members from the pool and release them."""
        pool = self._read(given / ORIGINAL)
        rows = np.sort(self._drawn(pool, seeds.generator(0, "unchanged")))
        pool[rows].write_csv(given / RELEASED)
        files.write_integers(rows, given / CORRESPONDENCE)

    def original_problems(self, given: Path) -> list[str]:
        """Check every row of the pool as if it were a member."""
        path = given / ORIGINAL
        return [str(problem) for problem in self.contest.find_problems([path, path])]

    def unreadable(self, given: Path) -> list[str]:
        """A release and the members have a tenth of the pool's lines."""
        lines, columns = plain_text.size(given / ORIGINAL)
        return [
            *plain_text.problems(given / RELEASED, lines, columns),
            *plain_text.problems(given / CORRESPONDENCE, lines, 1),
        ]

    def submission_problems(self, given: Path) -> list[str]:
        """Check the members, and then the release as the contest does."""
        unreadable = self.unreadable(given)
        if unreadable:
            return unreadable
        pool = self._read(given / ORIGINAL)
        problems = self._wrong_members(given / CORRESPONDENCE, pool.height)
        if not problems:
            pool[self._rows(given / CORRESPONDENCE)].write_csv(given / MEMBERS)
            problems = self.contest.find_problems([given / name for name in self.checked])
        return [str(problem) for problem in problems if problem.file != MEMBERS]

    def _wrong_members(self, path: Path, pool: int) -> list[Problem]:
        rows, problems = cells.read(path, ("member",))
        if rows is None:
            return problems
        wanted = self._members(pool)
        if rows.height != wanted:
            text = f"{rows.height:,} rows; {wanted:,} members are needed, one in {self._share} of the pool"
            return [Problem(path.name, text)]
        problems = cells.whole_numbers(rows, "member", 0, pool - 1) or cells.repeated(rows, "member", "member")
        return problems or self._not_drawn(path)

    def _not_drawn(self, path: Path) -> list[Problem]:
        """Members must be those of one sample, where the judge has drawn samples for the team."""
        drawn = sorted(path.parent.glob("drawn_*.csv"))
        handed = set(self._rows(path).tolist())
        if not drawn or any(handed == set(self._rows(one).tolist()) for one in drawn):
            return []
        listed = ", ".join(one.name for one in drawn)
        return [
            Problem(path.name, f"these are not the members of any sample drawn for the team; take those of {listed}")
        ]

    def publish(self, given: Path, out: Path, seed: int) -> PublishedRelease:
        """Shuffle the synthetic rows."""
        shown = self._read(given / RELEASED)
        order = seeds.generator(seed, "arena").permutation(shown.height)
        shown[order].write_csv(out / RELEASED)
        shutil.copyfile(given / CORRESPONDENCE, out / TRUTH)
        shutil.copyfile(given / RELEASED, out / WHOLE)
        return PublishedRelease(shown.height, base.content(base.rows_as_text(shown)))

    def judge(self, given: Path, seed: int) -> dict[str, Any]:
        """Measure the release against the members, and let the sample attack seek them in the pool.

        Both are measured in the order in which they were handed in: the contest's regression leaves rows out by it.
        """
        pool, shown = self._read(given / ORIGINAL), self._read(given / WHOLE)
        members = pool[self._rows(given / TRUTH)]
        return self.report(self._measure(members, shown), self._attack(members, shown, pool))

    def judge_original(self, given: Path, seed: int) -> dict[str, Any]:
        """Judge some members of the pool as if they had been released unchanged."""
        pool = self._read(given / ORIGINAL)
        members = pool[self._drawn(pool, seeds.generator(seed, "reference"))]
        return self.report(self._measure(members, members), self._attack(members, members, pool))

    def guess_problems(self, given: Path, shape: AnswerShape) -> list[str]:
        """Check that every row of the pool has a 0 or a 1, with as many ones as there are members."""
        path = given / ANSWERS
        unreadable = plain_text.problems(path, shape.targets, 1)
        if unreadable:
            return unreadable
        return [str(problem) for problem in self._wrong_marks(path, shape.targets, self._members(shape.targets))]

    def score_guess(self, given: Path) -> dict[str, Any]:
        """Count the members that were named."""
        members = self._rows(given / TRUTH)
        marks = files.read_integers(given / ANSWERS, "answers")[:, 0]
        hits = int(marks[members].sum())
        return {"hits": hits, "targets": len(members), "rate": hits / len(members)}

    def _members(self, pool: int) -> int:
        return pool // self._share

    def _rows(self, path: Path) -> Int:
        rows: Int = files.read_integers(path, "members")[:, 0]
        return rows

"""Games that ask of every released row or customer: which original is this?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from icefire.audit import judge
from icefire.audit.run import attack_origin, run_measures
from icefire.contests.common.game import ANSWERS, TRUTH, AnswerShape
from icefire.contests.games.base import ContestGame
from icefire.core.release import Guess
from icefire.core.scorecard import AttackResult
from icefire.core.scorecard.scores import Score
from icefire.io import folder


class LinkageGame(ContestGame):
    """What such games have in common."""

    def answer_shape(self, rows: int, originals: int) -> AnswerShape:
        """One answer for each released row: an original one."""
        return AnswerShape(rows, originals)

    def judge_comparison(self, comparison: Any, seed: int) -> dict[str, Any]:
        """Measure a release and attack it, and see whether the correspondence is believable where rows can tell."""
        plan = self.plan(seed)
        measures = run_measures(comparison, plan).by_name
        answers, aya = attack_origin(comparison, plan)
        attacks = {name: _score(answer.result) for name, answer in answers.by_name.items()}
        by_aya = None if aya is None else {"hits": aya.hits, "targets": len(comparison.truth), "rate": aya.rate}
        return self.report(measures, attacks, by_aya)

    def score_guess(self, given: Path) -> dict[str, Any]:
        """Count the right answers."""
        return _score(judge.score(folder.read_truth(given / TRUTH), Guess(folder.read_guess(given / ANSWERS))))


def _score(score: Score | AttackResult) -> dict[str, Any]:
    return {"hits": score.hits, "targets": score.targets, "rate": score.rate}

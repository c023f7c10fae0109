"""Games that ask of every released row or customer: which original is this?"""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Any

from icefire.audit import judge
from icefire.audit.knowledge.replay import NOTHING_KNOWN, REPLAY, KnownRecipe
from icefire.audit.steps import attack_origin, run_measures
from icefire.contests.common.game import ANSWERS, RECIPE, TRUTH, AnswerShape
from icefire.contests.games import handed_recipe
from icefire.contests.games.base import ContestGame
from icefire.core.dataset import Dataset
from icefire.core.history import History
from icefire.core.release import Guess
from icefire.core.scorecard.attacks import AttackResult
from icefire.core.scorecard.scores import Score
from icefire.io import folder


class LinkageGame(ContestGame):
    """What such games have in common: a team may hand in the recipe, for the attack that knows it."""

    optional = (RECIPE,)

    @abstractmethod
    def read_original(self, given: Path) -> Dataset | History:
        """Read the original in the folder."""

    def submission_problems(self, given: Path) -> list[str]:
        """Check the files as the contest does and, if they are right, the recipe if there is one."""
        problems = super().submission_problems(given)
        if problems or not (given / RECIPE).exists():
            return problems
        return handed_recipe.problems(given / RECIPE, self.read_original(given))

    def known_recipe(self, given: Path, original: Dataset | History) -> KnownRecipe:
        """Return what the attacker knows who has the recipe that was handed in, if one was and the attack runs."""
        path = given / RECIPE
        if REPLAY not in self.attacks or not path.exists():
            return NOTHING_KNOWN
        return handed_recipe.known_recipe(path, original)

    def answer_shape(self, rows: int, originals: int) -> AnswerShape:
        """One answer for each released row: an original one."""
        return AnswerShape(rows, originals)

    def judge_comparison(self, comparison: Any, seed: int, known: KnownRecipe = NOTHING_KNOWN) -> dict[str, Any]:
        """Measure a release and attack it, and see whether the correspondence is believable where rows can tell."""
        plan = self.plan(seed)
        measures = run_measures(comparison, plan).by_name
        answers, aya = attack_origin(comparison, plan, known=known)
        attacks = {name: _score(answer.result) for name, answer in answers.by_name.items()}
        by_aya = None if aya is None else {"hits": aya.hits, "targets": len(comparison.truth), "rate": aya.rate}
        return self.report(measures, attacks, by_aya)

    def score_guess(self, given: Path) -> dict[str, Any]:
        """Count the right answers."""
        return _score(judge.score(folder.read_truth(given / TRUTH), Guess(folder.read_guess(given / ANSWERS))))


def _score(score: Score | AttackResult) -> dict[str, Any]:
    return {"hits": score.hits, "targets": score.targets, "rate": score.rate}

"""The question of origin: which original row or subject is this released one?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np

from icefire.audit import judge
from icefire.audit.adapter import Adapter
from icefire.audit.judge import Claim
from icefire.audit.plan import AuditPlan
from icefire.audit.replay import KnownRecipe
from icefire.core import seeds
from icefire.core.registry import Entry, Question
from icefire.core.release import Guess, Truth
from icefire.core.scorecard import Aya
from icefire.core.scorecard.attacks import AttackResult, attack_result
from icefire.core.scorecard.scores import Score
from icefire.kernels.types import Int

CLAIMS_CHECKED = 50_000
"""Of a larger release only so many claimed origins, drawn at random, are compared with the nearest row."""

CaseT = TypeVar("CaseT")


@dataclass(frozen=True, slots=True)
class OriginAnswer:
    """One attack's answers in the order of the released file, and how the judge rates them."""

    guess: Guess
    result: AttackResult
    aya: Score | None
    """The same answers by the AYA rule; None where it does not apply."""


@dataclass(frozen=True, slots=True)
class OriginQuestion(Generic[CaseT]):
    """A shuffled release, put to every attacker, and what the judge needs to rate the answers."""

    case: CaseT
    """What attackers receive."""
    order: Int
    """Row or subject j of the case is number order[j] of the released file."""
    truth: Truth
    originals: int
    rate_of: int | None
    """Denominator of the rates; None for the number of targets."""
    claim: Claim | None
    unavailable: Mapping[str, str]
    """Attacks that the release lacks something for, with the reason."""
    name: Question = "origin"

    def judge(self, entry: Entry, guess: Guess, parameters: dict[str, Any], seconds: float) -> OriginAnswer:
        """Score answers about the case."""
        guess = in_file_order(guess, self.order)
        score = judge.score(self.truth, guess, self.originals, self.rate_of)
        aya = self._aya(guess)
        result = attack_result(
            score,
            code=entry.code,
            aya=None if aya is None else aya.rate,
            knows=entry.knows,
            parameters=parameters,
            seconds=seconds,
        )
        return OriginAnswer(guess, result, aya)

    def _aya(self, guess: Guess) -> Score | None:
        if self.claim is None:
            return None
        return judge.score(self.truth, self.claim.aya(guess), self.originals, self.rate_of)


def ask_origin(
    adapter: Adapter[Any, Any, Any], comparison: Any, plan: AuditPlan, known: KnownRecipe
) -> OriginQuestion[Any]:
    """Shuffle the release and put the question; attackers may know the recipe."""
    original, released = comparison.original, comparison.released
    shuffled, order = adapter.shuffle(released, seeds.generator(plan.seed, "shuffle"))
    return OriginQuestion(
        case=replace(adapter.case(original, shuffled), replayed=known.copies),
        order=order,
        truth=comparison.truth,
        originals=original.people,
        rate_of=original.people if plan.rate_of == "original" else None,
        claim=adapter.claim(comparison, plan),
        unavailable={**adapter.unavailable(released), **known.left_out},
    )


def in_file_order(guess: Guess, order: Int) -> Guess:
    """Put answers given for released[order] back into the order of the released file."""
    rows = np.empty_like(guess.rows)
    rows[order] = guess.rows
    candidates = None if guess.candidates is None else guess.candidates.placed(order)
    probability = None
    if guess.probability is not None:
        probability = np.empty_like(guess.probability)
        probability[order] = guess.probability
    return Guess(rows, candidates, probability, guess.notes)


def sum_up_aya(question: OriginQuestion[Any], answers: Mapping[str, OriginAnswer], seed: int) -> Aya | None:
    """Sum up the AYA rule over all attacks, and check the claimed origins against the nearest rows."""
    scores = {name: answer.aya for name, answer in answers.items() if answer.aya is not None}
    if question.claim is None or not scores or not question.claim.comparison.original.numeric_sa:
        return None
    best = max(scores, key=lambda name: scores[name].rate)
    targets = seeds.generator(seed, "aya").permutation(len(question.truth))[:CLAIMS_CHECKED]
    farther = question.claim.farther_than_nearest(targets)
    return Aya(best, scores[best].rate, scores[best].hits, farther, len(targets))

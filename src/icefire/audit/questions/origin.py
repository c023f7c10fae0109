"""The question of origin: which original row or subject is this released one?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np

from icefire.audit import judge
from icefire.audit.adapter import Adapter
from icefire.audit.judge import Claim
from icefire.audit.knowledge.replay import REPLAY, KnownRecipe
from icefire.audit.plan import AuditPlan
from icefire.core import seeds
from icefire.core.profiles import EVERYTHING, MAXIMUM
from icefire.core.registry import Entry, Question
from icefire.core.release import Guess, Truth
from icefire.core.scorecard import Aya
from icefire.core.scorecard.attacks import AttackResult, attack_result
from icefire.core.scorecard.scores import Score
from icefire.core.views import View
from icefire.kernels.types import Int

CLAIMS_CHECKED = 50_000
"""Of a larger release only so many claimed origins, drawn at random, are compared with the nearest row."""

NOT_WHOLE = "repeats the recipe on the whole original, which this attacker does not know"

CaseT = TypeVar("CaseT")
DataT = TypeVar("DataT")


@dataclass(frozen=True, slots=True)
class Attacker(Generic[DataT]):
    """Somebody who attacks: what he is called, and what he holds."""

    name: str
    words: str
    """What is known, completing "an attacker who knows …"."""
    view: View[DataT]
    released: DataT
    """The release, laid out like the table known."""
    columns: tuple[str, ...]
    """Columns known that are in the release."""
    blurred: Mapping[str, str]
    """Of the columns that are not known exactly: how they differ, in words."""
    knows_everything: bool = False

    def truth(self, truth: Truth) -> Truth:
        """Return for every released row or subject who it is among the people known; -1 for nobody."""
        return truth if self.knows_everything else self.view.truth(truth)


def everything_known(adapter: Adapter[Any, Any, Any], original: Any, released: Any) -> Attacker[Any]:
    """Return the attacker who knows everything."""
    columns = adapter.shared_columns(original, released)
    view = View(original, np.arange(original.people), original.people)
    return Attacker(MAXIMUM, EVERYTHING, view, released, columns, {}, knows_everything=True)


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
    """Who each released row or subject is among the people known."""
    originals: int
    """Number of people known."""
    rate_of: int | None
    """Denominator of the rates; None for the number of targets."""
    claim: Claim | None
    unavailable: Mapping[str, str]
    """Attacks that the release lacks something for, with the reason."""
    attacker: Attacker[Any]
    seed: int
    name: Question = "origin"

    def judge(self, entry: Entry, guess: Guess, parameters: dict[str, Any], seconds: float) -> OriginAnswer:
        """Score answers about the case."""
        guess = in_file_order(guess, self.order)
        if self.attacker.knows_everything:
            score = judge.score(self.truth, guess, self.originals, self.rate_of)
        else:
            if not self.attacker.view.knows_everybody:
                guess = judge.one_answer_per_person(guess, seeds.generator(self.seed, "equally sure", entry.name))
            score = judge.score_of_known(self.truth, guess, self.originals, self.rate_of)
        aya = self._aya(guess)
        result = attack_result(
            score,
            code=entry.code,
            aya=None if aya is None else aya.rate,
            knows=entry.knows if self.attacker.knows_everything else self.attacker.words,
            parameters=parameters,
            seconds=seconds,
        )
        return OriginAnswer(self._of_originals(guess), result, aya)

    def _of_originals(self, guess: Guess) -> Guess:
        """Return answers that name original rows instead of rows of the people known; strangers are no answer."""
        if self.attacker.knows_everything:
            return guess
        people, candidates = self.attacker.view.original_rows, guess.candidates
        drawn = None if candidates is None else replace(candidates, rows=people(candidates.rows))
        return replace(guess, rows=people(guess.rows), candidates=drawn)

    def _aya(self, guess: Guess) -> Score | None:
        if self.claim is None:
            return None
        return judge.score(self.truth, self.claim.aya(guess), self.originals, self.rate_of)


def ask_origin(
    adapter: Adapter[Any, Any, Any],
    comparison: Any,
    plan: AuditPlan,
    known: KnownRecipe,
    attacker: Attacker[Any] | None = None,
) -> OriginQuestion[Any]:
    """Shuffle the release and put the question to an attacker (default: who knows everything), who may know the recipe.

    The recipe can be repeated only by whoever holds the whole original.
    """
    attacker = everything_known(adapter, comparison.original, comparison.released) if attacker is None else attacker
    view, whole = attacker.view, attacker.knows_everything
    shuffled, order = adapter.shuffle(attacker.released, seeds.generator(plan.seed, "shuffle"))
    case = adapter.shuffled_case(comparison.case, view.known, shuffled)
    return OriginQuestion(
        case=replace(case, replayed=known.copies) if whole else case,
        order=order,
        truth=attacker.truth(comparison.truth),
        originals=len(view.people),
        rate_of=len(view.people) - view.strangers if plan.rate_of == "original" else None,
        claim=adapter.claim(comparison, plan) if whole else None,
        unavailable={**adapter.unavailable(comparison.released), **(known.left_out if whole else {REPLAY: NOT_WHOLE})},
        attacker=attacker,
        seed=plan.seed,
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
    evidence = None if guess.evidence is None else guess.evidence.placed(order)
    return Guess(rows, candidates, probability, guess.notes, evidence=evidence)


def sum_up_aya(question: OriginQuestion[Any], answers: Mapping[str, OriginAnswer], seed: int) -> Aya | None:
    """Sum up the AYA rule over all attacks, and check the claimed origins against the nearest rows."""
    scores = {name: answer.aya for name, answer in answers.items() if answer.aya is not None}
    if question.claim is None or not scores or not question.claim.comparison.original.numeric_sa:
        return None
    best = max(scores, key=lambda name: scores[name].rate)
    targets = seeds.generator(seed, "aya").permutation(len(question.truth))[:CLAIMS_CHECKED]
    farther = question.claim.farther_than_nearest(targets)
    return Aya(best, scores[best].rate, scores[best].hits, farther, len(targets))

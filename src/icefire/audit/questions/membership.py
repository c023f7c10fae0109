"""The question of membership: is this record in the release, and which row is it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from icefire.audit import judge, scores
from icefire.audit.adapter import Adapter
from icefire.audit.findings.rare import rare_people
from icefire.audit.plan import AuditPlan
from icefire.audit.questions.origin import Attacker
from icefire.core import seeds
from icefire.core.errors import InputError
from icefire.core.membership import Draw, MembershipCase, draw_records
from icefire.core.registry import Entry, Question
from icefire.core.release import NO_ANSWER, Comparison, Guess, Truth
from icefire.core.schema import Role
from icefire.core.scorecard import Reason
from icefire.core.scorecard.membership import MembershipResult
from icefire.kernels.types import Bool, Int

JOINT_ATTACK = "link_members"
"""The attack that looks at all columns; a limit on membership means little without it."""


@dataclass(frozen=True, slots=True)
class MembershipQuestion:
    """Records, some of which were left out of a shuffled release, and where each of them is."""

    case: MembershipCase
    """What attackers receive."""
    truth: Truth
    unavailable: Mapping[str, str] = field(default_factory=dict)
    """Attacks that cannot run on this release, with the reason."""
    rare: Bool | None = None
    """Which records are of rare people."""
    words: str | None = None
    """What the attacker knows, if it is not what each attack says of itself."""
    name: Question = "membership"

    def judge(self, entry: Entry, guess: Guess, parameters: dict[str, Any], seconds: float) -> MembershipResult:
        """Score answers about the case."""
        return membership_result(self.truth, guess, self.rare, self.words or entry.knows, parameters, seconds)


def membership_result(
    truth: Truth, guess: Guess, rare: Bool | None, knows: str, parameters: dict[str, Any], seconds: float
) -> MembershipResult:
    """Judge answers by their scores, for everybody and for rare people, and by the rows they name.

    Args:
        truth: The released row of each target, -1 for an outsider.
        guess: The answers.
        rare: Which targets are rare people; None where that is not known.
        knows: What the attacker knows, in words.
        parameters: Parameters of the attack.
        seconds: How long it took.
    """
    everybody = scores.membership_scores(scores.scores_of_answers(guess), truth.rows != NO_ANSWER)
    return MembershipResult(
        **msgspec.structs.asdict(everybody),
        rare=None if rare is None else scores.answers_judged(truth, guess, rare),
        score=judge.membership(truth, guess) if guess.names_rows else None,
        knows=knows,
        parameters=parameters,
        seconds=seconds,
    )


@dataclass(frozen=True, slots=True)
class AskedMembership:
    """The question put to every attacker, by name, and why it could not be put to some."""

    questions: dict[str, MembershipQuestion]
    not_asked: list[Reason]


def ask_attackers(
    adapter: Adapter[Any, Any, Any],
    comparison: Comparison,
    plan: AuditPlan,
    draw: Draw,
    attackers: Sequence[Attacker[Any]],
) -> AskedMembership:
    """Put the question to every attacker about the people whom he knows.

    Raises:
        InputError: If too few people are in the release, or left out of it, for whoever knows everybody.
    """
    asked = AskedMembership({}, [])
    for attacker in attackers:
        try:
            asked.questions[attacker.name] = ask_membership(adapter, comparison, plan, draw, attacker)
        except InputError as error:
            if attacker.view.knows_everybody:
                raise
            text = f"Membership could not be asked of the attacker {attacker.name}, of the people known: {error}."
            asked.not_asked.append(Reason("not_assessed", text, {"attacker": attacker.name}))
    return asked


def ask_membership(
    adapter: Adapter[Any, Any, Any], comparison: Comparison, plan: AuditPlan, draw: Draw, attacker: Attacker[Any]
) -> MembershipQuestion:
    """Draw members and outsiders among the people whom an attacker knows, shuffle the release, and put the question.

    Strangers, whom a register may hold, are outsiders.

    Raises:
        InputError: If the attacker knows too few people who are in the release, or who are not.
    """
    place = np.full(comparison.original.height + 1, NO_ANSWER, np.int64)
    place[comparison.truth.rows] = np.arange(comparison.released.height)
    of_known = place[attacker.view.people]
    rows = draw_records(of_known, draw, seeds.generator(plan.seed, "membership"))
    order = seeds.generator(plan.seed, "shuffle").permutation(comparison.released.height)
    shown = np.full(len(order) + 1, NO_ANSWER, np.int64)
    shown[order] = np.arange(len(order))
    known = attacker.view.known
    case = MembershipCase(
        known.take(rows),
        attacker.released.take(order),
        known,
        has_strangers=bool((attacker.truth(comparison.truth).rows == NO_ANSWER).any()),
    )
    lacking = adapter.unavailable(comparison.released).get(adapter.joint_attack)
    return MembershipQuestion(
        case,
        Truth(shown[of_known[rows]]),
        {} if lacking is None else {JOINT_ATTACK: lacking},
        _rare(comparison, case, attacker.view.people[rows], plan),
        None if attacker.knows_everything else attacker.words,
    )


def _rare(comparison: Comparison, case: MembershipCase, people: Int, plan: AuditPlan) -> Bool | None:
    """Tell which records are of rare people; None where nobody stands out.

    Who is rare is decided by the true values of the original; in a register with strangers, whose true values nobody
    has, by the values of the register.
    """
    assert case.original is not None
    has_strangers = bool((people == NO_ANSWER).any())
    data = case.original if has_strangers else comparison.original
    hidden = data.schema.named(Role.ID)
    columns = [name for name in comparison.released.frame.columns if name in data.frame.columns and name not in hidden]
    rare = rare_people(data.frame, columns, seeds.generator(plan.seed, "rare"))
    if rare is None:
        return None
    asked = case.records.frame if has_strangers else comparison.original.take(people).frame
    return rare.is_rare(asked, is_in_original=True)

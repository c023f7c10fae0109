"""The question of membership: is this record in the release, and which row is it?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from icefire.audit import judge, scores
from icefire.audit.adapter import Adapter
from icefire.audit.plan import AuditPlan
from icefire.audit.rare import rare_people
from icefire.core import membership, seeds
from icefire.core.membership import Draw, MembershipCase
from icefire.core.registry import Entry, Question
from icefire.core.release import NO_ANSWER, Comparison, Guess, Truth
from icefire.core.schema import Role
from icefire.core.scorecard.membership import MembershipResult
from icefire.kernels.types import Bool

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
    name: Question = "membership"

    def judge(self, entry: Entry, guess: Guess, parameters: dict[str, Any], seconds: float) -> MembershipResult:
        """Score answers about the case."""
        return membership_result(self.truth, guess, self.rare, entry.knows, parameters, seconds)


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


def ask_membership(
    adapter: Adapter[Any, Any, Any], comparison: Comparison, plan: AuditPlan, draw: Draw
) -> MembershipQuestion:
    """Draw members and outsiders, shuffle the release, and put the question."""
    case, truth = membership.sample(comparison, draw, seeds.generator(plan.seed, "membership"))
    order = seeds.generator(plan.seed, "shuffle").permutation(comparison.released.height)
    place = np.full(len(order) + 1, NO_ANSWER, np.int64)
    place[order] = np.arange(len(order))
    shuffled = MembershipCase(case.records, comparison.released.take(order), comparison.original)
    lacking = adapter.unavailable(comparison.released).get(adapter.joint_attack)
    unavailable = {} if lacking is None else {JOINT_ATTACK: lacking}
    return MembershipQuestion(shuffled, Truth(place[truth.rows]), unavailable, _rare(shuffled, plan))


def _rare(case: MembershipCase, plan: AuditPlan) -> Bool | None:
    """Tell which records are of rare people; None where nobody stands out."""
    assert case.original is not None
    original = case.original.frame
    hidden = case.original.schema.named(Role.ID)
    columns = [name for name in case.released.frame.columns if name in original.columns and name not in hidden]
    rare = rare_people(original, columns, seeds.generator(plan.seed, "rare"))
    return None if rare is None else rare.is_rare(case.records.frame, is_in_original=True)

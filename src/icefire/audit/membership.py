"""The question of membership: is this record in the release, and which row is it?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from icefire.audit import judge
from icefire.audit.adapter import Adapter
from icefire.audit.plan import AuditPlan
from icefire.core import membership, seeds
from icefire.core.membership import Draw, MembershipCase
from icefire.core.registry import Entry, Question
from icefire.core.release import NO_ANSWER, Comparison, Guess, Truth
from icefire.core.scorecard import MembershipResult

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
    name: Question = "membership"

    def judge(self, entry: Entry, guess: Guess, parameters: dict[str, Any], seconds: float) -> MembershipResult:
        """Score answers about the case."""
        return MembershipResult(judge.membership(self.truth, guess), entry.knows, parameters, seconds)


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
    return MembershipQuestion(shuffled, Truth(place[truth.rows]), unavailable)

"""The question of membership: is this record in the release, and which row is it?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from icefire.audit import judge
from icefire.audit.plan import AuditPlan
from icefire.core import membership, seeds
from icefire.core.membership import Draw, MembershipCase
from icefire.core.registry import Entry, Question
from icefire.core.release import NO_ANSWER, Comparison, Guess, Truth
from icefire.core.scorecard import MembershipResult


@dataclass(frozen=True, slots=True)
class MembershipQuestion:
    """Records, some of which were left out of a shuffled release, and where each of them is."""

    case: MembershipCase
    """What attackers receive."""
    truth: Truth
    unavailable: Mapping[str, str] = field(default_factory=dict)
    """Attacks that the release lacks something for: none."""
    name: Question = "membership"

    def judge(self, entry: Entry, guess: Guess, parameters: dict[str, Any], seconds: float) -> MembershipResult:
        """Score answers about the case."""
        return MembershipResult(judge.membership(self.truth, guess), entry.knows, parameters, seconds)


def ask_membership(comparison: Comparison, plan: AuditPlan, draw: Draw) -> MembershipQuestion:
    """Draw members and outsiders, shuffle the release, and put the question."""
    case, truth = membership.sample(comparison, draw, seeds.generator(plan.seed, "membership"))
    order = seeds.generator(plan.seed, "shuffle").permutation(comparison.released.height)
    place = np.full(len(order) + 1, NO_ANSWER, np.int64)
    place[order] = np.arange(len(order))
    shuffled = MembershipCase(case.records, comparison.released.take(order), comparison.original)
    return MembershipQuestion(shuffled, Truth(place[truth.rows]))

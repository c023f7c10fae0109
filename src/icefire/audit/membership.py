"""Ask of a release who is in it, with every attack that knows how to answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from icefire.audit import judge, selection
from icefire.audit import run as auditing
from icefire.audit.run import Plan
from icefire.core import membership, seeds
from icefire.core.membership import Draw
from icefire.core.release import Comparison, Truth
from icefire.core.scorecard import MembershipFindings, MembershipResult
from icefire.core.types import Progress, no_progress


def run(
    comparison: Comparison, plan: Plan, draw: Draw, left_out: dict[str, str], progress: Progress = no_progress
) -> MembershipFindings:
    """Draw members and outsiders, let every membership attack answer, and judge."""
    case, truth = membership.sample(comparison, draw, seeds.generator(plan.seed, "membership"))
    order = seeds.generator(plan.seed, "shuffle").permutation(comparison.released.height)
    strange = membership.MembershipCase(case.records, comparison.released.take(order))
    place = np.empty(len(order) + 1, np.int64)
    place[order], place[-1] = np.arange(len(order)), -1
    shown = Truth(place[truth.rows])
    results: dict[str, Any] = {}
    for entry in selection.entries("attack", plan.attacks, comparison.original, left_out, plan.asks, "membership"):
        progress(f"fire: {entry.name}")
        parameters = entry.bind(plan.parameters.get(entry.name, {}))
        guess, seconds = auditing.attack_case(strange, entry, parameters, plan.seed)
        results[entry.name] = MembershipResult(
            judge.membership(shown, guess), entry.knows, auditing.said(parameters), seconds
        )
    return MembershipFindings(draw.members, draw.outsiders, results)

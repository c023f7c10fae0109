"""The question put to attackers of a synthetic release: who of these people was in the data?

People of the original and of the hold-out are mixed and asked about in groups. About one group, the attacker may know
of everybody in the other groups whether they were in the data; of the group itself he knows nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from icefire.audit import selection
from icefire.audit.membership import membership_result
from icefire.audit.plan import AuditPlan
from icefire.audit.rare import RarePeople
from icefire.audit.run import as_json, attack_case
from icefire.audit.scores import scores_of_answers
from icefire.audit.synthetic.tables import SyntheticTables
from icefire.core import seeds
from icefire.core.dataset import Dataset
from icefire.core.membership import LabelledRecords, MembershipCase
from icefire.core.registry import Entry
from icefire.core.release import NO_ANSWER, Guess, Truth
from icefire.core.scorecard.membership import MembershipFindings, MembershipResult
from icefire.core.types import Progress
from icefire.kernels.types import Bool, Float, Int

MOST_ASKED = 5_000
"""So many people of the original and of the hold-out are asked about at most."""
GROUPS = 5


@dataclass(frozen=True, slots=True)
class SyntheticQuestion:
    """People asked about in groups, and who of them was in the data."""

    cases: list[MembershipCase]
    """What attackers receive: one case per group."""
    groups: list[Int]
    """The people of each group."""
    member: Bool
    rare: Bool | None

    def answers(self, entry: Entry, parameters: dict[str, Any], seed: int) -> tuple[Float, float]:
        """Put the question about every group to an attack; returns the scores of all people and the seconds."""
        scores, seconds = np.empty(len(self.member)), 0.0
        for case, people in zip(self.cases, self.groups, strict=True):
            guess, lasted = attack_case(case, entry, parameters, seed)
            scores[people] = scores_of_answers(guess)
            seconds += lasted
        return scores, seconds

    def judge(self, entry: Entry, scores: Float, parameters: dict[str, Any], seconds: float) -> MembershipResult:
        """Judge the scores of all people."""
        truth = Truth(np.where(self.member, 0, NO_ANSWER))
        return membership_result(truth, Guess.by_scores(scores), self.rare, entry.knows, parameters, seconds)


def ask(tables: SyntheticTables, holdout: Dataset, rare: RarePeople | None, plan: AuditPlan) -> SyntheticQuestion:
    """Draw people, mix them, and make the cases of all groups."""
    rng = seeds.generator(plan.seed, "membership")
    inside, outside = (_drawn(table.height, rng) for table in (tables.original, holdout))
    people = tables.original.take(inside).frame.vstack(holdout.take(outside).frame)
    member = np.arange(people.height) < len(inside)
    order = rng.permutation(people.height)
    groups = _groups(member[order])
    asked = tables.original.with_frame(people[order])
    places = np.concatenate([np.full(len(inside), NO_ANSWER), outside])[order]
    released = tables.released.take(seeds.generator(plan.seed, "shuffle").permutation(tables.released.height))
    cases = [_case(tables, holdout, asked, member[order], places, group, released) for group in groups]
    own = np.concatenate([inside, np.full(len(outside), NO_ANSWER)])
    is_rare = None if rare is None else rare.is_rare(people, own)
    return SyntheticQuestion(cases, groups, member[order], None if is_rare is None else is_rare[order])


def _drawn(count: int, rng: np.random.Generator) -> Int:
    return np.arange(count) if count <= MOST_ASKED else np.sort(rng.permutation(count)[:MOST_ASKED])


def _groups(member: Bool) -> list[Int]:
    """Deal people to groups, members and outsiders each in turn, so that every group has the same share of both."""
    turn = np.where(member, np.cumsum(member) - 1, np.cumsum(~member) - 1) % GROUPS
    return [people for number in range(GROUPS) if len(people := np.flatnonzero(turn == number))]


def _case(
    tables: SyntheticTables,
    holdout: Dataset,
    asked: Dataset,
    member: Bool,
    places: Int,
    group: Int,
    released: Dataset,
) -> MembershipCase:
    """Make the case of a group; without a background, the people of the hold-out who are not in the group are one."""
    others = np.setdiff1d(np.arange(len(member)), group)
    background, in_background = tables.background, None
    if background is None:
        kept = np.setdiff1d(np.arange(holdout.height), places[group])
        background = holdout.take(kept)
        place = np.full(holdout.height + 1, NO_ANSWER, np.int64)
        place[kept] = np.arange(len(kept))
        in_background = place[places[others]]
    return MembershipCase(
        asked.take(group),
        released,
        background=background if background.height else None,
        examples=LabelledRecords(asked.take(others), member[others], in_background) if len(others) else None,
        scales=tables.scales,
    )


def attack_membership(
    question: SyntheticQuestion, original: Dataset, plan: AuditPlan, progress: Progress
) -> MembershipFindings:
    """Let every selected attack answer, and have the answers judged."""
    entries, left_out = selection.select(
        "attack", plan.attacks, original, plan.includes, "membership", release="synthetic"
    )
    results = {}
    for entry in entries:
        progress(f"fire: {entry.name}")
        parameters = plan.bind(entry)
        scores, seconds = question.answers(entry, parameters, plan.seed)
        results[entry.name] = question.judge(entry, scores, as_json(parameters), seconds)
    members = int(question.member.sum())
    return MembershipFindings(members, len(question.member) - members, results, left_out)

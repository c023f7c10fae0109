"""The question put to attackers of a synthetic release: who of these people was in the data?

People of the original and of the hold-out are mixed and asked about in groups. About one group, the attacker may know
of everybody in the other groups whether they were in the data; of the group itself he knows nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from icefire.audit import selection
from icefire.audit.findings.rare import RarePeople
from icefire.audit.plan import AuditPlan
from icefire.audit.questions.membership import membership_result
from icefire.audit.scores import scores_of_answers
from icefire.audit.steps import as_json, attack_case
from icefire.audit.synthetic.known_people import PeopleAsKnown
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
    complete: bool = False
    """Whether everybody of the original is asked about."""
    words: str | None = None
    """What the attacker knows, if it is not what each attack says of itself."""

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
        return membership_result(
            truth, Guess.by_scores(scores), self.rare, self.words or entry.knows, parameters, seconds
        )


def ask(tables: SyntheticTables, known: PeopleAsKnown, rare: RarePeople | None, plan: AuditPlan) -> SyntheticQuestion:
    """Draw people whom an attacker knows, mix them, and make the cases of all groups.

    Args:
        tables: The tables given; who is rare is decided by their values.
        known: The people as the attacker knows them, those outside the data among them.
        rare: Who is rare; None where nobody stands out.
        plan: The seed.
    """
    rng = seeds.generator(plan.seed, "membership")
    drawn, outside = _drawn(len(known.inside.people), rng), _drawn(known.outside.height, rng)
    inside = known.inside.people[drawn]
    people = known.inside.known.take(drawn).frame.vstack(known.outside.take(outside).frame)
    member = np.arange(people.height) < len(inside)
    order = rng.permutation(people.height)
    groups = _groups(member[order])
    asked = known.inside.known.with_frame(people[order])
    places = np.concatenate([np.full(len(inside), NO_ANSWER), outside])[order]
    released = tables.released.take(seeds.generator(plan.seed, "shuffle").permutation(tables.released.height))
    cases = [_case(tables, known, asked, member[order], places, group, released) for group in groups]
    own = np.concatenate([inside, np.full(len(outside), NO_ANSWER)])
    is_rare = None
    if rare is not None and tables.holdout is not None and not known.holds_register:
        as_they_are = tables.original.take(inside).frame.vstack(tables.holdout.take(outside).frame)
        is_rare = rare.is_rare(as_they_are, own)[order]
    words = None if known.knows_everything else known.words
    return SyntheticQuestion(cases, groups, member[order], is_rare, len(inside) == tables.original.height, words)


def _drawn(count: int, rng: np.random.Generator) -> Int:
    return np.arange(count) if count <= MOST_ASKED else np.sort(rng.permutation(count)[:MOST_ASKED])


def _groups(member: Bool) -> list[Int]:
    """Deal people to groups, members and outsiders each in turn, so that every group has the same share of both."""
    turn = np.where(member, np.cumsum(member) - 1, np.cumsum(~member) - 1) % GROUPS
    return [people for number in range(GROUPS) if len(people := np.flatnonzero(turn == number))]


def _case(
    tables: SyntheticTables,
    known: PeopleAsKnown,
    asked: Dataset,
    member: Bool,
    places: Int,
    group: Int,
    released: Dataset,
) -> MembershipCase:
    """Make the case of a group; without a background, the people of the hold-out who are not in the group are one."""
    others = np.setdiff1d(np.arange(len(member)), group)
    background, in_background, holdout = known.background, None, known.outside
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
    question: SyntheticQuestion, known: PeopleAsKnown, plan: AuditPlan, progress: Progress
) -> MembershipFindings:
    """Let every selected attack answer with what an attacker knows, and have the answers judged."""
    entries, left_out = selection.select(
        "attack", plan.attacks, known.inside.known, plan.includes, "membership", release="synthetic"
    )
    results = {}
    for place, entry in enumerate(entries, 1):
        whose = "" if known.knows_everything else f" ({known.name})"
        progress(f"fire: {entry.name}{whose}, {place} of {len(entries)}")
        parameters = plan.bind(entry)
        scores, seconds = question.answers(entry, parameters, plan.seed)
        results[entry.name] = question.judge(entry, scores, as_json(parameters), seconds)
    members = int(question.member.sum())
    others = len(question.member) - members
    return MembershipFindings(members, others, results, left_out, known.name, known.words, question.complete)

"""The answers of all attackers to all questions of an audit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from icefire.audit import selection
from icefire.audit.adapter import Adapter
from icefire.audit.attributes.question import AttributeAnswers
from icefire.audit.correspondence import LoadedRelease
from icefire.audit.knowledge.attackers import attacker_result, attackers_of, named_attackers
from icefire.audit.knowledge.replay import KnownRecipe
from icefire.audit.plan import AuditPlan
from icefire.audit.questions.attribute import ask_attributes
from icefire.audit.questions.linking import AskedPeriods
from icefire.audit.questions.membership import AskedMembership, MembershipQuestion, ask_attackers
from icefire.audit.questions.origin import Attacker, OriginAnswer, everything_known
from icefire.audit.steps import Results, attack_origin, run_attacks
from icefire.core.membership import Draw
from icefire.core.profiles import EVERYTHING
from icefire.core.release import NO_ANSWER, Guess, Truth
from icefire.core.scorecard import Aya
from icefire.core.scorecard.attackers import AttackerResult
from icefire.core.scorecard.attacks import AttackResult
from icefire.core.scorecard.linking import LinkingFindings
from icefire.core.scorecard.membership import MembershipFindings
from icefire.core.types import Progress, no_progress


@dataclass(frozen=True, slots=True)
class Answers:
    """What every attacker answered to every question, in the order in which the attackers were named."""

    attackers: list[Attacker[Any]]
    named: bool
    """Whether the user, a policy or a recipe named the attackers; otherwise one who knows everything is tried."""
    origins: list[tuple[Results[OriginAnswer], Aya | None]]
    membership: AskedMembership | None
    """Who is in the data, as it was asked; None where that was not."""
    members: dict[str, MembershipFindings]
    linking: LinkingFindings | None
    hidden: list[AttributeAnswers | None]

    @property
    def main(self) -> int:
        """Place of the attacker about whom further findings are: the one who knows everything, or else the first."""
        return next((place for place, attacker in enumerate(self.attackers) if attacker.knows_everything), 0)

    @property
    def guesses(self) -> dict[str, Guess]:
        """What the attacks of the main attacker answered on the origin of rows."""
        return {name: answer.guess for name, answer in self.origins[self.main][0].by_name.items()}

    @property
    def main_membership(self) -> MembershipFindings | None:
        """What the main attacker found about membership; None where nothing was asked."""
        return self.members.get(self.attackers[self.main].name)

    @property
    def questions(self) -> list[str]:
        """The questions that were put."""
        put = {
            "membership": self.membership is not None,
            "linking": self.linking is not None,
            "attribute": any(self.hidden),
        }
        return ["origin", *(name for name, was_put in put.items() if was_put)]

    @property
    def someone_knows_everything(self) -> bool:
        """Whether the attacker who knows everything was tried."""
        return any(attacker.knows_everything for attacker in self.attackers)

    def results(self, truth: Truth) -> list[AttackerResult]:
        """Sum up each attacker for the scorecard."""
        return [
            attacker_result(
                attacker,
                truth,
                in_reading_order(answers),
                answers.left_out,
                self.members.get(attacker.name),
                # Where nobody is named, the findings stand in the scorecard itself.
                hidden.findings if self.named and hidden is not None else None,
            )
            for attacker, (answers, _), hidden in zip(self.attackers, self.origins, self.hidden, strict=True)
        ]


def put_questions(
    adapter: Adapter[Any, Any, Any],
    release: LoadedRelease[Any],
    comparison: Any,
    plan: AuditPlan,
    known: KnownRecipe,
    draw: Draw | None,
    progress: Progress,
) -> Answers:
    """Put every question of the plan to every attacker.

    Args:
        adapter: The kind of data.
        release: The release, and the original laid out like it.
        comparison: The same with the truth, for the judge.
        plan: Which attacks run, and what attackers know.
        known: The recipe of the release, as far as it can be repeated.
        draw: How many members and outsiders are asked about; None asks nothing about membership.
        progress: Called with the name of each stage.
    """
    sources = named_attackers(plan, release.recipe)
    named = bool(sources) or plan.register is not None
    attackers = [everything_known(adapter, release.original, release.released)]
    if named:
        attackers = attackers_of(adapter, release, sources, plan.register, comparison.truth, plan.seed)
    membership = None if draw is None else ask_attackers(adapter, comparison, plan, draw, attackers)
    return Answers(
        attackers=attackers,
        named=named,
        origins=[attack_origin(comparison, plan, progress, known, attacker) for attacker in attackers],
        membership=membership,
        members={
            name: _membership_findings(question, comparison.original, plan, progress, name)
            for name, question in ({} if membership is None else membership.questions).items()
        },
        linking=run_linking(adapter.ask_linking(comparison, plan), comparison.original, plan, progress),
        hidden=[ask_attributes(comparison, plan, attacker, progress) for attacker in attackers],
    )


def in_reading_order(answers: Results[OriginAnswer]) -> dict[str, AttackResult]:
    """Return the results of attacks in the order in which reports list them."""
    return {name: answers.by_name[name].result for name in sorted(answers.by_name, key=selection.reading_order)}


def _membership_findings(
    question: MembershipQuestion, original: Any, plan: AuditPlan, progress: Progress, attacker: str
) -> MembershipFindings:
    """Let every selected attack tell members from others, with what one attacker knows."""
    answers = run_attacks(question, original, plan, progress, "" if question.words is None else attacker)
    inside = int((question.truth.rows != NO_ANSWER).sum())
    return MembershipFindings(
        inside, len(question.truth) - inside, answers.by_name, answers.left_out, attacker, question.words or EVERYTHING
    )


def run_linking(
    asked: AskedPeriods | None, original: Any, plan: AuditPlan, progress: Progress = no_progress
) -> LinkingFindings | None:
    """Let every selected attack link the pseudonyms of neighbouring periods; None where nobody has several."""
    if asked is None:
        return None
    answers = [run_attacks(question, original, plan, progress) for question in asked.questions]
    left_out = answers[0].left_out if answers else {}
    return asked.summed_up([answer.by_name for answer in answers], left_out)

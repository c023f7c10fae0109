"""Attackers of a synthetic release: what each of them finds about members and hidden values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from icefire.audit.attributes.targets import ControlPeople
from icefire.audit.findings.rare import RarePeople
from icefire.audit.knowledge.register import RegisterSource
from icefire.audit.plan import AuditPlan
from icefire.audit.questions.attribute import ask_synthetic
from icefire.audit.synthetic.known_people import PeopleAsKnown, everything_known, known_to
from icefire.audit.synthetic.question import ask, attack_membership
from icefire.audit.synthetic.register import known_by_register, register_in_original
from icefire.audit.synthetic.tables import SyntheticTables
from icefire.core.dataset import Dataset
from icefire.core.knowledge import Knowledge
from icefire.core.scorecard.attackers import AttackerResult
from icefire.core.scorecard.attributes import AttributeFindings
from icefire.core.scorecard.membership import MembershipFindings
from icefire.core.types import Progress


@dataclass(frozen=True, slots=True)
class AttackerTrial:
    """What one attacker knows, and what was found with it."""

    known: PeopleAsKnown
    membership: MembershipFindings
    hidden: AttributeFindings | None
    """Hidden values; None where nobody outside is there to compare with, or nothing is sensitive."""

    def result(self, released: int) -> AttackerResult:
        """Return it as the scorecard has it.

        Args:
            released: Number of released rows.
        """
        people = len(self.known.inside.people)
        return AttackerResult(
            name=self.known.name,
            words=self.known.words,
            columns=self.known.columns,
            blurred=dict(self.known.blurred),
            people=people + self.known.strangers,
            strangers=self.known.strangers,
            targets=people,
            released=released,
            membership=self.membership,
            attributes=self.hidden,
        )


def try_knowledge(
    tables: SyntheticTables,
    holdout: Dataset,
    rare: RarePeople | None,
    knowledge: Sequence[Knowledge],
    plan: AuditPlan,
    progress: Progress,
) -> list[AttackerTrial]:
    """Let attackers who know people of the original answer; the one who knows everything if nobody is named.

    Args:
        tables: The tables compared.
        holdout: People outside the data.
        rare: Who is rare.
        knowledge: What each attacker knows.
        plan: What to run.
        progress: Called with the name of each stage.
    """
    attackers = [known_to(one, tables, holdout, plan.seed) for one in knowledge]
    trials = []
    for known in attackers or [everything_known(tables, holdout)]:
        membership = attack_membership(ask(tables, known, rare, plan), known, plan, progress)
        # Who knows everything is asked with the quasi-identifiers: the sensitive values are what he wants.
        view, outside = (None, None) if known.knows_everything else (known.inside, known.outside)
        controls = ControlPeople(holdout, outside)
        hidden = ask_synthetic(tables.original, tables.released, controls, plan, view, progress)
        trials.append(AttackerTrial(known, membership, hidden))
    return trials


def try_registers(
    tables: SyntheticTables, registers: Sequence[RegisterSource], plan: AuditPlan, progress: Progress
) -> list[AttackerTrial]:
    """Let every holder of a register answer about the people in it; hidden values need a hold-out besides."""
    trials = []
    for known in [known_by_register(source, tables) for source in registers]:
        membership = attack_membership(ask(tables, known, None, plan), known, plan, progress)
        controls = None if tables.holdout is None else ControlPeople(tables.holdout)
        view = register_in_original(known, tables)
        hidden = ask_synthetic(tables.original, tables.released, controls, plan, view, progress)
        trials.append(AttackerTrial(known, membership, hidden))
    return trials

"""What cannot be asked of tables in parts, asked of a random sample of the people: hidden values, singling out,
identifiers, the order of the rows, the claimed correspondence, and attacks that need the whole table.

A share found among the sample is at least that among all, so limits are compared with the upper end of its interval
there. Rates of attacks are an exception: link is searched among all people, and only an attack that finds more than
link does among the same people counts, with its rate there.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import msgspec
import numpy as np

from icefire.audit import selection
from icefire.audit.criteria.table import measure_criteria
from icefire.audit.knowledge.replay import REPLAY
from icefire.audit.obstacles.contradiction import false_correspondence
from icefire.audit.obstacles.identifiers import identifiers
from icefire.audit.obstacles.informed_attacker import unread_relations
from icefire.audit.obstacles.row_order import telling_order
from icefire.audit.obstacles.single_columns import columns_that_identify
from icefire.audit.parts.people_sample import PeopleSample
from icefire.audit.plan import AuditPlan
from icefire.audit.questions.attribute import ask_attributes
from icefire.audit.questions.origin import OriginAnswer, everything_known
from icefire.audit.steps import attack_origin
from icefire.audit.tables import JOINT_ATTACK, TableAdapter
from icefire.core.scorecard import Reason
from icefire.core.scorecard.attacks import AttackResult
from icefire.core.scorecard.attributes import AttributeFindings
from icefire.core.scorecard.criteria import CriteriaFindings
from icefire.core.types import Progress
from icefire.risk import safe_harbour

NO_MORE = "needs the whole table at once; among a random sample of {people:,} people it finds no more than link"


@dataclass(frozen=True, slots=True)
class PeopleFindings:
    """What was found among a sample of the people."""

    attacks: dict[str, AttackResult] = field(default_factory=dict)
    """Attacks that find more than link there."""
    left_out: dict[str, str] = field(default_factory=dict)
    """The others, with the reason."""
    attributes: AttributeFindings | None = None
    criteria: CriteriaFindings | None = None
    obstacles: list[Reason] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)
    """What could not be assessed."""


def ask_people(
    sample: PeopleSample, plan: AuditPlan, released: int, in_order: bool, progress: Progress
) -> PeopleFindings:
    """Put to a sample of the people what cannot be asked of tables in parts.

    Args:
        sample: The people.
        plan: What to run, and the limits.
        released: Number of released rows of the whole release.
        in_order: The whole release is in the order of the original.
        progress: Called with the name of each stage.
    """
    comparison, release = sample.comparison, sample.release
    alone = replace(plan, runner=None, policy=None, knowledge=(), register=None, recipe=None, method_known=False)
    names, left_out = _attacks(sample, plan)
    answers: dict[str, OriginAnswer] = {}
    if names:
        answers = attack_origin(comparison, replace(alone, attacks=names), progress)[0].by_name
    attacks, without = _more_than_link(answers, sample.people)
    attacker = everything_known(TableAdapter(), release.original, release.released)
    hidden = ask_attributes(comparison, alone, attacker, progress)
    hidden_values = None if hidden is None else hidden.findings
    criteria = measure_criteria(comparison, hidden_values, alone, progress)
    progress("judge: obstacles among some of the people")
    guesses = {name: answer.guess for name, answer in answers.items()}
    limit = plan.identified_limit
    harbour = safe_harbour.check(release.published)
    obstacles = [
        *identifiers(release.original_as_read, release.published, comparison.truth, harbour),
        *columns_that_identify(comparison, limit),
        *unread_relations(comparison, guesses, limit, plan.seed),
        *telling_order(comparison, limit),
        *false_correspondence(comparison, guesses, plan.seed),
    ]
    return PeopleFindings(
        attacks,
        left_out | without,
        None if hidden_values is None else msgspec.structs.replace(hidden_values, people_in_release=released),
        None if criteria is None else _as_sampled(criteria),
        obstacles,
        _lacking(sample, in_order),
    )


def _attacks(sample: PeopleSample, plan: AuditPlan) -> tuple[list[str], dict[str, str]]:
    """Name the attacks on origin that need the whole table; where attacks were named, those among them."""
    chosen, left_out = selection.select("attack", plan.attacks, sample.comparison.original, plan.includes)
    return [entry.name for entry in chosen if entry.in_parts is None and entry.name != REPLAY], left_out


def _more_than_link(answers: dict[str, OriginAnswer], people: int) -> tuple[dict[str, AttackResult], dict[str, str]]:
    """Return the results of attacks that find more than link among the same people, and the others with the reason.

    Link itself counts where it reads columns otherwise than by their names: among all people it does not try that.
    """
    link = answers.get(JOINT_ATTACK)
    counted, left_out = {}, {}
    for name, answer in answers.items():
        result = msgspec.structs.replace(answer.result, sampled=True)
        if name == JOINT_ATTACK:
            if answer.guess.notes.get("read_otherwise"):
                counted[name] = result
        elif link is None or result.ci[0] > link.result.rate:
            counted[name] = result
        else:
            left_out[name] = NO_MORE.format(people=people)
    return counted, left_out


def _as_sampled(criteria: CriteriaFindings) -> CriteriaFindings:
    return CriteriaFindings([msgspec.structs.replace(one, sampled=True) for one in criteria.criteria])


def _lacking(sample: PeopleSample, in_order: bool) -> list[str]:
    """Name the order of the rows if the sample is in the order of the original and the whole release is not quite."""
    is_in_order = bool((np.diff(sample.comparison.truth.rows) >= 0).all())
    return ["the order of the rows"] if is_in_order and not in_order else []

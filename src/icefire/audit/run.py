"""The driver: put every question to the attackers, measure, write down, and give the verdict.

There is one driver for every kind of data; what depends on the kind is the adapter's. `answers` puts the questions,
`steps` runs single measures and attacks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from icefire.audit import selection, verdict
from icefire.audit.adapter import Adapter, Findings
from icefire.audit.answers import Answers, in_reading_order, put_questions
from icefire.audit.correspondence import LoadedRelease
from icefire.audit.criteria.table import measure_criteria
from icefire.audit.kinds import adapter_of
from icefire.audit.knowledge.attackers import known_columns, more_knowledge_untried, nobody_known
from icefire.audit.knowledge.replay import (
    NOTHING_KNOWN,
    REPLAY,
    KnownRecipe,
    known_recipe,
    replay_findings,
    replay_missing,
)
from icefire.audit.limits import LINKING_RECALL, MEMBERSHIP, Gate
from icefire.audit.plan import AuditPlan
from icefire.audit.provenance import provenance
from icefire.audit.questions.linking import LINKING_ATTACK, nothing_to_link
from icefire.audit.questions.membership import JOINT_ATTACK
from icefire.audit.steps import run_measures
from icefire.core.display import ShownInNotebooks
from icefire.core.membership import Draw
from icefire.core.release import Truth
from icefire.core.scorecard import Reason, Scorecard
from icefire.core.types import Progress, no_progress


@dataclass(frozen=True, slots=True)
class Audit(ShownInNotebooks):
    """The scorecard and, for whoever may see the truth, what happened to every row."""

    scorecard: Scorecard
    records: pl.DataFrame
    """One row per released row: its original row, each attack's hit, how many agree, and its risks. Secret."""

    def __repr__(self) -> str:
        return f"<Audit of {self.scorecard.provenance.released.name!r}: {self.scorecard.verdict.headline}>"


def audit_release(
    release: LoadedRelease[Any],
    truth: Truth,
    plan: AuditPlan,
    match: str,
    draw: Draw | None = None,
    progress: Progress = no_progress,
) -> Audit:
    """Attack a release shuffled, measure it, judge, and write the scorecard.

    Args:
        release: The release, and the original laid out like it.
        truth: Which original each released row or subject comes from.
        plan: What to run, and the limits.
        match: How released and original rows or subjects were matched, in words.
        draw: How many members and outsiders are asked about; None asks nothing about membership.
        progress: Called with the name of each stage.

    Returns:
        The scorecard with its verdict, and the secret records.
    """
    adapter = adapter_of(release.original)
    comparison = adapter.compare(adapter.case(release.original, release.released), truth)
    plan.risks.checked(comparison.original.people)
    known = known_recipe(release, plan, progress) if plan.asks_for_replay or release.recipe else NOTHING_KNOWN
    selection.select("attack", plan.attacks, comparison.original, plan.includes)
    answers = put_questions(adapter, release, comparison, plan, known, draw, progress)
    card, findings = _scorecard(adapter, release, comparison, plan, known, answers, match, progress)
    progress("judge: obstacles")
    obstacles = adapter.obstacles(
        release,
        comparison,
        answers.guesses,
        findings,
        plan.identified_limit,
        plan.seed,
        known_columns(answers.attackers),
    )
    gates = _gates(plan, release, answers, card)
    obstacles += _not_assessed(adapter, truth, plan, known, answers, card, gates)
    hidden = answers.hidden[answers.main]
    records = findings.records if hidden is None else findings.records.with_columns(hidden.certain_columns())
    return Audit(verdict.judged(card, gates, obstacles, plan.policy.name if plan.policy else ""), records)


def _scorecard(
    adapter: Adapter[Any, Any, Any],
    release: LoadedRelease[Any],
    comparison: Any,
    plan: AuditPlan,
    known: KnownRecipe,
    answers: Answers,
    match: str,
    progress: Progress,
) -> tuple[Scorecard, Findings]:
    """Measure the release, find out who is at risk, and write down both beside the answers; no verdict yet."""
    attacks, aya = answers.origins[answers.main]
    hidden = answers.hidden[answers.main]
    attributes = None if hidden is None else hidden.findings
    measures = run_measures(comparison, plan, progress)
    findings = adapter.findings(comparison, answers.guesses, plan, release.published, progress)
    nothing_linked = {} if answers.linking else nothing_to_link(plan.attacks or (), comparison.original.kind)
    card = Scorecard(
        provenance=provenance(
            release.original,
            release.released,
            plan.seed,
            match,
            in_order=adapter.is_in_original_order(comparison.truth),
        ),
        roles=adapter.roles(comparison.original),
        measures=measures.by_name,
        attacks=in_reading_order(attacks),
        attackers=answers.results(comparison.truth),
        left_out=measures.left_out | attacks.left_out | dict(plan.not_asked) | nothing_linked,
        aya=aya,
        membership=answers.main_membership,
        linking=answers.linking,
        attributes=attributes,
        criteria=measure_criteria(comparison, attributes, plan, progress),
        recipe=release.recipe,
        replay=replay_findings(known, answers.guesses.get(REPLAY)),
        **findings.parts,
    )
    return card, findings


def _gates(plan: AuditPlan, release: LoadedRelease[Any], answers: Answers, card: Scorecard) -> list[Gate]:
    """Return the limits of the user and of the policy on what was asked."""
    asked = [*answers.questions, *(["criteria"] if card.criteria else [])]
    return [*plan.limits, *(plan.policy.gates(release.recipe, asked) if plan.policy else ())]


def _not_assessed(
    adapter: Adapter[Any, Any, Any],
    truth: Truth,
    plan: AuditPlan,
    known: KnownRecipe,
    answers: Answers,
    card: Scorecard,
    gates: list[Gate],
) -> list[Reason]:
    """Name what was not assessed and must be, so that the release does not pass."""
    reasons: list[Reason] = []
    for attacker, (origins, _) in zip(answers.attackers, answers.origins, strict=True):
        reasons += verdict.joint_attack_missing(adapter.joint_attack, origins.by_name, origins.left_out)
        reasons += nobody_known(attacker, truth)
    if answers.someone_knows_everything:
        reasons += replay_missing(known, card.replay)
    else:
        named_by_policy = plan.policy is not None and bool(plan.policy.limits.attacker)
        reasons += more_knowledge_untried([one.name for one in answers.attackers], named_by_policy)
    limited = {gate.name for gate in gates}
    if answers.membership is not None and not limited.isdisjoint(MEMBERSHIP):
        reasons += answers.membership.not_asked
        for findings in answers.members.values():
            reasons += verdict.joint_attack_missing(JOINT_ATTACK, findings.attacks, findings.left_out)
    if answers.linking is not None and LINKING_RECALL in limited:
        linking = answers.linking
        reasons += verdict.joint_attack_missing(LINKING_ATTACK, linking.attacks, linking.left_out)
    # Several attackers may lack the same attack for the same reason.
    return list({(reason.code, reason.text): reason for reason in reasons}.values())

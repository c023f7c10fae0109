"""The driver of a synthetic audit: find copies, let attacks tell members from others, write the scorecard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from icefire.audit import verdict
from icefire.audit.adapter import ReleaseFiles
from icefire.audit.attackers import knowledge_of, more_knowledge_untried
from icefire.audit.attribute import ask_synthetic
from icefire.audit.correspondence import ControlFiles
from icefire.audit.criteria.table import synthetic_criteria
from icefire.audit.kinds import adapter_of
from icefire.audit.limits import AYA, DANGER, REID
from icefire.audit.plan import AuditPlan
from icefire.audit.provenance import provenance
from icefire.audit.rare import RarePeople, rare_people
from icefire.audit.replay import without_notes
from icefire.audit.run import Audit
from icefire.audit.selection import check_release
from icefire.audit.synthetic.controls import without_overlap
from icefire.audit.synthetic.copies import CopyFindings, find_copies
from icefire.audit.synthetic.known_people import everything_known, known_to
from icefire.audit.synthetic.obstacles import synthetic_obstacles
from icefire.audit.synthetic.question import ask, attack_membership
from icefire.audit.synthetic.resynthesis import resynthesise
from icefire.audit.synthetic.tables import SyntheticTables, load_tables
from icefire.audit.synthetic.usefulness import check_measures, measure_synthetic
from icefire.audit.task import check_target
from icefire.core import registry, seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.profiles import MAXIMUM
from icefire.core.scorecard import Reason, Scorecard
from icefire.core.scorecard.attackers import AttackerResult
from icefire.core.scorecard.membership import MembershipFindings
from icefire.core.scorecard.synthetic import ControlTable, SyntheticFindings
from icefire.core.types import Progress
from icefire.recipe.load import load
from icefire.words import t

NO_ROWS = "none: a synthetic release, whose rows come from nobody in particular"
MADE_ANEW = (
    "There is no hold-out. What was judged of membership is a release that the recipe made anew from a part of the "
    "people, drawn at random, against the others; of this file itself only copies were judged."
)


@dataclass(frozen=True, slots=True)
class _Judged:
    """What was judged, and by which tables."""

    basis: Literal["holdout", "recipe", "copies"]
    tables: SyntheticTables
    membership: MembershipFindings | None
    attackers: list[AttackerResult]
    reasons: list[Reason]
    not_judged: list[str]


def audit_synthetic(
    original: Any, released: ReleaseFiles, controls: ControlFiles, plan: AuditPlan, progress: Progress
) -> Audit:
    """Audit a release whose rows come from nobody in particular.

    Args:
        original: The original, as it was read.
        released: The release as the user names it.
        controls: People outside the data.
        plan: What to run, and the limits.
        progress: Called with the name of each stage.

    Returns:
        The scorecard with its verdict, and for each released row its nearest original row.

    Raises:
        ParameterError: If the data are a history, or a limit needs a correspondence.
        InputError: If a table cannot be used.
    """
    check_synthetic(original, plan)
    tables = load_tables(original, released, controls.holdout, controls.background)
    check_target(plan, tables.original)
    tables, holdout, background = _with_controls(tables)
    rare = rare_people(tables.original.frame, tables.compared, seeds.generator(plan.seed, "rare"))
    judged = _judge(tables, rare, plan, progress)
    progress("judge: copies")
    rng = seeds.generator(plan.seed, "copies")
    copies = find_copies(tables, rng)
    hidden = ask_synthetic(judged.tables.original, judged.tables.released, judged.tables.holdout, plan, progress)
    asked = ["membership", "criteria", *(["attribute"] if hidden else [])]
    gates = [*plan.limits, *(plan.policy.gates({}, asked) if plan.policy else ())]
    adapter = adapter_of(tables.original)
    measures, usefulness = measure_synthetic(tables, plan, progress)
    card = Scorecard(
        provenance=provenance(tables.original, tables.released, plan.seed, NO_ROWS),
        roles=adapter.roles(tables.original_as_read),
        measures=measures.by_name,
        left_out=measures.left_out,
        membership=judged.membership,
        attackers=judged.attackers,
        attributes=hidden,
        criteria=synthetic_criteria(
            judged.tables.original, judged.tables.released, judged.tables.holdout, hidden, plan, progress
        ),
        usefulness=usefulness,
        synthetic=_findings(tables, judged, copies, rare, (holdout, background)),
        recipe=tables.recipe,
    )
    obstacles = synthetic_obstacles(tables, copies, judged.membership, gates, plan.identified_limit) + judged.reasons
    if judged.attackers and not any(one.name == MAXIMUM for one in judged.attackers):
        named_by_policy = plan.policy is not None and bool(plan.policy.limits.attacker)
        obstacles += more_knowledge_untried([one.name for one in judged.attackers], named_by_policy)
    named = plan.policy.name if plan.policy else ""
    return Audit(verdict.judged(card, gates, obstacles, named), copies.records)


def check_synthetic(original: Any, plan: AuditPlan) -> None:
    """Refuse data and limits that a release without correspondence cannot be judged by."""
    if not isinstance(original, Dataset):
        raise ParameterError("--synthetic is for tables with one row per person, but this is a history")
    check_measures(plan)
    for entry in (registry.get("attack", name, "table") for name in plan.attacks or ()):
        if entry.question != "attribute":
            check_release(entry, "synthetic")
    for gate in plan.limits:
        if gate.name in (REID, AYA, DANGER):
            raise ParameterError(
                f"a limit on {gate.name!r} needs released rows that come from people; limit membership_tpr instead, "
                "or leave --synthetic out and say how rows correspond"
            )


def _with_controls(tables: SyntheticTables) -> tuple[SyntheticTables, ControlTable | None, ControlTable | None]:
    """Leave people of the original out of hold-out and background, and people of the hold-out out of the background."""
    holdout = background = None
    if tables.holdout is not None:
        kept, holdout = without_overlap("hold-out", tables.holdout, tables.original)
        tables = tables.with_release(tables.original, tables.released, kept)
    if tables.background is not None:
        known = tables.original
        if tables.holdout is not None:
            known = known.with_frame(known.frame.vstack(tables.holdout.frame))
        kept, background = without_overlap("background", tables.background, known)
        tables = tables.with_background(kept)
    return tables, holdout, background


def _judge(tables: SyntheticTables, rare: RarePeople | None, plan: AuditPlan, progress: Progress) -> _Judged:
    """Let attacks tell members from others, where there are others or a recipe that can do without some people."""
    if tables.holdout is not None:
        return _Judged("holdout", tables, *_attacked(tables, tables.holdout, rare, plan, progress), [], [])
    source = plan.recipe or (without_notes(tables.recipe) if tables.recipe.get("steps") else None)
    if source is None:
        return _Judged("copies", tables, None, [], [], [t("verdict.reason.no_holdout")])
    anew = resynthesise(tables, load(source), plan.seed, progress)
    assert anew.tables.holdout is not None
    fewer = rare_people(anew.tables.original.frame, tables.compared, seeds.generator(plan.seed, "rare"))
    judged = _attacked(anew.tables, anew.tables.holdout, fewer, plan, progress)
    return _Judged("recipe", anew.tables, *judged, anew.contradiction, [MADE_ANEW])


def _attacked(
    tables: SyntheticTables, holdout: Dataset, rare: RarePeople | None, plan: AuditPlan, progress: Progress
) -> tuple[MembershipFindings, list[AttackerResult]]:
    """Let every attacker tell members from others; returns the findings of the one who knows most, and all if named."""
    knowledge = knowledge_of(adapter_of(tables.original), tables.original_as_read, plan.attackers)
    attackers = [known_to(known, tables, holdout, plan.seed) for known in knowledge]
    findings = [
        attack_membership(ask(tables, known, rare, plan), known, plan, progress)
        for known in attackers or [everything_known(tables, holdout)]
    ]
    results = [
        AttackerResult(
            name=known.name,
            words=known.words,
            columns=list(known.original.frame.columns),
            blurred=dict(known.blurred),
            people=len(known.people),
            targets=len(known.people),
            released=tables.released.height,
            membership=found_by_one,
        )
        for known, found_by_one in zip(attackers, findings, strict=False)
    ]
    main = next((place for place, known in enumerate(attackers) if known.knows_everything), 0)
    return findings[main], results


def _findings(
    tables: SyntheticTables,
    judged: _Judged,
    copies: CopyFindings,
    rare: RarePeople | None,
    controls: tuple[ControlTable | None, ControlTable | None],
) -> SyntheticFindings:
    people = tables.original.height
    return SyntheticFindings(
        basis=judged.basis,
        holdout=controls[0],
        background=controls[1],
        compared=list(tables.compared),
        not_released=tables.not_released,
        identical=copies.identical,
        near_identical=copies.near_identical,
        nearer_to_original=copies.nearer_to_original,
        nearer_by_chance=None if tables.holdout is None else people / (people + tables.holdout.height),
        nearer_ci=copies.nearer_ci,
        members=copies.members,
        outsiders=copies.outsiders,
        rare_from=None if rare is None else rare.least,
        not_judged=judged.not_judged,
    )

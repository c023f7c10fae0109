"""The driver of a synthetic audit: find copies, let attacks tell members from others, write the scorecard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from icefire.audit import verdict
from icefire.audit.adapter import ReleaseFiles
from icefire.audit.correspondence import ControlFiles
from icefire.audit.criteria.table import synthetic_criteria
from icefire.audit.findings.rare import RarePeople, rare_people
from icefire.audit.kinds import adapter_of
from icefire.audit.knowledge.attackers import (
    KnownSource,
    attacker_name,
    check_names,
    knowledge_of,
    more_knowledge_untried,
    named_attackers,
    registers_of,
)
from icefire.audit.knowledge.replay import without_notes
from icefire.audit.limits import AYA, DANGER, REID
from icefire.audit.plan import AuditPlan
from icefire.audit.provenance import provenance
from icefire.audit.run import Audit
from icefire.audit.selection import check_release
from icefire.audit.synthetic.controls import without_overlap
from icefire.audit.synthetic.copies import CopyFindings, find_copies
from icefire.audit.synthetic.obstacles import strangers_missing, synthetic_obstacles
from icefire.audit.synthetic.resynthesis import resynthesise
from icefire.audit.synthetic.tables import SyntheticTables, load_tables
from icefire.audit.synthetic.trials import AttackerTrial, try_knowledge, try_registers
from icefire.audit.synthetic.usefulness import check_measures, measure_synthetic
from icefire.audit.task import check_target
from icefire.core import registry, seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.scorecard import Reason, Scorecard
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

    basis: Literal["holdout", "recipe", "register", "copies"]
    tables: SyntheticTables
    trials: list[AttackerTrial]
    reasons: list[Reason]
    not_judged: list[str]

    @property
    def main(self) -> AttackerTrial | None:
        """What the attacker who knows everything found; of the first, if he was not tried."""
        return next((one for one in self.trials if one.known.knows_everything), next(iter(self.trials), None))


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
    named = named_attackers(plan, tables.recipe)
    judged = _judge(tables, rare, named, plan, progress)
    progress("judge: copies")
    copies = find_copies(tables, seeds.generator(plan.seed, "copies"))
    membership = None if judged.main is None else judged.main.membership
    hidden = None if judged.main is None else judged.main.hidden
    asked = ["membership", "criteria", *(["attribute"] if hidden else [])]
    gates = [*plan.limits, *(plan.policy.gates({}, asked) if plan.policy else ())]
    adapter = adapter_of(tables.original)
    measures, usefulness = measure_synthetic(tables, plan, progress)
    is_named = bool(named) or plan.register is not None
    attackers = [trial.result(tables.released.height) for trial in judged.trials] if is_named else []
    card = Scorecard(
        provenance=provenance(tables.original, tables.released, plan.seed, NO_ROWS),
        roles=adapter.roles(tables.original_as_read),
        measures=measures.by_name,
        left_out=measures.left_out,
        membership=membership,
        attackers=attackers,
        attributes=hidden,
        criteria=synthetic_criteria(
            judged.tables.original, judged.tables.released, judged.tables.holdout, hidden, plan, progress
        ),
        usefulness=usefulness,
        synthetic=_findings(tables, judged, copies, rare, (holdout, background)),
        recipe=tables.recipe,
    )
    by_register = judged.main is not None and judged.main.known.holds_register
    obstacles = synthetic_obstacles(tables, copies, membership, gates, plan.identified_limit, by_register=by_register)
    obstacles += judged.reasons
    obstacles += strangers_missing([one.membership for one in judged.trials if one.known.holds_register])
    if attackers and not any(trial.known.knows_everything for trial in judged.trials):
        named_by_policy = plan.policy is not None and bool(plan.policy.limits.attacker)
        obstacles += more_knowledge_untried([one.name for one in attackers], named_by_policy)
    policy = plan.policy.name if plan.policy else ""
    return Audit(verdict.judged(card, gates, obstacles, policy), copies.records)


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
        known, with_holdout = tables.original, tables.holdout is not None
        if tables.holdout is not None:
            known = known.with_frame(known.frame.vstack(tables.holdout.frame))
        kept, background = without_overlap("background", tables.background, known, with_holdout)
        tables = tables.with_background(kept)
    return tables, holdout, background


def _judge(
    tables: SyntheticTables,
    rare: RarePeople | None,
    named: Sequence[KnownSource],
    plan: AuditPlan,
    progress: Progress,
) -> _Judged:
    """Let attacks tell members from others, where there are others or a recipe that can do without some people."""
    knowledge = knowledge_of(adapter_of(tables.original), tables.original_as_read, named)
    registers = registers_of(named, plan.register)
    check_names([*map(attacker_name, knowledge), *(source.name for source in registers)])
    by_register = try_registers(tables, registers, plan, progress)
    if by_register and not knowledge:
        return _Judged("register" if tables.holdout is None else "holdout", tables, by_register, [], [])
    if tables.holdout is not None:
        tried = try_knowledge(tables, tables.holdout, rare, knowledge, plan, progress)
        return _Judged("holdout", tables, tried + by_register, [], [])
    source = plan.recipe or (without_notes(tables.recipe) if tables.recipe.get("steps") else None)
    if source is None:
        why = t("verdict.reason.no_holdout")
        untried = [Reason("not_assessed", why, {"question": "membership"})] if by_register else []
        return _Judged("register" if by_register else "copies", tables, by_register, untried, [why])
    anew = resynthesise(tables, load(source), plan.seed, progress)
    assert anew.tables.holdout is not None
    fewer = rare_people(anew.tables.original.frame, tables.compared, seeds.generator(plan.seed, "rare"))
    tried = try_knowledge(anew.tables, anew.tables.holdout, fewer, knowledge, plan, progress)
    return _Judged("recipe", anew.tables, tried + by_register, anew.contradiction, [MADE_ANEW])


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

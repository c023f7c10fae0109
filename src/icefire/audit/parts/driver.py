"""The driver for tables in parts: attack, measure, judge and write down, and say what was not assessed."""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import msgspec
import numpy as np
import polars as pl

from icefire._version import __version__
from icefire.attacks.tables.link.sampled import link_sample
from icefire.audit import judge, selection, verdict
from icefire.audit.findings.common import histogram
from icefire.audit.knowledge.replay import repeats_steps
from icefire.audit.parts.obstacles import obstacles_in_parts
from icefire.audit.parts.people import ask_people
from icefire.audit.parts.people_sample import draw_people
from icefire.audit.parts.risk import class_risks, expected_rate
from icefire.audit.parts.runner import TablesRunner
from icefire.audit.parts.tables import LOOKED_AT, LargeTables
from icefire.audit.plan import AuditPlan
from icefire.audit.provenance import PACKAGES
from icefire.audit.run import Audit
from icefire.audit.steps import as_json
from icefire.audit.tables import JOINT_ATTACK
from icefire.core import seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, UndefinedError, listing
from icefire.core.registry import EngineName, Entry, Sort
from icefire.core.registry import entries as registered
from icefire.core.release import Truth
from icefire.core.schema import Role
from icefire.core.scorecard import ClassBin, MeasureResult, Provenance, Reason, Roles, Scorecard, Table
from icefire.core.scorecard.attacks import AttackResult, attack_result
from icefire.core.types import Progress
from icefire.engines.tables import EngineTables, JudgedTables
from icefire.kernels.types import Int
from icefire.risk.class_table import class_table
from icefire.words import t

WHOLE_TABLE = "needs the whole table at once; it runs on the engine local alone"


@dataclass(frozen=True, slots=True)
class PartsAudit:
    """What one audit in parts works on."""

    tables: EngineTables
    large: LargeTables
    truth: Int
    """The original row of each released row, in the order the attacker sees."""
    order: Int
    """The row of the released file at each place in that order."""
    options: Mapping[str, Any]
    """Keywords of `read`."""
    engine: EngineName
    settings: str
    """How the engine worked, in words."""
    match: str
    in_order: bool

    def runner(self, seed: int) -> TablesRunner:
        """Return what runs measures and attacks on these tables."""
        return TablesRunner(self.tables, self.truth, seed)


def check_plan(plan: AuditPlan, engine: str) -> None:
    """Refuse, before any work, measures and attacks that were named and that the engine cannot run.

    Raises:
        ParameterError: If one is among them; the message says which can run.
    """
    named: tuple[tuple[Sort, Sequence[str] | None], ...] = (("attack", plan.attacks), ("measure", plan.measures))
    for sort, names in named:
        able = [entry for entry in registered(sort, "table") if _runs(entry)]
        known = {word for entry in able for word in (entry.name, entry.code.lower()) if word}
        for name in names or ():
            if name.strip().lower() not in known:
                raise ParameterError(
                    f"{sort} {name!r} does not run on the engine {engine}; choose from: "
                    f"{listing([entry.name for entry in able], most=40)}; others run where the tables fit into one "
                    "process"
                )


def _runs(entry: Entry) -> bool:
    """Tell whether a measure or an attack runs on tables in parts; the joint attack runs on a sample of the rows."""
    return entry.in_parts is not None or (entry.sort == "attack" and entry.name == JOINT_ATTACK)


def audit_in_parts(audit: PartsAudit, plan: AuditPlan, progress: Progress) -> Audit:
    """Attack and measure tables in parts, judge, and write the scorecard.

    The joint attack runs on a sample of the released rows; what needs whole tables is asked of a sample of the people.
    """
    tables = audit.tables
    data = Dataset(pl.DataFrame(), tables.schema)
    attacks, without = _able("attack", plan, data)
    measures, more = _able("measure", plan, data)
    left_out = without | more
    judged = JudgedTables(tables, audit.truth)
    results = {}
    for place, entry in enumerate(attacks, 1):
        progress(f"fire: {entry.name}, {place} of {len(attacks)}")
        results[entry.name] = (_linked if entry.name == JOINT_ATTACK else _attacked)(entry, audit, plan)
    measured = {}
    for place, entry in enumerate(measures, 1):
        progress(f"measure: {entry.name}, {place} of {len(measures)}")
        measured[entry.name] = _measured(entry, judged, audit.runner(plan.seed), plan.bind(entry))
    progress("judge: risk models")
    risks, why = class_risks(judged, audit.truth, plan.risks, audit.large.released.head(LOOKED_AT))
    progress("a sample of the people")
    people = draw_people(tables, audit.large, audit.truth, audit.order, audit.options, plan.seed)
    findings = ask_people(people, plan, tables.targets, audit.in_order, progress)
    left_out = {name: why for name, why in (left_out | findings.left_out).items() if name not in findings.attacks}
    results = _with_higher(results, findings.attacks)
    card = Scorecard(
        provenance=_provenance(audit, plan, results, people.people),
        roles=_roles(tables),
        measures=measured,
        attacks=results,
        left_out=left_out | why,
        class_sizes=_class_sizes(tables),
        risks=risks,
        attributes=findings.attributes,
        criteria=findings.criteria,
        recipe=audit.large.recipe,
    )
    asked = ["origin", *(["attribute"] if card.attributes else []), *(["criteria"] if card.criteria else [])]
    gates = [*plan.limits, *(plan.policy.gates(audit.large.recipe, asked) if plan.policy else ())]
    obstacles = verdict.joint_attack_missing(JOINT_ATTACK, results, left_out)
    progress("judge: obstacles")
    further, lacking = obstacles_in_parts(
        tables, audit.large, audit.truth, list(results), plan.identified_limit, plan.seed
    )
    obstacles += [*further, *findings.obstacles, *_not_assessed(audit, plan, [*lacking, *findings.lacking])]
    return Audit(verdict.judged(card, gates, obstacles, plan.policy.name if plan.policy else ""), pl.DataFrame())


def _able(sort: Any, plan: AuditPlan, data: Dataset) -> tuple[list[Entry], dict[str, str]]:
    names = plan.attacks if sort == "attack" else plan.measures
    chosen, left_out = selection.select(sort, names, data, plan.includes)
    for entry in chosen:
        if not _runs(entry):
            left_out[entry.name] = WHOLE_TABLE
    return [entry for entry in chosen if _runs(entry)], left_out


def _attacked(entry: Entry, audit: PartsAudit, plan: AuditPlan) -> AttackResult:
    tables, parameters = audit.tables, plan.bind(entry)
    started = time.perf_counter()
    guess = audit.runner(plan.seed).answers(entry, parameters).checked(tables.targets, tables.originals)
    seconds = time.perf_counter() - started
    whole = tables.originals if plan.rate_of == "original" else None
    score = judge.score(Truth(audit.truth), guess, tables.originals, whole)
    if entry.draws:
        expected = expected_rate(tables, audit.truth, parameters.get("qi"), whole)
        score = msgspec.structs.replace(score, expected=expected)
    return attack_result(
        score, code=entry.code, aya=None, knows=entry.knows, parameters=as_json(parameters), seconds=seconds
    )


def _linked(entry: Entry, audit: PartsAudit, plan: AuditPlan) -> AttackResult:
    """Run the joint attack on a sample of the released rows."""
    tables, started = audit.tables, time.perf_counter()
    findings = link_sample(tables, seeds.generator(plan.seed, "attack", entry.name))
    asked = len(findings.rows)
    whole = round(asked * tables.originals / tables.targets) if plan.rate_of == "original" else None
    guess = findings.guess.checked(asked, tables.originals)
    score = judge.score(Truth(audit.truth[findings.rows]), guess, tables.originals, whole)
    seconds = time.perf_counter() - started
    result = attack_result(score, code=entry.code, aya=None, knows=entry.knows, parameters={}, seconds=seconds)
    return msgspec.structs.replace(result, sampled=asked < tables.targets)


def _with_higher(results: Mapping[str, AttackResult], others: Mapping[str, AttackResult]) -> dict[str, AttackResult]:
    """Return results with those of the same attacks among a sample of the people where they are higher."""
    higher = {name: one for name, one in others.items() if name not in results or one.rate > results[name].rate}
    return {**results, **higher}


def _measured(entry: Entry, judged: JudgedTables, runner: TablesRunner, parameters: dict[str, Any]) -> MeasureResult:
    value, note = None, ""
    try:
        value = runner.value(entry, parameters)
    except UndefinedError as error:
        note = error.message
    best = f"{judged.targets:,}" if entry.best == "the number of rows" else entry.best
    return MeasureResult(entry.code, value, entry.better, best, as_json(parameters), note)


def _class_sizes(tables: EngineTables) -> list[ClassBin]:
    if not tables.schema.qi:
        return []
    counted = class_table(tables, tables.schema.qi).filter(pl.col("released") > 0)
    sizes = np.repeat(counted["released"].to_numpy(), counted["classes"].to_numpy())
    return [ClassBin(*part) for part in histogram(sizes)]


def _roles(tables: EngineTables) -> Roles:
    schema = tables.schema
    qi, sa, ids, other = (list(schema.before_release(role)) for role in Role)
    return Roles(qi, sa, ids, other, schema.origin, [column.name for column in schema.not_released])


def _provenance(audit: PartsAudit, plan: AuditPlan, attacks: Mapping[str, AttackResult], people: int) -> Provenance:
    settings = f"{audit.settings}; what needs whole tables: a random sample of {people:,} people"
    if JOINT_ATTACK in attacks:
        linked = f"{attacks[JOINT_ATTACK].targets:,} released rows among all original rows, by searches through trees"
        settings = f"{settings}; {JOINT_ATTACK}: {linked}"
    known, shown = audit.large.original, audit.large.released
    return Provenance(
        version=__version__,
        seed=plan.seed,
        original=Table(known.name, known.height),
        released=Table(shown.name, shown.height),
        correspondence=audit.match,
        in_original_order=audit.in_order,
        created=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        software=_software() | {"engine": settings},
    )


def _software() -> dict[str, str]:
    return {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}


def _not_assessed(audit: PartsAudit, plan: AuditPlan, lacking: Sequence[str]) -> list[Reason]:
    """Name what was not assessed, if anything: such a release does not pass."""
    what = list(lacking)
    if repeats_steps(audit.large.recipe):
        what.append("the attacker who knows the recipe (replay)")
    untried = [str(attacker) for attacker in plan.attackers]
    if not what and not untried:
        return []
    evidence = {"engine": audit.engine, "not_assessed": what, "attackers_not_tried": untried}
    words = listing([*what, *(f"the attacker {name}" for name in untried)], most=20)
    return [Reason("not_assessed", t("verdict.reason.engine", engine=audit.engine, what=words), evidence)]

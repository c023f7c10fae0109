"""The driver: measure, attack, judge, write down. One loop for every kind of data and every question."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import polars as pl

from icefire.audit import selection, verdict
from icefire.audit.correspondence import LoadedRelease
from icefire.audit.criteria.table import measure_criteria
from icefire.audit.kinds import adapter_of
from icefire.audit.knowledge.attackers import (
    attacker_result,
    attackers_of,
    known_columns,
    more_knowledge_untried,
    named_attackers,
    nobody_known,
)
from icefire.audit.knowledge.replay import (
    NOTHING_KNOWN,
    REPLAY,
    KnownRecipe,
    known_recipe,
    replay_findings,
    replay_missing,
)
from icefire.audit.limits import LINKING_RECALL, MEMBERSHIP
from icefire.audit.plan import AuditPlan, PartsRunner
from icefire.audit.provenance import provenance
from icefire.audit.questions.attribute import ask_attributes
from icefire.audit.questions.linking import LINKING_ATTACK, AskedPeriods, nothing_to_link
from icefire.audit.questions.membership import JOINT_ATTACK, AskedMembership, MembershipQuestion, ask_attackers
from icefire.audit.questions.origin import Attacker, OriginAnswer, ask_origin, everything_known, sum_up_aya
from icefire.core import registry, seeds
from icefire.core.display import ShownInNotebooks
from icefire.core.errors import InputError, SchemaError, UndefinedError
from icefire.core.membership import Draw
from icefire.core.profiles import EVERYTHING
from icefire.core.registry import Entry
from icefire.core.release import NO_ANSWER, Guess, Truth
from icefire.core.scorecard import Aya, MeasureResult, Scorecard
from icefire.core.scorecard.attacks import AttackResult
from icefire.core.scorecard.linking import LinkingFindings
from icefire.core.scorecard.membership import MembershipFindings
from icefire.core.types import Progress, no_progress

Result = TypeVar("Result")
ResultOut = TypeVar("ResultOut", covariant=True)


class AttackCase(Protocol):
    """What an attack receives: so many targets, and so many possible answers for each."""

    @property
    def targets(self) -> int:
        """Number of targets."""

    @property
    def choices(self) -> int:
        """Number of possible answers."""


class AskedQuestion(Protocol[ResultOut]):
    """A question put to attackers, and the judge's rating of an answer."""

    @property
    def name(self) -> registry.Question:
        """Which attacks answer it."""

    @property
    def case(self) -> Any:
        """What attackers receive."""

    @property
    def unavailable(self) -> Mapping[str, str]:
        """Attacks that the release lacks something for, with the reason."""

    def judge(self, entry: Entry, guess: Guess, parameters: dict[str, Any], seconds: float) -> ResultOut:
        """Rate the answers of an attack."""


@dataclass(frozen=True, slots=True)
class Results(Generic[Result]):
    """Results by name, and what could not run, with the reason."""

    by_name: dict[str, Result] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


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
    attackers = [everything_known(adapter, release.original, release.released)]
    named = named_attackers(plan, release.recipe)
    is_named = bool(named) or plan.register is not None
    if is_named:
        attackers = attackers_of(adapter, release, named, plan.register, truth, plan.seed)
    membership = AskedMembership({}, [])
    if draw is not None:
        membership = ask_attackers(adapter, comparison, plan, draw, attackers)
    tried = [attack_origin(comparison, plan, progress, known, attacker) for attacker in attackers]
    # What else is found is about the attacker who knows everything if he is among them, otherwise about the first.
    main = next((place for place, attacker in enumerate(attackers) if attacker.knows_everything), 0)
    attacks, aya = tried[main]
    members = {
        name: _membership_findings(question, comparison.original, plan, progress, name)
        for name, question in membership.questions.items()
    }
    linking = run_linking(adapter.ask_linking(comparison, plan), comparison.original, plan, progress)
    hidden_by_one = [ask_attributes(comparison, plan, attacker, progress) for attacker in attackers]
    hidden = hidden_by_one[main]
    measures = run_measures(comparison, plan, progress)
    guesses = {name: answer.guess for name, answer in attacks.by_name.items()}
    findings = adapter.findings(comparison, guesses, plan, release.published, progress)
    card = Scorecard(
        provenance=provenance(
            release.original,
            release.released,
            plan.seed,
            match,
            in_order=adapter.is_in_original_order(truth),
        ),
        roles=adapter.roles(comparison.original),
        measures=measures.by_name,
        attacks=_in_reading_order(attacks),
        attackers=[
            attacker_result(
                attacker,
                truth,
                _in_reading_order(answers),
                answers.left_out,
                members.get(attacker.name),
                # Where nobody is named, the findings stand in the scorecard itself.
                answered.findings if is_named and answered is not None else None,
            )
            for attacker, (answers, _), answered in zip(attackers, tried, hidden_by_one, strict=True)
        ],
        left_out=measures.left_out
        | attacks.left_out
        | dict(plan.not_asked)
        | ({} if linking else nothing_to_link(plan.attacks or (), comparison.original.kind)),
        aya=aya,
        membership=members.get(attackers[main].name),
        linking=linking,
        attributes=None if hidden is None else hidden.findings,
        criteria=measure_criteria(comparison, None if hidden is None else hidden.findings, plan, progress),
        recipe=release.recipe,
        replay=replay_findings(known, guesses.get(REPLAY)),
        **findings.parts,
    )
    asked = ["origin", *(["membership"] if draw else []), *(["linking"] if linking else [])]
    asked += [*(["attribute"] if any(hidden_by_one) else []), *(["criteria"] if card.criteria else [])]
    gates = [*plan.limits, *(plan.policy.gates(release.recipe, asked) if plan.policy else ())]
    progress("judge: obstacles")
    limit, columns = plan.identified_limit, known_columns(attackers)
    obstacles = adapter.obstacles(release, comparison, guesses, findings, limit, plan.seed, columns)
    for attacker, (answers, _) in zip(attackers, tried, strict=True):
        obstacles += verdict.joint_attack_missing(adapter.joint_attack, answers.by_name, answers.left_out)
        obstacles += nobody_known(attacker, truth)
    if not any(one.knows_everything for one in attackers):
        named_by_policy = plan.policy is not None and bool(plan.policy.limits.attacker)
        obstacles += more_knowledge_untried([one.name for one in attackers], named_by_policy)
    obstacles += replay_missing(known, card.replay) if any(one.knows_everything for one in attackers) else []
    if any(gate.name in MEMBERSHIP for gate in gates):
        obstacles += membership.not_asked
        for findings_of_one in members.values():
            obstacles += verdict.joint_attack_missing(JOINT_ATTACK, findings_of_one.attacks, findings_of_one.left_out)
    if linking is not None and any(gate.name == LINKING_RECALL for gate in gates):
        obstacles += verdict.joint_attack_missing(LINKING_ATTACK, linking.attacks, linking.left_out)
    records = findings.records if hidden is None else findings.records.with_columns(hidden.certain_columns())
    return Audit(verdict.judged(card, gates, obstacles, plan.policy.name if plan.policy else ""), records)


def _in_reading_order(answers: Results[OriginAnswer]) -> dict[str, AttackResult]:
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


def run_measures(comparison: Any, plan: AuditPlan, progress: Progress = no_progress) -> Results[MeasureResult]:
    """Compute every selected measure; one without a value on these data says why."""
    entries, left_out = selection.select("measure", plan.measures, comparison.original, plan.includes)
    results = {}
    for place, entry in enumerate(entries, 1):
        progress(f"measure: {entry.name}, {place} of {len(entries)}")
        results[entry.name] = measure(entry, comparison, plan.bind(entry), plan.runner)
    return Results(results, left_out)


def measure(
    entry: Entry, comparison: Any, parameters: Mapping[str, Any], runner: PartsRunner | None = None
) -> MeasureResult:
    """Compute one measure, on tables in parts where an engine holds them and the measure can."""
    value, note = None, ""
    in_parts = runner if entry.in_parts is not None else None
    try:
        measured = entry.function(comparison, **parameters) if in_parts is None else in_parts.value(entry, parameters)
        value, note = float(measured), getattr(measured, "note", "")
    except UndefinedError as error:
        note = error.message
    best = f"{comparison.released.height:,}" if entry.best == "the number of rows" else entry.best
    return MeasureResult(entry.code, value, entry.better, best, as_json(parameters), note)


def run_attacks(
    question: AskedQuestion[Result],
    original: Any,
    plan: AuditPlan,
    progress: Progress = no_progress,
    whose: str = "",
) -> Results[Result]:
    """Let every selected attack answer a question, and have the answers judged.

    Args:
        question: What is asked, and of whom.
        original: The data that tell which attacks apply.
        plan: Which attacks run, and their parameters.
        progress: Called with the name of each stage.
        whose: Who attacks, if it is somebody who knows only a part: what he cannot run is left out.
    """
    entries, left_out = selection.select(
        "attack", plan.attacks, original, plan.includes, question.name, strict=not whose
    )
    results = {}
    for place, entry in enumerate(entries, 1):
        if entry.name in question.unavailable:
            left_out[entry.name] = question.unavailable[entry.name]
            continue
        progress(f"fire: {entry.name}{f' ({whose})' if whose else ''}, {place} of {len(entries)}")
        parameters = plan.bind(entry)
        try:
            runner = plan.runner if question.name == "origin" and not whose else None
            guess, seconds = attack_case(question.case, entry, parameters, plan.seed, runner)
        except SchemaError as error:
            if not whose:
                raise
            left_out[entry.name] = f"cannot run with what is known ({error.message})"
            continue
        results[entry.name] = question.judge(entry, guess, as_json(parameters), seconds)
    return Results(results, left_out)


def attack_origin(
    comparison: Any,
    plan: AuditPlan,
    progress: Progress = no_progress,
    known: KnownRecipe = NOTHING_KNOWN,
    attacker: Attacker[Any] | None = None,
) -> tuple[Results[OriginAnswer], Aya | None]:
    """Ask where the rows or subjects of a release come from: every attack's answer, and the AYA rule over all.

    The attacker knows everything unless another one is given.
    """
    question = ask_origin(adapter_of(comparison.original), comparison, plan, known, attacker)
    whose = "" if question.attacker.knows_everything else question.attacker.name
    answers = run_attacks(question, question.case.known, plan, progress, whose)
    progress("judge: AYA")
    return answers, sum_up_aya(question, answers.by_name, plan.seed)


def attack_case(
    case: AttackCase, entry: Entry, parameters: Mapping[str, Any], seed: int, runner: PartsRunner | None = None
) -> tuple[Guess, float]:
    """Run one attack on what the attacker holds; returns its checked answers and the seconds it took.

    Where an engine holds the same tables in parts (`runner`), attacks that can run there do; not those that draw, whose
    exact expectation takes all candidates.
    """
    started = time.perf_counter()
    if runner is None or entry.in_parts is None or entry.draws:
        guess = entry.function(case, rng=seeds.generator(seed, "attack", entry.name), **parameters)
    else:
        guess = runner.answers(entry, parameters)
    seconds = time.perf_counter() - started
    try:
        return guess.checked(case.targets, case.choices), seconds
    except InputError as error:
        raise InputError(f"attack {entry.name!r}: {error}") from None


def as_json(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as the scorecard holds them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in parameters.items()}

"""Single steps of an audit: measures, and attacks on one question, each with its result or why it could not run."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from icefire.audit import selection
from icefire.audit.kinds import adapter_of
from icefire.audit.knowledge.replay import NOTHING_KNOWN, KnownRecipe
from icefire.audit.plan import AuditPlan, PartsRunner
from icefire.audit.questions.origin import Attacker, OriginAnswer, ask_origin, sum_up_aya
from icefire.core import registry, seeds
from icefire.core.errors import InputError, SchemaError, UndefinedError
from icefire.core.registry import Entry
from icefire.core.release import Guess
from icefire.core.scorecard import Aya, MeasureResult
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
    aya = sum_up_aya(question, answers.by_name, plan.seed)
    if question.claim is not None:
        question.claim.comparison.case.forget_points()
    return answers, aya


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

"""Hidden values in an audit: ask about the sensitive columns of a table, and say what the limits are compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import msgspec

from icefire import models
from icefire.audit import selection
from icefire.audit.attributes.column_judge import CLASS_ATTACK
from icefire.audit.attributes.control_notes import control_notes
from icefire.audit.attributes.labels_read import read_columns
from icefire.audit.attributes.question import AttributeAnswers, answer_question, pose_question
from icefire.audit.attributes.targets import ControlPeople, secret_columns
from icefire.audit.knowledge.holdout import fit_holdout
from icefire.audit.limits import ATTRIBUTE_ADVANTAGE, ATTRIBUTE_CERTAIN
from icefire.audit.plan import AuditPlan
from icefire.audit.questions.origin import Attacker
from icefire.core import formatting, registry
from icefire.core.dataset import Dataset
from icefire.core.errors import UndefinedError
from icefire.core.release import NO_ANSWER, Comparison
from icefire.core.scorecard.attributes import AttributeColumn, AttributeFindings, AttributeResult
from icefire.core.types import Progress, no_progress
from icefire.core.views import View
from icefire.hierarchy.coverage import Coverage
from icefire.kernels.types import Int
from icefire.words import t


def ask_attributes(
    comparison: Any, plan: AuditPlan, attacker: Attacker[Any], progress: Progress = no_progress
) -> AttributeAnswers | None:
    """Ask about every sensitive column; None where the plan does not ask, or none is in the release.

    An attacker who knows everything is asked with the quasi-identifiers alone: the sensitive values are what he wants.
    If what others know is blurred, people outside would be known better than those inside; they are no control then.
    """
    original, released = comparison.original, comparison.released
    if plan.attributes is None or not isinstance(original, Dataset) or not secret_columns(original, released):
        return None
    holdout = None if plan.holdout is None else fit_holdout(plan.holdout, original)
    view = None if attacker.knows_everything else attacker.view
    if view is not None and (view.places[comparison.truth.rows] == NO_ANSWER).all():
        return None
    controls = None if holdout is None or (view is not None and attacker.blurred) else ControlPeople(holdout)
    read = partial(read_columns, comparison.case)
    answers = _answers(original, released, comparison.truth.rows, plan, controls, progress, view, read)
    columns = {name: _with_models(column, comparison, name) for name, column in answers.findings.columns.items()}
    findings = msgspec.structs.replace(answers.findings, columns=columns)
    return AttributeAnswers(findings, answers.certain)


def ask_synthetic(
    original: Dataset,
    released: Dataset,
    controls: ControlPeople | None,
    plan: AuditPlan,
    view: View[Dataset] | None = None,
    progress: Progress = no_progress,
) -> AttributeFindings | None:
    """Ask about a release whose rows are nobody's; None without people outside, against whom alone it can be judged.

    Args:
        original: The people the release was made from.
        released: The release.
        controls: People outside the data.
        plan: How it is asked.
        view: What the attacker knows. Default: the quasi-identifiers of everybody.
        progress: Called with the name of each stage.
    """
    if plan.attributes is None or controls is None or not secret_columns(original, released):
        return None
    return _answers(original, released, None, plan, controls, progress, view).findings


def _answers(
    original: Dataset,
    released: Dataset,
    origin: Int | None,
    plan: AuditPlan,
    controls: ControlPeople | None,
    progress: Progress,
    view: View[Dataset] | None = None,
    read: Callable[[Sequence[str]], Mapping[str, Coverage]] | None = None,
) -> AttributeAnswers:
    assert plan.attributes is not None
    entries, left_out = selection.select("attack", _named(plan), original, plan.includes, "attribute")
    question = pose_question(
        original, released, origin, plan.attributes, plan.seed, controls=controls, view=view, read=read
    )
    answers = answer_question(question, entries, plan.bind, plan.seed, progress)
    notes = [] if controls is None else control_notes(original, question.secrets, controls.people, plan.holdout)
    return replace(answers, findings=msgspec.structs.replace(answers.findings, left_out=left_out, notes=notes))


def _named(plan: AuditPlan) -> list[str] | None:
    """Return the attacks on hidden values that are named; None, for all, if none of those named is one."""
    named = [name for name in plan.attacks or () if registry.get("attack", name).question == "attribute"]
    return named or None


def _with_models(column: AttributeColumn, comparison: Comparison, name: str) -> AttributeColumn:
    """Put the least number of different values in a class, and the largest distance, beside the rates."""
    if not comparison.original.qi:
        return column
    closeness = "t_equal" if column.kind == "category" else "t_ordered"
    try:
        distinct = models.worst(comparison, "l_distinct", sa=[name])
        distance = models.worst(comparison, closeness, sa=[name])
    except UndefinedError:
        return column
    return msgspec.structs.replace(column, distinct_l=int(distinct), t=distance)


@dataclass(frozen=True, slots=True)
class LimitedValue:
    """What a limit on hidden values is compared with."""

    findings: AttributeFindings
    """Those of the attacker who learns most."""
    column: str
    value: float
    interval: tuple[float, float] | None
    """The interval of the value, if it comes from a sample."""
    result: AttributeResult | None = None
    """Of a limit on the advantage, the attack that the value comes from."""
    beyond_outsiders: bool = False
    """Whether the value is the lower end of the advantage over people outside."""

    @property
    def compared(self) -> float:
        """The value, or the upper end of its interval."""
        return self.value if self.interval is None else self.interval[1]


def limited_value(findings: Sequence[AttributeFindings], name: str) -> LimitedValue | None:
    """Return what a limit on hidden values is compared with: the worst column of the worst attacker.

    Args:
        findings: What was found about hidden values, for every attacker.
        name: The limit: on the advantage, or on the share of certain values.

    Returns:
        The value and where it comes from; None if it was not computed for one of the attackers.
    """
    values = [_worst_column(one, name) for one in findings]
    known = [value for value in values if value is not None]
    return max(known, key=lambda one: one.compared) if known and len(known) == len(values) else None


def _worst_column(findings: AttributeFindings, name: str) -> LimitedValue | None:
    values = [_compared(findings, column, name) for column in findings.columns]
    known = [value for value in values if value is not None]
    return max(known, key=lambda one: one.compared) if known and len(known) == len(values) else None


def _compared(findings: AttributeFindings, name: str, limit: str) -> LimitedValue | None:
    """Return the value of one column with its interval; nothing is learned about a constant one."""
    column = findings.columns[name]
    if column.note:
        return LimitedValue(findings, name, 0.0, (0.0, 0.0) if findings.sampled else None)
    if limit == ATTRIBUTE_CERTAIN:
        interval = column.certain_known_ci if findings.sampled else None
        return LimitedValue(findings, name, column.certain_known, interval) if CLASS_ATTACK in column.attacks else None
    readings = [one for result in column.attacks.values() for one in _readings(findings, name, result)]
    return max(readings, key=lambda one: one.compared, default=None)


def _readings(findings: AttributeFindings, name: str, result: AttributeResult) -> Iterator[LimitedValue]:
    """Return the advantages of one attack that a limit reads.

    One is the advantage over the best guess. Over the control alone, people in classes where every value is equally
    common would seem to lose half of what is open, because without their own rows the other values prevail. People
    outside have no such rows: the advantage over them counts too, as far as it is more than the chance of who was
    asked, so by the lower end of its interval.
    """
    value, interval = result.advantage_over_best_guess, result.advantage_over_best_guess_ci
    yield LimitedValue(findings, name, value, interval if findings.sampled else None, result)
    if findings.control == "hold-out":
        yield LimitedValue(findings, name, result.advantage_ci[0], None, result, beyond_outsiders=True)


def broken_limit(findings: Sequence[AttributeFindings], name: str, limit: float) -> str:
    """Say in words that too much is known about a sensitive column."""
    limited = limited_value(findings, name)
    assert limited is not None
    column, value = limited.column, limited.value
    share, bound = formatting.beside(value, limit, True)
    known = formatting.spoken_list([other for other in limited.findings.known if other != column])
    sample = ""
    if limited.interval is not None:
        sample = t("verdict.reason.certain_sample", interval=formatting.interval(limited.interval))
    if name == ATTRIBUTE_ADVANTAGE:
        return _too_much_learned(limited, known, share, sample, bound)
    if value == 1:
        return t("verdict.reason.certain_all", column=column, known=known, bound=bound)
    return t("verdict.reason.certain", column=column, share=share, sample=sample, known=known, bound=bound)


def _too_much_learned(limited: LimitedValue, known: str, share: str, sample: str, bound: str) -> str:
    """Say what part of that which the best guess, or the guess about people outside, leaves open is learned."""
    result = limited.result
    if result is None:
        raise ValueError("a broken limit on the advantage names no attack")
    beyond = limited.beyond_outsiders
    baseline = result.control if beyond else result.baseline
    outside = beyond or (limited.findings.control == "hold-out" and result.baseline == result.control)
    own = "without_own_rows" if result.baseline == result.control else "by_prior"
    return t(
        "verdict.reason.advantage_outside" if beyond else "verdict.reason.advantage",
        known=known,
        column=limited.column,
        success=formatting.percent(result.success),
        baseline=formatting.percent(baseline),
        open=formatting.percent(1 - baseline),
        against=t(f"hidden_values.{'outside' if outside else own}"),
        share=share,
        sample=sample,
        bound=bound,
    )

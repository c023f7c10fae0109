"""Hidden values in an audit: ask about the sensitive columns of a table, and say what the limits are compared with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from icefire import models
from icefire.audit import selection
from icefire.audit.attributes.column_judge import CLASS_ATTACK
from icefire.audit.attributes.control_notes import control_notes
from icefire.audit.attributes.question import AttributeAnswers, answer_question, pose_question
from icefire.audit.holdout import fit_holdout
from icefire.audit.limits import ATTRIBUTE_ADVANTAGE, ATTRIBUTE_CERTAIN
from icefire.audit.origin import Attacker
from icefire.audit.plan import AuditPlan
from icefire.core import formatting, registry
from icefire.core.dataset import Dataset
from icefire.core.errors import UndefinedError
from icefire.core.release import NO_ANSWER, Comparison
from icefire.core.scorecard.attributes import AttributeColumn, AttributeFindings
from icefire.core.types import Progress, no_progress
from icefire.core.views import View
from icefire.kernels.types import Int
from icefire.words import t


def ask_attributes(
    comparison: Any, plan: AuditPlan, attacker: Attacker[Any], progress: Progress = no_progress
) -> AttributeAnswers | None:
    """Ask about every sensitive column; None where the plan does not ask, or there is none.

    An attacker who knows everything is asked with the quasi-identifiers alone: the sensitive values are what he wants.
    If what others know is blurred, people outside would be known better than those inside; they are no control then.
    """
    original = comparison.original
    if plan.attributes is None or not isinstance(original, Dataset) or not original.sa:
        return None
    holdout = None if plan.holdout is None else fit_holdout(plan.holdout, original)
    view = None if attacker.knows_everything else attacker.view
    if view is not None and (view.places[comparison.truth.rows] == NO_ANSWER).all():
        return None
    holdout = None if view is not None and attacker.blurred else holdout
    answers = _answers(original, comparison.released, comparison.truth.rows, plan, holdout, progress, view)
    columns = {name: _with_models(column, comparison, name) for name, column in answers.findings.columns.items()}
    findings = msgspec.structs.replace(answers.findings, columns=columns)
    return AttributeAnswers(findings, answers.certain)


def ask_synthetic(
    original: Dataset, released: Dataset, holdout: Dataset | None, plan: AuditPlan, progress: Progress = no_progress
) -> AttributeFindings | None:
    """Ask about a release whose rows are nobody's; None without people outside, against whom alone it can be judged."""
    if plan.attributes is None or holdout is None or not original.sa:
        return None
    return _answers(original, released, None, plan, holdout, progress).findings


def _answers(
    original: Dataset,
    released: Dataset,
    origin: Int | None,
    plan: AuditPlan,
    holdout: Dataset | None,
    progress: Progress,
    view: View[Dataset] | None = None,
) -> AttributeAnswers:
    assert plan.attributes is not None
    entries, left_out = selection.select("attack", _named(plan), original, plan.includes, "attribute")
    question = pose_question(original, released, origin, plan.attributes, plan.seed, holdout=holdout, view=view)
    answers = answer_question(question, entries, plan.bind, plan.seed, progress)
    notes = [] if holdout is None else control_notes(original, holdout, plan.holdout)
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


def limited_value(
    findings: AttributeFindings | None, name: str
) -> tuple[str, float, tuple[float, float] | None] | None:
    """Return what a limit on hidden values is compared with.

    Args:
        findings: What was found about hidden values.
        name: The limit: on the advantage, or on the share of certain values.

    Returns:
        The worst column, its value and, if it comes from a sample, its interval; None if it was not computed.
    """
    if findings is None or not findings.columns:
        return None
    values = {column: _compared(result, name) for column, result in findings.columns.items()}
    if any(value is None for value in values.values()):
        return None
    known = {column: value for column, value in values.items() if value is not None}
    worst = max(known, key=lambda column: known[column][1][1] if findings.sampled else known[column][0])
    value, interval = known[worst]
    return worst, value, interval if findings.sampled else None


def _compared(column: AttributeColumn, name: str) -> tuple[float, tuple[float, float]] | None:
    """Return the value of one column with its interval; nothing is learned about a constant one."""
    if column.note:
        return 0.0, (0.0, 0.0)
    if name == ATTRIBUTE_CERTAIN:
        return (column.certain_known, column.certain_known_ci) if CLASS_ATTACK in column.attacks else None
    if not column.attacks:
        return None
    worst = max(column.attacks.values(), key=lambda result: result.advantage)
    return worst.advantage, worst.advantage_ci


def broken_limit(findings: AttributeFindings, name: str, limit: float) -> str:
    """Say in words that too much is known about a sensitive column."""
    limited = limited_value(findings, name)
    assert limited is not None
    column, value, interval = limited
    share, bound = formatting.beside(value, limit, True)
    known = formatting.spoken_list(findings.known)
    sample = ""
    if interval is not None:
        sample = t("verdict.reason.certain_sample", interval=formatting.interval(interval))
    if name == ATTRIBUTE_ADVANTAGE:
        result = max(findings.columns[column].attacks.values(), key=lambda result: result.advantage)
        return t(
            "verdict.reason.advantage",
            known=known,
            column=column,
            success=formatting.percent(result.success),
            baseline=formatting.percent(result.baseline),
            share=share,
            sample=sample,
            bound=bound,
        )
    if value == 1:
        return t("verdict.reason.certain_all", column=column, known=known, bound=bound)
    return t("verdict.reason.certain", column=column, share=share, sample=sample, known=known, bound=bound)

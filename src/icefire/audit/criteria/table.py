"""The three criteria side by side, and the limits on them."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from icefire.audit.attributes import rates
from icefire.audit.attributes.labels_read import forget_columns, kept_columns
from icefire.audit.criteria.linkability import LinkedHalves, link_halves
from icefire.audit.criteria.singling_out import COLUMNS, SingledOut, single_out
from icefire.audit.judge import wilson
from icefire.audit.knowledge.holdout import fit_holdout
from icefire.audit.limits import ATTRIBUTE, LINKABILITY, SINGLING_OUT
from icefire.audit.plan import AuditPlan
from icefire.core import formatting
from icefire.core.dataset import Dataset
from icefire.core.scorecard import Limit
from icefire.core.scorecard.attributes import AttributeFindings, AttributeResult
from icefire.core.scorecard.criteria import CriteriaFindings, Criterion
from icefire.core.types import Progress, no_progress
from icefire.hierarchy.coverage import Coverage

LIMITS = {"singling out": (SINGLING_OUT,), "linkability": (LINKABILITY,), "inference": ATTRIBUTE}
"""The limits on each criterion; of inference the one on the advantage comes first."""


def measure_criteria(
    comparison: Any, hidden: AttributeFindings | None, plan: AuditPlan, progress: Progress = no_progress
) -> CriteriaFindings | None:
    """Measure the criteria on a table; None where the plan does not ask for hidden values, or for a history."""
    original, released = comparison.original, comparison.released
    if plan.attributes is None or not isinstance(original, Dataset):
        return None
    progress("judge: the three criteria")
    holdout = None if plan.holdout is None else fit_holdout(plan.holdout, original)
    origin = comparison.truth.rows
    # The known columns were read for the question of hidden values.
    read: dict[str, Coverage] = dict(kept_columns(comparison.case))
    isolated = single_out(original, released, origin, plan.seed, holdout=holdout, read=read)
    linked = link_halves(original, released, origin, plan.seed, holdout=holdout, read=read)
    forget_columns(comparison.case)
    return CriteriaFindings([_singling_out(isolated), _linkability(linked), _inference(hidden)])


def synthetic_criteria(
    original: Dataset,
    released: Dataset,
    holdout: Dataset | None,
    hidden: AttributeFindings | None,
    plan: AuditPlan,
    progress: Progress = no_progress,
) -> CriteriaFindings | None:
    """Measure the criteria on a release whose rows come from nobody in particular.

    A predicate made of a released row singles out whom it isolates in the release and in the original, whoever that
    is. Linkability and inference are judged against people outside; without any, they have no value.
    """
    if plan.attributes is None:
        return None
    progress("judge: the three criteria")
    nobody = np.full(released.height, -1, np.int64)
    isolated = _singling_out(single_out(original, released, nobody, plan.seed, holdout=holdout))
    if holdout is None:
        needs = "It takes people who are not in the data: give --holdout."
        return CriteriaFindings(
            [isolated, Criterion("linkability", None, note=needs), Criterion("inference", None, note=needs)]
        )
    linked = link_halves(original, released, nobody, plan.seed, holdout=holdout, everybody=True)
    return CriteriaFindings([isolated, _linkability(linked), _inference(hidden)])


def _singling_out(isolated: SingledOut) -> Criterion:
    hits, people = int(isolated.singled_out.sum()), len(isolated.rows)
    sizes = (isolated.predicates >= 0).sum(axis=1)
    details = {"columns at most": str(COLUMNS)}
    details |= {
        f"by {formatting.counted(size, 'column')}": str(int((sizes == size).sum())) for size in range(1, COLUMNS + 1)
    }
    share = hits / people
    return Criterion(
        "singling out",
        share,
        wilson(hits, people),
        isolated.control,
        isolated.control_kind,
        advantage=rates.advantage(share, isolated.control),
        people=people,
        sampled=not isolated.complete,
        details=details,
    )


def _linkability(linked: LinkedHalves | None) -> Criterion:
    if linked is None:
        return Criterion("linkability", None, note="A table of one column has no two halves.")
    share, control = float(linked.linked.mean()), float(linked.control.mean())
    nothing = np.zeros(len(linked.linked), bool)
    return Criterion(
        "linkability",
        share,
        wilson(int(linked.linked.sum()), len(linked.linked)),
        control,
        _control(None if linked.paired else len(linked.control)),
        advantage=rates.advantage(share, control),
        advantage_ci=rates.advantage_interval(linked.linked, linked.control, nothing, linked.paired),
        people=len(linked.linked),
        sampled=not (linked.complete and linked.paired),
        details={"first half": ", ".join(linked.halves[0]), "second half": ", ".join(linked.halves[1])},
    )


def _inference(hidden: AttributeFindings | None) -> Criterion:
    """Return the sensitive column about which most is learned."""
    attacked = {} if hidden is None else {name: col for name, col in hidden.columns.items() if col.worst_attack}
    if hidden is None or not attacked:
        return Criterion("inference", None, note="No sensitive column was asked about.")
    results = {name: column.attacks[column.worst_attack] for name, column in attacked.items() if column.worst_attack}
    name = max(results, key=lambda column: results[column].advantage_over_best_guess)
    attack, result = attacked[name].worst_attack or "", results[name]
    return Criterion(
        "inference",
        result.success,
        result.success_ci,
        result.baseline,
        _control_of_inference(hidden, result),
        advantage=result.advantage_over_best_guess,
        advantage_ci=result.advantage_over_best_guess_ci,
        people=hidden.people,
        sampled=hidden.sampled,
        details={"column": name, "attack": attack, "certain": formatting.percent(_most_certain(hidden))},
    )


def _control_of_inference(hidden: AttributeFindings, result: AttributeResult) -> str:
    if result.baseline > result.control:
        return "the commonest value, or the median, guessed for everybody"
    return _control(hidden.controls if hidden.control == "hold-out" else None)


def _most_certain(hidden: AttributeFindings) -> float:
    """Return the share of certain values of the column where it is largest."""
    return max((column.certain_known for column in hidden.columns.values()), default=0.0)


def _control(outside: int | None) -> str:
    """Say where a control comes from."""
    return (
        "each person without the own row"
        if outside is None
        else f"hold-out of {formatting.counted(outside, 'person', 'people')}"
    )


def limited_criterion(findings: CriteriaFindings | None, name: str) -> tuple[float | None, tuple[float, float] | None]:
    """Return what a limit on singling out or linkability is compared with, and its interval if it is from a sample."""
    criterion = None if findings is None else findings.named("singling out" if name == SINGLING_OUT else "linkability")
    if criterion is None:
        return None, None
    if name == SINGLING_OUT:
        return criterion.value, criterion.value_ci if criterion.sampled else None
    return criterion.advantage, criterion.advantage_ci if criterion.sampled else None


def with_limits(findings: CriteriaFindings | None, limits: list[Limit]) -> CriteriaFindings | None:
    """Put the limits beside the criteria; inference keeps its limits only if the one on certain values holds too."""
    if findings is None:
        return None
    criteria = []
    for criterion in findings.criteria:
        applying = [limit for limit in limits if limit.kind == "max" and limit.name in LIMITS[criterion.name]]
        passed = all(limit.passed for limit in applying)
        beside = {"limit": applying[0].limit, "passed": passed} if applying else {}
        criteria.append(msgspec.structs.replace(criterion, **beside))
    return CriteriaFindings(criteria)

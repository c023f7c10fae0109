"""The column that a model is to predict (`--target`): its measures in the plan, and the check before any work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from icefire.audit.plan import AuditPlan
from icefire.audit.selection import check_needs
from icefire.core import registry
from icefire.core.dataset import Dataset
from icefire.core.errors import SchemaError, did_you_mean
from icefire.core.history import History

TASKS = ("task_score", "task_loss")


def with_target(plan: AuditPlan, target: str) -> AuditPlan:
    """Return the plan with the measures of a task for this column."""
    given: Mapping[str, Mapping[str, object]] = plan.parameters
    measures: Sequence[str] | None = plan.measures
    if measures is not None:
        measures = [*measures, *(name for name in TASKS if name not in measures)]
    tasks = {name: {**given.get(name, {}), "target": target} for name in TASKS}
    return replace(plan, measures=measures, parameters={**given, **tasks})


def check_target(plan: AuditPlan, data: Dataset | History) -> None:
    """Refuse a target that is no column of the original, or data that are no table."""
    for name in TASKS:
        target = plan.parameters.get(name, {}).get("target")
        if target is None:
            continue
        check_needs(registry.get("measure", name), data)
        if target not in data.frame.columns:
            raise SchemaError(f"target: no column {target!r}; {did_you_mean(target, data.frame.columns)}")

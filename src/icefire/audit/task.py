"""The column that a model is to predict (`--target`): its measures in the plan, and the check before any work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from icefire.audit.plan import AuditPlan
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.history import History

TASKS = ("task_score", "task_loss")


def with_target(plan: AuditPlan, target: str | None) -> AuditPlan:
    """Return the plan with the measures of a task for this column; None leaves it as it is."""
    if target is None:
        return plan
    given: Mapping[str, Mapping[str, object]] = plan.parameters
    measures: Sequence[str] | None = plan.measures
    if measures is not None:
        measures = [*measures, *(name for name in TASKS if name not in measures)]
    tasks = {name: {**given.get(name, {}), "target": target} for name in TASKS}
    return replace(plan, measures=measures, parameters={**given, **tasks})


def check_target(plan: AuditPlan, data: Dataset | History) -> None:
    """Refuse a target that is no column of the original, or data that are no table."""
    targets = {given["target"] for name, given in plan.parameters.items() if name in TASKS and given.get("target")}
    for target in sorted(targets):
        if isinstance(data, History):
            raise ParameterError(f"target is {target!r}, but a model is trained for tables only; leave it out")
        data.schema.pick((target,), (), "target")

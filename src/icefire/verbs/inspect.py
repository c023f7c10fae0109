"""Measure one table or history alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from icefire import history_inspecting, inspecting
from icefire.files import Format
from icefire.history import History
from icefire.history_inspecting import HistoryInspection
from icefire.inspecting import Inspection
from icefire.verbs.audit import by_name
from icefire.verbs.progress import Progress, quiet
from icefire.verbs.read import read


def inspect(
    table: Any,
    *,
    measures: Sequence[str] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    how: Format | None = None,
    progress: Progress = quiet,
    **reading: Any,
) -> Inspection | HistoryInspection:
    """Measure one table alone: its classes, what they tell about sensitive values, and its columns.

    Of a history: its size, how alike its people are, and who shares a set of items with whom.
    """
    plan = inspecting.Plan(measures, by_name(parameters or {}))
    plan.entries()
    progress("reading")
    data = read(table, how=how, **reading)
    if isinstance(data, History):
        return history_inspecting.run(data, progress)
    return inspecting.run(data, plan, progress)

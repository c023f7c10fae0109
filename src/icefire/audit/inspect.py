"""Measure one table or history alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from icefire.audit import inspect_histories, inspect_tables
from icefire.audit.audit import by_name
from icefire.audit.inspect_histories import HistoryInspection
from icefire.audit.inspect_tables import Inspection
from icefire.core.history import History
from icefire.core.types import Progress, no_progress
from icefire.io.files import Format
from icefire.io.read import read


def inspect(
    table: Any,
    *,
    measures: Sequence[str] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    how: Format | None = None,
    progress: Progress = no_progress,
    **reading: Any,
) -> Inspection | HistoryInspection:
    """Measure one table alone: its classes, what they tell about sensitive values, and its columns.

    Of a history: its size, how alike its people are, and who shares a set of items with whom.
    """
    plan = inspect_tables.Plan(measures, by_name(parameters or {}))
    plan.entries()
    progress("reading")
    data = read(table, how=how, **reading)
    if isinstance(data, History):
        return inspect_histories.run(data, progress)
    return inspect_tables.run(data, plan, progress)

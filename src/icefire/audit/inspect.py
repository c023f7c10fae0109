"""The verb `inspect`: measure one table or history alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

from icefire.audit import inspect_histories, inspect_tables
from icefire.audit.inspect_histories import HistoryInspection
from icefire.audit.inspect_tables import Inspection, InspectionPlan
from icefire.audit.limits import parameters_by_name
from icefire.core.types import DataKind, Progress, no_progress
from icefire.io.options import DataSource, ReadOptions, takes_read_options
from icefire.io.read import read

INSPECTORS: dict[DataKind, Callable[..., Inspection | HistoryInspection]] = {
    "table": inspect_tables.inspect_table,
    "history": inspect_histories.inspect_history,
}


@takes_read_options
def inspect(
    table: DataSource,
    *,
    measures: Sequence[str] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress = no_progress,
    **reading: Unpack[ReadOptions],
) -> Inspection | HistoryInspection:
    """Measure one table alone: its classes, what they tell about sensitive values, and its columns.

    Of a history: its size, how alike its people are, and who shares a set of items with whom.

    Args:
        table: The data.
        measures: Names or codes of the measures to compute. Default: all that need one table only.
        parameters: Parameters by the name of the measure.
        progress: Called with the name of each stage.

    Returns:
        The figures of the table, or of the history.

    Raises:
        SchemaError: If the table has no quasi-identifier, or a measure lacks a column.
        ParameterError: If a measure compares two tables, or a parameter is not allowed.
    """
    plan = InspectionPlan(measures, parameters_by_name(parameters))
    plan.entries()
    progress("reading")
    data = read(table, **reading)
    return INSPECTORS[data.kind](data, plan, progress)

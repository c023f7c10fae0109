"""The verb `inspect`: measure one table or history alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

from icefire.audit.inspection import histories as inspect_histories
from icefire.audit.inspection import tables as inspect_tables
from icefire.audit.inspection.histories import HistoryInspection
from icefire.audit.inspection.tables import Inspection, InspectionPlan
from icefire.audit.limits import parameters_by_name
from icefire.core.types import DataKind, Progress, no_progress
from icefire.io.given_roles import read_for_use
from icefire.io.options import DataSource, ReadOptions, takes_read_options
from icefire.risk import parse_keys
from icefire.risk.known_points import PointsKnowledge, parse_points

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
    points: str | PointsKnowledge | None = None,
    keys: str | Sequence[str | Sequence[str]] = (),
    progress: Progress = no_progress,
    **reading: Unpack[ReadOptions],
) -> Inspection | HistoryInspection:
    """Measure one table alone: its classes, what they tell about sensitive values, and its columns.

    Of a history: its size, how alike its people are, and who shares a set of items with whom.

    Args:
        table: The data.
        measures: Names or codes of the measures to compute. Default: all that need one table only.
        parameters: Parameters by the name of the measure.
        points: Histories: also compute the risk of everybody of whom k points are known: "counts:3", "time:2:day",
            "frequency:2:0.1". Kinds: items, counts, time, order, frequency, share, ratio, top2.
        keys: Tables: combinations of columns whose classes are counted besides: "age,sex;age,postcode", or lists.
        progress: Called with the name of each stage.

    Returns:
        The figures of the table, or of the history.

    Raises:
        SchemaError: If the table has no quasi-identifier, or a measure or the points lack a column.
        ParameterError: If a measure compares two tables, a parameter is not allowed, or the points are none.
    """
    known = parse_points(points) if isinstance(points, str) else points
    plan = InspectionPlan(measures, parameters_by_name(parameters), known, parse_keys(keys))
    plan.entries()
    progress("reading")
    data = read_for_use(table, **reading)
    return INSPECTORS[data.kind](data, plan, progress)

"""What `icefire inspect` found in one table or history."""

from __future__ import annotations

from rich.console import Console

from icefire.audit.inspection.histories import HistoryInspection
from icefire.audit.inspection.tables import Inspection
from icefire.report.text import history_inspection, table_inspection


def show(inspection: Inspection | HistoryInspection, console: Console) -> None:
    """Print the inspection of a table or a history."""
    if isinstance(inspection, HistoryInspection):
        history_inspection.show(inspection, console)
    else:
        table_inspection.show(inspection, console)

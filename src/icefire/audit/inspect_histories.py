"""Inspect one history: its size, how alike its people are, and who shares a set of items with whom."""

from __future__ import annotations

import msgspec

from icefire.audit import history_findings, history_statistics
from icefire.audit.history_statistics import Statistics
from icefire.audit.inspect_tables import InspectedTable, InspectionPlan
from icefire.audit.provenance import provenance
from icefire.core.history import History
from icefire.core.scorecard import FORMAT_VERSION
from icefire.core.scorecard.histories import Group
from icefire.core.types import Progress, no_progress


class HistoryInspection(msgspec.Struct, frozen=True, kw_only=True):
    """All that one history says of itself."""

    format_version: int = FORMAT_VERSION
    provenance: InspectedTable
    fields: dict[str, str]
    statistics: Statistics
    groups: list[Group] = []

    def to_json(self) -> str:
        """Write as indented JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"


def inspect_history(data: History, plan: InspectionPlan, progress: Progress = no_progress) -> HistoryInspection:
    """Describe one history. It has no measures to choose from, so the plan is not used."""
    progress("comparing people")
    source = provenance(data, data, None, "")
    return HistoryInspection(
        provenance=InspectedTable(source.version, source.released, source.created, source.software),
        fields=data.fields.present,
        statistics=history_statistics.describe_history(data),
        groups=history_findings.alike(data),
    )

"""One history alone: how large it is, how alike its people are, and what one of them can be told by."""

from __future__ import annotations

import msgspec

from icefire.audit import history_findings, history_statistics
from icefire.audit import run as auditing
from icefire.audit.history_statistics import Statistics
from icefire.audit.inspect_tables import Source
from icefire.core.history import History
from icefire.core.scorecard import FORMAT_VERSION
from icefire.core.scorecard.histories import Group
from icefire.core.types import Progress, no_progress


class HistoryInspection(msgspec.Struct, frozen=True, kw_only=True):
    """All that one history says of itself."""

    format_version: int = FORMAT_VERSION
    provenance: Source
    fields: dict[str, str]
    statistics: Statistics
    groups: list[Group] = []

    def to_json(self) -> str:
        """Write as indented JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"


def run(data: History, progress: Progress = no_progress) -> HistoryInspection:
    """Describe one history."""
    progress("comparing people")
    known = auditing.provenance(data, data, None, "")
    return HistoryInspection(
        provenance=Source(known.version, known.released, known.created, known.software),
        fields=data.fields.present,
        statistics=history_statistics.of(data),
        groups=history_findings.alike(data),
    )

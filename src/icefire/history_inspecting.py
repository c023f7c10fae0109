"""One history alone: how large it is, how alike its people are, and what one of them can be told by."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from icefire import auditing, history_findings
from icefire.history import History, statistics
from icefire.history.results import Group
from icefire.history.statistics import Statistics
from icefire.inspecting import Source
from icefire.scorecard import FORMAT_VERSION


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


def run(data: History, progress: Callable[[str], None] = lambda _: None) -> HistoryInspection:
    """Describe one history."""
    progress("comparing people")
    known = auditing.provenance(data, data, None, "")
    return HistoryInspection(
        provenance=Source(known.version, known.released, known.created, known.software),
        fields=data.fields.present,
        statistics=statistics.of(data),
        groups=history_findings.alike(data),
    )

"""Obstacles to the release of a history: subjects that are called as in the original."""

from __future__ import annotations

from icefire.audit.identifiers import OWN_VALUES
from icefire.core import formatting
from icefire.core.history import HistoryComparison
from icefire.core.scorecard import Reason


def unchanged_names(comparison: HistoryComparison) -> list[Reason]:
    """Refuse a release in which subjects keep the names that they have in the original."""
    own = comparison.original.names.gather(comparison.truth.rows)
    kept = int((own == comparison.released.names).sum())
    share = kept / max(len(own), 1)
    if share <= OWN_VALUES:
        return []
    text = f"{kept:,} of {len(own):,} subjects ({formatting.percent(share)}) are called as in the original."
    evidence = {"column": comparison.original.fields.subject, "own_values": share}
    return [Reason("identifier", text, evidence)]

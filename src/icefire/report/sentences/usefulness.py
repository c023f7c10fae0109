"""What the release has lost, column by column."""

from __future__ import annotations

from icefire.core.formatting import count, percent
from icefire.core.scorecard.usefulness import ColumnChange

ROLES = {"qi": "quasi-identifier", "sa": "sensitive attribute", "other": "other"}


def role(column: ColumnChange) -> str:
    """Name the role of a column in full."""
    return ROLES.get(column.role, column.role)


def changed(column: ColumnChange) -> str:
    """Say in how many rows a column was changed, and whether a reader can see it."""
    if column.changed == 0:
        return "unchanged"
    rows = f"{count(column.changed)} rows ({percent(column.share)})"
    if column.single:
        return f"{rows}; it holds a single value"
    if column.unmarked == 0:
        return f"{rows}, all by labels or blanks"
    return f"{rows}, {'all' if column.unmarked == column.changed else count(column.unmarked)} without a mark"

"""The single sensitive attribute that an attack compares."""

from __future__ import annotations

from icefire.core.release import Case


def compared_column(case: Case, column: str | None) -> str:
    """Return the column asked for, or the numeric sensitive attribute with most distinct original values."""
    known = case.known
    if column is not None:
        return known.schema.pick([column], known.numeric_sa, "column")[0]
    return max(known.numeric_sa, key=lambda name: known.frame[name].n_unique())

"""The single sensitive attribute that an attack compares."""

from __future__ import annotations

from icefire.core.parts import PartedTables, distinct_of_columns
from icefire.core.release import Case
from icefire.core.schema import Kind, Role
from icefire.core.whole_numbers import distinct_count


def compared_column(case: Case, column: str | None) -> str:
    """Return the column asked for, or the numeric sensitive attribute with most distinct original values."""
    known = case.known
    if column is not None:
        return known.schema.pick([column], known.numeric_sa, "column")[0]
    return case.cached(
        ("default column",), lambda: max(known.numeric_sa, key=lambda name: distinct_count(known.frame[name]))
    )


def compared_column_in_parts(tables: PartedTables, column: str | None) -> str:
    """Return the same column of tables in parts."""
    numeric = tables.schema.named(Role.SA, Kind.NUMBER)
    if column is not None:
        return tables.schema.pick([column], numeric, "column")[0]
    values = distinct_of_columns(tables, "original", numeric)
    return max(numeric, key=lambda name: len(values[name][0]))

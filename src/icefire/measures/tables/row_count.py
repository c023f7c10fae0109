"""U6: difference in the number of rows."""

from __future__ import annotations

from icefire.core.parts import PartedTables
from icefire.core.registry import measure
from icefire.core.release import Comparison


def _in_parts(tables: PartedTables) -> float:
    return float(abs(tables.originals - tables.targets))


@measure("row_change", code="U6", needs=("original",), in_parts=_in_parts)
def row_change(comparison: Comparison) -> float:
    """Difference in the number of rows.

    Args:
        comparison: The original table, the released one, and the original row of each released row.

    Returns:
        The absolute difference of the numbers of rows.
    """
    return float(abs(comparison.original.height - comparison.released.height))

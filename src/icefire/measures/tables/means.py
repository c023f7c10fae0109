"""U1: change of the averages of the sensitive attributes."""

from __future__ import annotations

import numpy as np

from icefire.core.parameters import Columns
from icefire.core.parts import PartedTables, check_numbers
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.core.schema import Kind, Role


def _in_parts(tables: PartedTables, *, columns: Columns = None) -> float:
    schema = tables.schema
    names = schema.pick(columns, schema.before_release(Role.SA, kind=Kind.NUMBER), "columns")
    check_numbers(schema, names)
    means = [[tables.facts(side, name).mean for side in ("original", "released")] for name in names]
    return float(np.mean([abs((before or 0.0) - (after or 0.0)) for before, after in means]))


@measure("mean_error", code="U1", needs=("numeric_sa", "original"), in_parts=_in_parts)
def mean_error(comparison: Comparison, *, columns: Columns = None) -> float:
    """Mean over the sensitive attributes of the absolute change of their average, in their own units.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        columns: Columns to average. Default: the numeric sensitive attributes.

    Returns:
        The mean absolute change of an average; 0 if none changed.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
        UndefinedError: If a column was not released.
    """
    x, y = comparison.original, comparison.released
    names = x.schema.pick(columns, x.schema.before_release(Role.SA, kind=Kind.NUMBER), "columns")
    x.check_numeric(names)
    changes = [abs(float(x.frame[c].mean()) - float(y.frame[c].mean())) for c in names]  # type: ignore[arg-type]
    return float(np.mean(changes))

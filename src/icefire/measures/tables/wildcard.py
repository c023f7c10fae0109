"""S1 and S2 where a missing quasi-identifier may be any value."""

from __future__ import annotations

from icefire.core.parameters import Columns
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.kernels.types import Int
from icefire.models import wildcard


@measure("k_min_wildcard", needs=("qi",), better="higher", best="the number of rows")
def k_min_wildcard(comparison: Comparison, *, qi: Columns = None) -> float:
    """Smallest number of rows a released row does not contradict, where a missing cell may be any value.

    `k_min` takes a missing cell for a value of its own; without missing cells both are the same.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.

    Returns:
        The number of rows compatible with the row that has fewest.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If reading missing cells as wildcards would take too long.
    """
    return float(_sizes(comparison, qi)[1].min())


@measure("k_mean_wildcard", needs=("qi",), better="higher", best="the number of rows")
def k_mean_wildcard(comparison: Comparison, *, qi: Columns = None) -> float:
    """Mean class size as in `k_mean`, where a missing cell may be any value.

    Classes overlap, so rows are counted: the number of rows divided by the sum over them of 1 / class size, which
    is the number of classes where none overlap.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.

    Returns:
        The mean size of a class.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If reading missing cells as wildcards would take too long.
    """
    own, compatible = _sizes(comparison, qi)
    return float(own.sum() / (own / compatible).sum())


def _sizes(comparison: Comparison, qi: Columns) -> tuple[Int, Int]:
    table = comparison.released
    keys = table.schema.pick(qi, table.qi, "qi")
    return comparison.case.cached(("wildcard", keys), lambda: wildcard.sizes(table, keys))

"""S1 and S2: how many people share each combination of quasi-identifiers in the release."""

from __future__ import annotations

from icefire.core import blocks
from icefire.core.parameters import Columns
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.kernels.types import Int


@measure("k_min", code="S1", needs=("qi",), better="higher", best="the number of rows")
def k_min(comparison: Comparison, *, qi: Columns = None) -> float:
    """Size of the smallest class: every released row is like at least this many, itself included.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.

    Returns:
        The number of rows of the smallest class.

    Raises:
        SchemaError: If a column named is not in the table.
    """
    return float(_sizes(comparison, qi).min())


@measure("k_mean", code="S2", needs=("qi",), better="higher", best="the number of rows")
def k_mean(comparison: Comparison, *, qi: Columns = None) -> float:
    """Mean size of the classes: released rows divided by the number of classes.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.

    Returns:
        The mean number of rows of a class.

    Raises:
        SchemaError: If a column named is not in the table.
    """
    return comparison.released.height / len(_sizes(comparison, qi))


def _sizes(comparison: Comparison, qi: Columns) -> Int:
    table = comparison.released
    return blocks.class_sizes(table.frame, table.schema.pick(qi, table.qi, "qi"))

"""S1 and S2: how many people share each combination of quasi-identifiers in the release."""

from __future__ import annotations

from icefire import blocks
from icefire.parameters import Columns
from icefire.registry import measure
from icefire.release import Comparison, Int


@measure("k_min", code="S1", needs=("qi",), better="higher", best="the number of rows")
def k_min(comparison: Comparison, *, qi: Columns = None) -> float:
    """Size of the smallest class: every released row is like at least this many, itself included."""
    return float(_sizes(comparison, qi).min())


@measure("k_mean", code="S2", needs=("qi",), better="higher", best="the number of rows")
def k_mean(comparison: Comparison, *, qi: Columns = None) -> float:
    """Mean size of the classes: released rows divided by the number of classes."""
    return comparison.released.height / len(_sizes(comparison, qi))


def _sizes(comparison: Comparison, qi: Columns) -> Int:
    table = comparison.released
    return blocks.sizes(table.frame, table.schema.pick(qi, table.qi, "qi"))

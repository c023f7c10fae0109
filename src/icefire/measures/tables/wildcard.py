"""S1 and S2 in the other reading of a missing quasi-identifier: it may be any value."""

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
    """
    return float(_sizes(comparison, qi)[1].min())


@measure("k_mean_wildcard", needs=("qi",), better="higher", best="the number of rows")
def k_mean_wildcard(comparison: Comparison, *, qi: Columns = None) -> float:
    """Mean class size as in `k_mean`, where a missing cell may be any value.

    Classes overlap, so rows are counted: the number of rows divided by the sum over them of 1 / class size, which
    is the number of classes where none overlap.
    """
    own, compatible = _sizes(comparison, qi)
    return float(own.sum() / (own / compatible).sum())


def _sizes(comparison: Comparison, qi: Columns) -> tuple[Int, Int]:
    table = comparison.released
    keys = table.schema.pick(qi, table.qi, "qi")
    return comparison.case.remember(("wildcard", keys), lambda: wildcard.sizes(table.frame, keys))

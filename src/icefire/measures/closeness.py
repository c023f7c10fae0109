"""t-closeness: how far the sensitive values of a class are from those of the whole table. See docs/models.md."""

from __future__ import annotations

from icefire import models
from icefire.errors import UndefinedError
from icefire.models import Suppressed
from icefire.parameters import Columns
from icefire.registry import measure
from icefire.release import Comparison


@measure("t_equal", needs=("qi", "sa"))
def t_equal(
    comparison: Comparison, *, qi: Columns = None, sa: Columns = None, suppressed: Suppressed = "own_value"
) -> float:
    """Largest distance of a class from the table, all values equally far apart: t of t-closeness.

    Half the sum of the absolute differences of the shares, in the worst class of the worst sensitive attribute (`sa`,
    default all). Each distinct number is a value, and so is a missing one. `suppressed` says how a missing
    quasi-identifier is read: as a value of its own, or as a wildcard that matches any.
    """
    return models.worst(comparison, "t_equal", qi=qi, sa=sa, suppressed=suppressed)


@measure("t_ordered", needs=("qi", "sa"))
def t_ordered(
    comparison: Comparison, *, qi: Columns = None, sa: Columns = None, suppressed: Suppressed = "own_value"
) -> float:
    """Largest distance of a class from the table, values apart by their ranks: t of t-closeness for numbers.

    Earth mover's distance over the sorted distinct values, from the smallest to the largest 1; missing comes last. By
    default only sensitive attributes that are numbers count; text named in `sa` is taken in alphabetical order.
    """
    numeric = comparison.released.numeric_sa
    if sa is None and not numeric:
        raise UndefinedError(
            "no sensitive attribute is a number; text named with the parameter sa is ordered alphabetically"
        )
    return models.worst(comparison, "t_ordered", qi=qi, sa=sa, default=numeric, suppressed=suppressed)

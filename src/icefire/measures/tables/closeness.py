"""t-closeness: how far the sensitive values of a class are from those of the whole table. See docs/models.md."""

from __future__ import annotations

from functools import partial

from icefire import models
from icefire.core.errors import UndefinedError
from icefire.core.parameters import Columns
from icefire.core.parts import PartedTables
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.core.schema import Kind, Role
from icefire.measures.noted import NotedValue
from icefire.models import Suppressed
from icefire.models.parts import worst_in_parts

NO_NUMBER = "no sensitive attribute is a number; text named with the parameter sa is ordered alphabetically"


@measure("t_equal", needs=("qi", "sa"), in_parts=partial(worst_in_parts, name="t_equal"))
def t_equal(
    comparison: Comparison, *, qi: Columns = None, sa: Columns = None, suppressed: Suppressed = "own_value"
) -> float:
    """Largest distance of a class from the table, all values equally far apart: t of t-closeness.

    Half the sum of the absolute differences of the shares, in the worst class of the worst sensitive attribute (`sa`,
    default all). Each distinct number is a value, and so is a missing one. `suppressed` says how a missing
    quasi-identifier is read: as a value of its own, or as a wildcard that matches any.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.
        sa: Sensitive attributes. Default: all of them.
        suppressed: How a missing quasi-identifier is read: as a value of its own ("own_value") or as one that matches
            any ("wildcard").

    Returns:
        The largest distance, 0 to 1.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If there is no sensitive attribute, or reading missing cells as wildcards would take too long.
    """
    return models.worst(comparison, "t_equal", qi=qi, sa=sa, suppressed=suppressed)


def _t_ordered_in_parts(
    tables: PartedTables, *, qi: Columns = None, sa: Columns = None, suppressed: Suppressed = "own_value"
) -> float:
    numeric = tables.schema.named(Role.SA, Kind.NUMBER)
    if sa is None and not numeric:
        raise UndefinedError(NO_NUMBER)
    return worst_in_parts(tables, "t_ordered", qi=qi, sa=sa, default=numeric, suppressed=suppressed)


@measure("t_ordered", needs=("qi", "sa"), in_parts=_t_ordered_in_parts)
def t_ordered(
    comparison: Comparison, *, qi: Columns = None, sa: Columns = None, suppressed: Suppressed = "own_value"
) -> float:
    """Largest distance of a class from the table, values apart by their ranks: t of t-closeness for numbers.

    Earth mover's distance over the sorted distinct values, from the smallest to the largest 1; missing comes last. By
    default only sensitive attributes that are numbers count; text named in `sa` is taken in alphabetical order.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.
        sa: Sensitive attributes. Default: all that are numbers.
        suppressed: How a missing quasi-identifier is read: as a value of its own ("own_value") or as one that matches
            any ("wildcard").

    Returns:
        The largest distance, 0 to 1.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If no sensitive attribute is a number, or reading missing cells as wildcards would take too
            long.
    """
    numeric = comparison.released.numeric_sa
    if sa is None and not numeric:
        raise UndefinedError(NO_NUMBER)
    return models.worst(comparison, "t_ordered", qi=qi, sa=sa, default=numeric, suppressed=suppressed)


@measure("t_hierarchical", needs=("qi", "sa"))
def t_hierarchical(
    comparison: Comparison,
    *,
    qi: Columns = None,
    sa: Columns = None,
    hierarchies: str | None = None,
    suppressed: Suppressed = "own_value",
) -> float:
    """Largest distance of a class from the table, values apart by where they meet in a hierarchy: t of t-closeness.

    Values that meet on level h of a hierarchy of height H are h / H apart; a level that joins nothing does not count.
    `hierarchies` is a folder with a file for every sensitive attribute (`sa`, default all), whose name ends in
    COLUMN.csv, or the file of the only one; without it a hierarchy is inferred from the released values: intervals
    for numbers, units of time for dates, and for other text all values equally far apart.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.
        sa: Sensitive attributes. Default: all of them.
        hierarchies: Folder of the hierarchies, or the file of the only one. Default: they are inferred from the values.
        suppressed: How a missing quasi-identifier is read: as a value of its own ("own_value") or as one that matches
            any ("wildcard").

    Returns:
        The largest distance, 0 to 1, with a note that says which hierarchies were used.

    Raises:
        SchemaError: If a column named is not in the table.
        InputError: If a hierarchy is missing, or does not fit the values.
        UndefinedError: If there is no sensitive attribute, or reading missing cells as wildcards would take too long.
    """
    distance = models.worst_by_hierarchy(comparison, hierarchies, qi=qi, sa=sa, suppressed=suppressed)
    source = "by hierarchies inferred from the values" if hierarchies is None else f"by hierarchies in {hierarchies!r}"
    return NotedValue(distance, source)

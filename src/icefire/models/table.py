"""Privacy models measured on a whole table: the value of the worst class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.errors import UndefinedError
from icefire.core.release import Comparison
from icefire.kernels.grouping import class_statistics
from icefire.kernels.types import Float, Int
from icefire.models import wildcard
from icefire.models.coding import CodedAttribute, encode
from icefire.models.statistics import DEFAULT_C, STATISTICS
from icefire.models.value_tree import place_in_tree, read_hierarchies

Suppressed = Literal["own_value", "wildcard"]
"""How a missing quasi-identifier is read: as a value of its own, or as one that matches any other."""

EVERY = np.arange(class_statistics.DELTA + 1)


def worst(
    comparison: Comparison,
    name: str,
    *,
    qi: Sequence[str] | None = None,
    sa: Sequence[str] | None = None,
    default: Sequence[str] | None = None,
    suppressed: Suppressed = "own_value",
    c: float = DEFAULT_C,
) -> float:
    """Return the worst value of a statistic over the classes of the release and its sensitive attributes.

    The attributes are `sa` if given, else `default`, else all. All statistics of all attributes are found in one
    walk over the classes and kept for the next measure.
    """
    table = comparison.released
    keys = table.schema.pick(qi, table.qi, "qi")
    names = table.schema.pick(sa, table.sa if default is None else default, "sa")
    if not names:
        raise UndefinedError(f"{name} has no sensitive attribute to work on; name some with the parameter sa")
    known: dict[str, Float] = comparison.case.cached(("models", keys, suppressed, c), dict)
    todo = [column for column in dict.fromkeys((*names, *table.sa)) if column not in known]
    if todo:
        known |= zip(todo, _profiles(table, keys, todo, suppressed, c), strict=True)
    statistic = STATISTICS[name]
    values = [float(known[column][statistic.place]) for column in names]
    return min(values) if statistic.higher else max(values)


def worst_by_hierarchy(
    comparison: Comparison,
    hierarchies: str | None,
    *,
    qi: Sequence[str] | None = None,
    sa: Sequence[str] | None = None,
    suppressed: Suppressed = "own_value",
) -> float:
    """Return the largest hierarchical distance of a class of the release from the whole, over its attributes."""
    table = comparison.released
    keys, names = table.schema.pick(qi, table.qi, "qi"), table.schema.pick(sa, table.sa, "sa")
    if not names:
        raise UndefinedError("t_hierarchical has no sensitive attribute to work on; name some with the parameter sa")
    known = read_hierarchies(hierarchies, names)
    planting = [place_in_tree(table.frame[name], known[name]) for name in names]
    return max(
        float(tree.distances(coded, rows, start).max())
        for rows, start in classes_of(table, keys, suppressed)
        for coded, tree in planting
    )


def _profiles(
    table: Dataset, keys: Sequence[str], names: Sequence[str], suppressed: Suppressed, c: float
) -> list[Float]:
    """Return for every attribute the worst value of each statistic."""
    coded = [encode(table.frame[name]) for name in names]
    profiles = [_over(coded, rows, start, c) for rows, start in classes_of(table, keys, suppressed)]
    higher = class_statistics.LAST_HIGHER >= EVERY
    return list(np.where(higher, np.min(profiles, axis=0), np.max(profiles, axis=0)))


def _over(coded: Sequence[CodedAttribute], rows: Int, start: Int, c: float) -> Float:
    return np.array([class_statistics.worst_statistics(one.codes, one.totals, rows, start, EVERY, c) for one in coded])


def classes_of(table: Dataset, keys: Sequence[str], suppressed: Suppressed) -> Iterator[tuple[Int, Int]]:
    """Give the classes as rows and starts, in one piece or, where they overlap, in several."""
    if suppressed == "wildcard" and any(table.frame[name].null_count() for name in keys):
        yield from wildcard.Gaps.of_table(table.frame, keys).classes()
    else:
        classes = table.classes(keys)
        yield classes.x_rows, classes.x_start

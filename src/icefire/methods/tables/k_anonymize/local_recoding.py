"""Local recoding: groups of at least k similar rows get the same quasi-identifiers, each group its own.

With hierarchies a column of a group becomes the lowest common ancestor of its values. Without, it becomes a value
that occurs: the middle one of numbers, the most frequent one of categories. See docs/local_recoding.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.hierarchy import TOP, Fitted
from icefire.kernels.recoding.value_trees import (
    ColumnLevels,
    ValueForest,
    build_forest,
    released_nodes,
    summarise_classes,
)
from icefire.kernels.types import Int, Int32
from icefire.methods.tables.k_anonymize import classes as local_classes
from icefire.methods.tables.k_anonymize.assignment import Placing
from icefire.methods.tables.k_anonymize.enforce_models import remaining, settled
from icefire.methods.tables.k_anonymize.merge import Joining, without_outliers
from icefire.methods.tables.k_anonymize.population import hidden
from icefire.methods.tables.k_anonymize.without_hierarchies import by_value
from icefire.models import Constraint, PopulationBounds


def local_recoding(
    data: Dataset,
    names: Sequence[str],
    *,
    k: int,
    rng: np.random.Generator,
    fitted: Sequence[Fitted] | None = None,
    max_suppressed: float = 0.0,
    promises: Sequence[Constraint] = (),
    crowd: PopulationBounds | None = None,
) -> Dataset:
    """Give groups of at least k rows the same values of the columns named; all rows stay unless asked otherwise.

    `fitted` holds the hierarchy of every column, in the same order; None takes values that occur. Up to the share
    `max_suppressed` of the rows is left out, where a group loses more than half of its detail or breaks a model. All
    groups keep all `promises` and, with hierarchies, the bounds of the `crowd`.
    """
    if not names:
        raise ParameterError("k_anonymize: qi is empty; name at least one column")
    if not data.height:
        return data.noted(classes=0, suppressed=0)
    if k > data.height:
        raise ParameterError(f"k_anonymize: k is {k}, but the table has {data.height} rows; choose a smaller k")
    room = math.floor(max_suppressed * data.height + 1e-9)
    if fitted is None:
        return by_value(data, names, k, room, promises)
    return _by_hierarchy(data, fitted, k, rng, room, promises, crowd)


def _by_hierarchy(
    data: Dataset,
    fitted: Sequence[Fitted],
    k: int,
    rng: np.random.Generator,
    room: int,
    promises: Sequence[Constraint],
    crowd: PopulationBounds | None,
) -> Dataset:
    """Release the lowest common ancestor of each class and column, as text; an untouched column stays as it is."""
    forest, first = build_forest([_levels(column) for column in fitted])
    codes = np.column_stack([column.numbers.astype(np.int32) for column in fitted])
    found = _found(forest, codes, k, rng, room, promises, crowd)
    shown = released_nodes(forest, found.reps, found.levels)
    made, classes = remaining(data, found.rows, found.start)
    columns = [
        _labels(column)[shown[classes, place] - first[place]].alias(column.name)
        for place, column in enumerate(fitted)
        if found.levels[:, place].any()
    ]
    return made.with_columns(*columns).noted(
        classes=len(found.sizes),
        suppressed=data.height - made.height,
        granularity=1 - found.lost(forest) / (made.height * len(fitted)),
        **(crowd.reached(found.sizes, found.reps, found.levels) if crowd else {}),
    )


def _found(
    forest: ValueForest,
    codes: Int32,
    k: int,
    rng: np.random.Generator,
    room: int,
    promises: Sequence[Constraint],
    crowd: PopulationBounds | None,
) -> Placing:
    """Find classes, leave outliers out, make the others keep the models, and hide them in the population."""

    def shown(rows: Int, start: Int) -> Int32:
        return released_nodes(forest, *summarise_classes(forest, codes[rows], start))

    joining = Joining(forest, codes, promises, shown)
    rows, start = without_outliers(forest, codes, *local_classes.find(forest, codes, k, rng), room)
    rows, start = settled(joining, rows, start, k, room - len(codes) + len(rows))
    if crowd is None:
        return Placing(rows, start, *summarise_classes(forest, codes[rows], start))
    return hidden(joining, crowd, rows, start, k, room - len(codes) + len(rows))


def _levels(column: Fitted) -> ColumnLevels:
    """Describe a column to the kernels: nodes and losses of each level over the values that occur, one root on top.

    A node loses (leaves below it - 1) / (leaves of the whole tree - 1), as in ARX.
    """
    known = column.hierarchy
    most = max(known.size - 1, 1)
    levels = [
        (codes[column.places], np.minimum((leaves - 1) / most, 1.0))
        for codes, leaves in zip(known.codes, known.leaves, strict=True)
    ]
    if not known.closed:
        levels.append((np.zeros(len(column.places), np.int32), np.ones(1)))
    return levels


def _labels(column: Fitted) -> pl.Series:
    """Return the text of every node, in the order of the levels."""
    labels = list(column.hierarchy.labels)
    return pl.concat(labels if column.hierarchy.closed else [*labels, pl.Series([TOP])])

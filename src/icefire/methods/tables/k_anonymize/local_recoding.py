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
from icefire.methods.tables.k_anonymize.assignment import ClassAssignment
from icefire.methods.tables.k_anonymize.enforce_models import enforced, remaining
from icefire.methods.tables.k_anonymize.merge import ClassMerger, without_outliers
from icefire.methods.tables.k_anonymize.population import matched_to_population
from icefire.methods.tables.k_anonymize.without_hierarchies import recoded_by_value
from icefire.models import Constraint, PopulationBounds


def local_recoding(
    data: Dataset,
    names: Sequence[str],
    *,
    k: int,
    rng: np.random.Generator,
    fitted: Sequence[Fitted] | None = None,
    max_suppressed: float = 0.0,
    constraints: Sequence[Constraint] = (),
    bounds: PopulationBounds | None = None,
) -> Dataset:
    """Give groups of at least k rows the same values of the columns named; all rows stay unless asked otherwise.

    `fitted` holds the hierarchy of every column, in the same order; None takes values that occur. Up to the share
    `max_suppressed` of the rows is left out, where a group loses more than half of its detail or breaks a model. All
    groups keep all `constraints` and, with hierarchies, the bounds of the `bounds`.
    """
    if not names:
        raise ParameterError("k_anonymize: qi is empty; name at least one column")
    if not data.height:
        return data.noted(classes=0, suppressed=0)
    if k > data.height:
        raise ParameterError(f"k_anonymize: k is {k}, but the table has {data.height} rows; choose a smaller k")
    room = math.floor(max_suppressed * data.height + 1e-9)
    if fitted is None:
        return recoded_by_value(data, names, k, room, constraints)
    return _by_hierarchy(data, fitted, k, rng, room, constraints, bounds)


def _by_hierarchy(
    data: Dataset,
    fitted: Sequence[Fitted],
    k: int,
    rng: np.random.Generator,
    room: int,
    constraints: Sequence[Constraint],
    bounds: PopulationBounds | None,
) -> Dataset:
    """Release the lowest common ancestor of each class and column, as text; an untouched column stays as it is."""
    forest, first = build_forest([_levels(column) for column in fitted])
    codes = np.column_stack([column.numbers.astype(np.int32) for column in fitted])
    classes_released = _assigned_classes(forest, codes, k, rng, room, constraints, bounds)
    shown = released_nodes(forest, classes_released.reps, classes_released.levels)
    remaining_rows, classes = remaining(data, classes_released.rows, classes_released.start)
    columns = [
        _labels(column)[shown[classes, place] - first[place]].alias(column.name)
        for place, column in enumerate(fitted)
        if classes_released.levels[:, place].any()
    ]
    return remaining_rows.with_columns(*columns).noted(
        classes=len(classes_released.sizes),
        suppressed=data.height - remaining_rows.height,
        granularity=1 - classes_released.lost(forest) / (remaining_rows.height * len(fitted)),
        **(bounds.reached(classes_released.sizes, classes_released.reps, classes_released.levels) if bounds else {}),
    )


def _assigned_classes(
    forest: ValueForest,
    codes: Int32,
    k: int,
    rng: np.random.Generator,
    room: int,
    constraints: Sequence[Constraint],
    bounds: PopulationBounds | None,
) -> ClassAssignment:
    """Find classes, leave outliers out, make the others keep the models, and hide them in the population."""

    def shown(rows: Int, start: Int) -> Int32:
        return released_nodes(forest, *summarise_classes(forest, codes[rows], start))

    merger = ClassMerger(forest, codes, constraints, shown)
    rows, start = without_outliers(forest, codes, *local_classes.find_classes(forest, codes, k, rng), room)
    rows, start = enforced(merger, rows, start, k, room - len(codes) + len(rows))
    if bounds is None:
        return ClassAssignment(rows, start, *summarise_classes(forest, codes[rows], start))
    return matched_to_population(merger, bounds, rows, start, k, room - len(codes) + len(rows))


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

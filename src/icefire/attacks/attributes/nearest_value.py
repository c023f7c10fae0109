"""The attack `nearest`: the value of the released row that is nearest to the person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icefire.attacks.attributes.known_columns import (
    TargetColumn,
    known_columns,
    label_classes,
    numbered_through,
)
from icefire.core.attribute import AttributeCase, AttributeGuess
from icefire.core.registry import attack
from icefire.kernels.evidence.nearest_rows import MixedPoints, MixedRows, nearest_rows
from icefire.kernels.types import Float, Int

SHARED = 2
"""Rows to a class of equal labels, on average at least, from which on targets are compared with classes."""
LISTED = 5
"""Rows listed for each target: the first gives the answer, the others take its place where it is left out."""


@attack("nearest", question="attribute", knows="the person's known columns")
def nearest_value(case: AttributeCase, *, rng: np.random.Generator) -> AttributeGuess:
    """Take the value of the released row that is nearest by the known columns.

    Numbers are divided by their interquartile range; the distance to an interval is that to its nearest end. A
    category that the released label does not cover counts 1. Of equally near rows the first is taken.
    The attacker knows some columns of each person, by default the quasi-identifiers. Success is the right value.

    Args:
        case: What the attacker holds: the known columns of people, and the released table.
        rng: Not used; nothing is drawn.

    Returns:
        The nearest rows of each target, the nearest first.
    """
    rows = nearest_of_targets(case)
    return AttributeGuess(np.arange(case.targets + 1) * rows.shape[1], rows.reshape(-1), "first")


def nearest_of_targets(case: AttributeCase) -> Int:
    """Return the nearest released rows of each target by all known columns: targets × rows, the nearest first."""
    rows: Int = case.cached("nearest rows", lambda: _by_classes(case))
    return rows


def _by_classes(case: AttributeCase) -> Int:
    """Compare targets with one row of each class of equal labels, and list the rows of the nearest classes."""
    columns, classes = known_columns(case), label_classes(case)
    if not classes.count or SHARED * classes.count > case.choices:
        return nearest_by_columns(columns, case.targets, case.choices)
    begin, size = classes.start[:-1], np.diff(classes.start)
    # In the order of their first rows, so that of equally near classes that of the lowest row comes first.
    order = np.argsort(classes.rows[begin])
    listed = min(LISTED, classes.count)
    nearest, far = _nearest(columns, case.targets, classes.rows[begin[order]], listed)
    nearest = order[nearest]
    rows = _first_rows(classes.rows, begin[nearest], size[nearest], min(LISTED, case.choices))
    far = np.where(rows < 0, np.inf, np.repeat(far, rows.shape[1] // listed, axis=1))
    chosen = np.lexsort((np.where(rows < 0, case.choices, rows), far), axis=1)[:, : min(LISTED, case.choices)]
    return np.take_along_axis(rows, chosen, axis=1)


def _first_rows(rows: Int, begin: Int, size: Int, most: int) -> Int:
    """Return the first rows of the classes of each target, side by side; -1 where a class has fewer."""
    place = np.arange(most)
    listed = rows[begin[:, :, None] + np.minimum(place, size[:, :, None] - 1)]
    return np.where(place < size[:, :, None], listed, -1).reshape(len(begin), -1)


def nearest_by_columns(columns: list[TargetColumn], targets: int, choices: int, listed: int = LISTED) -> Int:
    """Return the nearest released rows of each target by some columns, the nearest first."""
    return _nearest(columns, targets, np.arange(choices), min(listed, choices))[0]


def _nearest(columns: list[TargetColumn], targets: int, rows: Int, listed: int) -> tuple[Int, Float]:
    """Return the places of the nearest of some released rows, and how far they are."""
    numbers = [column for column in columns if column.numbers is not None]
    categories = [column for column in columns if column.numbers is None]
    offset, stretch, first, last = numbered_through(categories)
    labels = _stacked(
        (column.labels[rows] + offset[c] for c, column in enumerate(categories)), len(categories), len(rows), np.int32
    )
    places = _stacked((column.places for column in categories), len(categories), targets, np.int32)
    values = _stacked((_scaled(column, "values") for column in numbers), len(numbers), targets)
    points = MixedPoints(np.ascontiguousarray(values.T), np.ascontiguousarray(places.T))
    low = _stacked((_scaled(column, "low")[column.labels[rows]] for column in numbers), len(numbers), len(rows))
    # Numbers that were released as they are need no second table.
    exact = all(np.array_equal(column.numbers.low, column.numbers.high) for column in numbers if column.numbers)
    high = low
    if not exact:
        high = _stacked((_scaled(column, "high")[column.labels[rows]] for column in numbers), len(numbers), len(rows))
    return nearest_rows(points, MixedRows(low, high, labels, stretch, first, last), offset, listed)


def _scaled(column: TargetColumn, part: str) -> Float:
    """Return the targets' values, or an end of the intervals of the labels, divided by the scale."""
    assert column.numbers is not None
    values: Float = getattr(column.numbers, part)
    return values / column.numbers.scale


def _stacked(columns: Iterable[NDArray[Any]], count: int, rows: int, dtype: type = np.float64) -> NDArray[Any]:
    """Write so many columns one below the other, without holding all of them twice."""
    out: NDArray[Any] = np.empty((count, rows), dtype)
    for line, column in zip(out, columns, strict=True):
        line[:] = column
    return out

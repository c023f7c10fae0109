"""The attack `nearest`: the value of the released row that is nearest to the person."""

from __future__ import annotations

import numpy as np

from icefire.attacks.attributes.known_columns import TargetColumn, known_columns, numbered_through
from icefire.core.attribute import AttributeCase, AttributeGuess
from icefire.core.registry import attack
from icefire.kernels.evidence.nearest_rows import MixedPoints, MixedRows, nearest_rows
from icefire.kernels.types import Float, Int

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
    rows: Int = case.cached("nearest rows", lambda: nearest_by_columns(known_columns(case), case.targets, case.choices))
    return rows


def nearest_by_columns(columns: list[TargetColumn], targets: int, choices: int, listed: int = LISTED) -> Int:
    """Return the nearest released rows of each target by some columns, the nearest first."""
    numbers = [column for column in columns if column.numbers is not None]
    categories = [column for column in columns if column.numbers is None]
    offset, stretch, first, last = numbered_through(categories)
    labels = _side_by_side([column.labels + offset[c] for c, column in enumerate(categories)], choices, np.int32)
    places = _side_by_side([column.places for column in categories], targets, np.int32)
    points = MixedPoints(_side_by_side([_scaled(column, "values") for column in numbers], targets), places)
    low, high = (_side_by_side([_scaled(column, end) for column in numbers], choices) for end in ("low", "high"))
    return nearest_rows(points, MixedRows(low, high, labels, stretch, first, last), min(listed, choices))


def _scaled(column: TargetColumn, part: str) -> Float:
    """Return the targets' values, or an end of the intervals of the released rows, divided by the scale."""
    assert column.numbers is not None
    values: Float = getattr(column.numbers, part)
    return (values if part == "values" else values[column.labels]) / column.numbers.scale


def _side_by_side(columns: list[np.ndarray], rows: int, dtype: type = np.float64) -> np.ndarray:
    return np.ascontiguousarray(np.stack(columns, axis=1), dtype) if columns else np.empty((rows, 0), dtype)

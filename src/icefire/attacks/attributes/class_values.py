"""The attack `class`: the values of the released rows that may be the person's."""

from __future__ import annotations

import numpy as np

from icefire.attacks.attributes.known_columns import in_order, known_columns, label_classes, numbered_through
from icefire.core.attribute import AttributeCase, AttributeGuess
from icefire.core.registry import attack
from icefire.kernels.evidence.covering_rows import LabelClasses, covering_rows
from icefire.kernels.types import Int32

LISTED = 1 << 23
"""Largest number of rows listed for all targets together."""
LEAST_LISTED = 400
"""So many are listed for a target, however many targets there are."""


@attack("class", question="attribute", knows="the person's known columns, and that 34 may be released as 30-39 or *")
def class_values(case: AttributeCase, *, rng: np.random.Generator) -> AttributeGuess:
    """Take the commonest value, or the median, of the released rows that cover the person by the known columns.

    Labels are read as attack `cover` reads them: intervals, sets, masked text, dates, blanks, rounded numbers.
    Where very many rows cover a person, evenly spaced ones stand for all.
    The attacker knows some columns of each person, by default the quasi-identifiers. Success is the right value.

    Args:
        case: What the attacker holds: the known columns of people, and the released table.
        rng: Not used; nothing is drawn.

    Returns:
        The covering rows of each target; none for a person whom no row covers.
    """
    start, rows = case.cached("covering rows", lambda: covering_rows(*_classes(case), _most_listed(case.targets)))
    return AttributeGuess(start, rows)


def _most_listed(targets: int) -> int:
    return max(LEAST_LISTED, LISTED // max(1, targets))


def _classes(case: AttributeCase) -> tuple[LabelClasses, Int32]:
    """Group the released rows by their labels, the column that excludes most first; also return the targets' places."""
    columns = in_order(known_columns(case))
    offset, stretch, low, high = numbered_through(columns)
    rows, start = label_classes(case).rows, label_classes(case).start
    labels = np.stack([c.labels[rows[start[:-1]]] + begin for c, begin in zip(columns, offset, strict=False)], axis=1)
    labels = np.ascontiguousarray(labels, np.int32)
    first = np.searchsorted(labels[:, 0], np.arange(columns[0].label_count + 1))
    places = np.ascontiguousarray(np.stack([column.places for column in columns], axis=1))
    return LabelClasses(labels, stretch, low, high, first, rows, start), places

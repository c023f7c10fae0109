"""Constraints that every class of a release must keep, checked on the rows that are released."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from icefire.kernels.types import Bool, Int


class Constraint(Protocol):
    """A bound that every class keeps or breaks; classes are rows sorted by class, and where each begins."""

    def over(self, rows: Int) -> Constraint:
        """Return the constraint for a release of these rows alone."""
        ...

    def satisfied(self, rows: Int, start: Int) -> Bool:
        """Tell for every class whether it keeps the bound."""
        ...


def classes_keeping(constraints: Sequence[Constraint], rows: Int, start: Int) -> Bool:
    """Tell which classes keep all constraints."""
    fine = np.ones(len(start) - 1, np.bool_)
    for constraint in constraints:
        fine &= constraint.satisfied(rows, start)
    return fine


def select_classes(rows: Int, start: Int, stays: Bool) -> tuple[Int, Int]:
    """Return the classes that stay."""
    sizes = np.diff(start)
    return rows[np.repeat(stays, sizes)], np.concatenate([[0], np.cumsum(sizes[stays])])


def lasting_classes(constraints: Sequence[Constraint], rows: Int, start: Int, stays: Bool, room: int) -> Bool:
    """Leave out classes until those that stay keep all constraints in the table that they make; returns which stay.

    Leaving out rows changes the table that classes are compared with, so the rest is looked at again. This ends early
    when more than `room` rows are gone.
    """
    stays = stays.copy()
    while True:
        left, begins = select_classes(rows, start, stays)
        if not len(left) or len(rows) - len(left) > room:
            return stays
        fine = classes_keeping([constraint.over(left) for constraint in constraints], left, begins)
        if fine.all():
            return stays
        stays[np.flatnonzero(stays)[~fine]] = False

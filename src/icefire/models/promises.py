"""What all classes of a release must keep, held against the rows that are really released."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from icefire.kernels.types import Bool, Int


class Promise(Protocol):
    """A bound that every class keeps or breaks; classes are rows sorted by class, and where each begins."""

    def over(self, rows: Int) -> Promise:
        """Return the promise for a release of these rows alone."""
        ...

    def satisfied(self, rows: Int, start: Int) -> Bool:
        """Tell for every class whether it keeps the bound."""
        ...


def kept(promises: Sequence[Promise], rows: Int, start: Int) -> Bool:
    """Tell which classes keep all promises."""
    fine = np.ones(len(start) - 1, np.bool_)
    for promise in promises:
        fine &= promise.satisfied(rows, start)
    return fine


def some(rows: Int, start: Int, stays: Bool) -> tuple[Int, Int]:
    """Return the classes that stay."""
    sizes = np.diff(start)
    return rows[np.repeat(stays, sizes)], np.concatenate([[0], np.cumsum(sizes[stays])])


def lasting(promises: Sequence[Promise], rows: Int, start: Int, stays: Bool, room: int) -> Bool:
    """Leave out classes until those that stay keep all promises in the table that they make; returns which stay.

    Leaving out rows changes the table that classes are compared with, so the rest is looked at again. This ends early
    when more than `room` rows are gone.
    """
    stays = stays.copy()
    while True:
        left, begins = some(rows, start, stays)
        if not len(left) or len(rows) - len(left) > room:
            return stays
        fine = kept([promise.over(left) for promise in promises], left, begins)
        if fine.all():
            return stays
        stays[np.flatnonzero(stays)[~fine]] = False

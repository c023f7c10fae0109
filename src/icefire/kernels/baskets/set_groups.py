"""Equal sets grouped, so that each distinct set is compared once.

A set is a range of ascending items: set i holds items[start[i]:start[i + 1]].
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.common.ranges import concatenated_ranges, offsets
from icefire.kernels.types import Int, Int32

Whole = TypeVar("Whole", bound=np.integer[Any])


class SetGroups(NamedTuple):
    """Groups of equal sets: group g holds members[start[g]:start[g + 1]], ascending; groups come by first member."""

    label: Int  # the group of every set
    members: Int
    start: Int

    @property
    def first(self) -> Int:
        """The lowest set of every group."""
        return self.members[self.start[:-1]]


def group_equal_sets(start: Int, items: Int32) -> SetGroups:
    """Group the sets that hold exactly the same items."""
    marks = _hashes(start, items)
    order = np.lexsort((marks, np.diff(start)))
    leaders, label = np.unique(_leaders(start, items, marks, order), return_inverse=True)
    ends = offsets(np.bincount(label, minlength=len(leaders)))
    return SetGroups(label.astype(np.int64), np.argsort(label, kind="stable"), ends)


def select_sets(start: Int, items: NDArray[Whole], sets: Int) -> tuple[Int, NDArray[Whole]]:
    """Return the offsets and items of the sets named, in that order."""
    sizes = np.diff(start)[sets]
    return offsets(sizes), items[concatenated_ranges(start[:-1][sets], sizes)]


@njit(nogil=True, cache=True)
def _hashes(start, items) -> Any:  # type: ignore[no-untyped-def]
    """Return for every set a number that differs where sets differ, except for rare collisions."""
    marks = np.zeros(len(start) - 1, np.uint64)
    for i in range(len(marks)):
        mark = np.uint64(0)
        for at in range(start[i], start[i + 1]):
            bits = np.uint64(items[at] + 1) * np.uint64(0x9E3779B97F4A7C15)
            bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mark += bits ^ (bits >> np.uint64(27))
        marks[i] = mark
    return marks


@njit(nogil=True, cache=True)
def _leaders(start, items, marks, order) -> Any:  # type: ignore[no-untyped-def]
    """Return for each set the lowest set equal to it; only sets of one size and one hash are compared item by item."""
    leader = np.empty(len(order), np.int64)
    begun = 0
    for k in range(len(order)):
        i = order[k]
        before = order[begun]
        if marks[i] != marks[before] or start[i + 1] - start[i] != start[before + 1] - start[before]:
            begun = k
        leader[i] = i
        for earlier in range(begun, k):
            j = order[earlier]
            if leader[j] == j and _equal(start, items, i, j):
                leader[i] = j
                break
    return leader


@njit(nogil=True, cache=True)
def _equal(start, items, i, j) -> Any:  # type: ignore[no-untyped-def]
    """Tell whether two sets of one size hold the same items."""
    at, size = 0, start[i + 1] - start[i]
    while at < size and items[start[i] + at] == items[start[j] + at]:
        at += 1
    return at == size

"""Released rows that cover a point: every label of the row stands for a range of places that holds the point's.

Rows with equal labels are one class. Labels of all columns are numbered through: label l covers the places from low[s]
up to high[s], not included, for each stretch s from stretch[l] to stretch[l + 1].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common.interpreted import compiled_if_worth
from icefire.kernels.types import Int, Int32


class LabelClasses(NamedTuple):
    """Released rows by class, and what their labels cover."""

    labels: Int32
    """classes × columns, the column that excludes most first; classes ascend by the label of the first column."""
    stretch: Int
    low: Int
    high: Int
    first: Int
    """Label l of the first column belongs to the classes first[l] … first[l + 1] - 1."""
    rows: Int
    start: Int
    """Class g holds rows[start[g]:start[g + 1]]."""


@njit(nogil=True, cache=True)
def _covers(classes, label, place):  # type: ignore[no-untyped-def]
    """Tell whether a label covers a place."""
    for s in range(classes.stretch[label], classes.stretch[label + 1]):
        if classes.low[s] <= place < classes.high[s]:
            return True
    return False


@njit(nogil=True, cache=True)
def _covering_classes(classes, places, target, out):  # type: ignore[no-untyped-def]
    """List the classes that cover a target; returns how many."""
    count = 0
    for label in range(len(classes.first) - 1):
        if classes.first[label] == classes.first[label + 1] or not _covers(classes, label, places[target, 0]):
            continue
        for group in range(classes.first[label], classes.first[label + 1]):
            covered = True
            for c in range(1, places.shape[1]):
                if not _covers(classes, classes.labels[group, c], places[target, c]):
                    covered = False
                    break
            if covered:
                out[count] = group
                count += 1
    return count


@njit(nogil=True, cache=True)
def _count_rows(classes, places):  # type: ignore[no-untyped-def]
    """Return how many rows cover each target."""
    counts = np.zeros(len(places), np.int64)
    groups = np.empty(len(classes.labels), np.int64)
    for target in range(len(places)):
        for i in range(_covering_classes(classes, places, target, groups)):
            counts[target] += classes.start[groups[i] + 1] - classes.start[groups[i]]
    return counts


@njit(nogil=True, cache=True)
def _list_rows(classes, places, counts, start):  # type: ignore[no-untyped-def]
    """List the rows of each target, evenly thinned out where there are more than its list has room for."""
    rows = np.empty(start[-1], np.int64)
    groups = np.empty(len(classes.labels), np.int64)
    for target in range(len(places)):
        room, seen, at = start[target + 1] - start[target], 0, start[target]
        for i in range(_covering_classes(classes, places, target, groups)):
            for r in range(classes.start[groups[i]], classes.start[groups[i] + 1]):
                if seen * room // counts[target] != (seen + 1) * room // counts[target]:
                    rows[at] = classes.rows[r]
                    at += 1
                seen += 1
    return rows


def covering_rows(classes: LabelClasses, places: Int32, most: int) -> tuple[Int, Int]:
    """Return the rows that cover each target.

    Args:
        classes: Released rows by class.
        places: targets × columns: the place of each target in each column.
        most: Largest number of rows listed for a target; of more, evenly spaced ones are listed.

    Returns:
        Where the rows of each target begin, and the rows.
    """
    steps = len(places) * (len(classes.first) + len(classes.labels))
    counts = compiled_if_worth(_count_rows, steps)(classes, places)
    start = np.append(0, np.cumsum(np.minimum(counts, most)))
    listed: Int = compiled_if_worth(_list_rows, steps + int(counts.sum()))(classes, places, counts, start)
    return start, listed

"""The nearest released rows of points with numbers and categories, where a released number may be an interval."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import SLOW_TO_COMPILE, compiled_if_worth
from icefire.kernels.types import Float, Int, Int32


class MixedRows(NamedTuple):
    """Released rows: an interval per number, a label per category."""

    low: Float
    high: Float
    """rows × numbers, divided by the scale of the column."""
    labels: Int32
    """rows × categories; labels of all categories are numbered through."""
    stretch: Int
    first: Int
    last: Int
    """Label l covers the places from first[s] up to last[s], not included, for s from stretch[l] to stretch[l + 1]."""


class MixedPoints(NamedTuple):
    """Targets: a value per number, NaN if unknown, and a place per category."""

    values: Float
    places: Int32


@njit(nogil=True, cache=True)
def _squared_distance(points, rows, i, r, bound):  # type: ignore[no-untyped-def]
    """Return the distance of a point from a row: to the nearest end of each interval, 1 for each other category."""
    total = 0.0
    for c in range(rows.labels.shape[1]):
        label, covered = rows.labels[r, c], False
        for s in range(rows.stretch[label], rows.stretch[label + 1]):
            covered |= rows.first[s] <= points.places[i, c] < rows.last[s]
        if not covered:
            total += 1.0
            if total > bound:
                return total
    for c in range(rows.low.shape[1]):
        value = points.values[i, c]
        if value < rows.low[r, c]:
            total += (rows.low[r, c] - value) ** 2
        elif value > rows.high[r, c]:
            total += (value - rows.high[r, c]) ** 2
        if total > bound:
            return total
    return total


@njit(nogil=True, cache=True)
def _nearest(points, rows, out, begin, end):  # type: ignore[no-untyped-def]
    """Write the nearest rows of points begin … end - 1, nearest first, of equally near ones the lowest first."""
    wanted = out.shape[1]
    distance = np.empty(wanted)
    for i in range(begin, end):
        distance[:] = np.inf
        for r in range(len(rows.labels)):
            near = _squared_distance(points, rows, i, r, distance[wanted - 1])
            if near >= distance[wanted - 1]:
                continue
            place = wanted - 1
            while place > 0 and distance[place - 1] > near:
                distance[place], out[i, place] = distance[place - 1], out[i, place - 1]
                place -= 1
            distance[place], out[i, place] = near, r


def _nearest_by_numpy(points: MixedPoints, rows: MixedRows, out: Int, begin: int, end: int) -> None:
    """Do what `_nearest` does, by the distances of all pairs."""
    values, places = points.values[begin:end], points.places[begin:end]
    far = np.zeros((end - begin, len(rows.labels)))
    for c in range(places.shape[1]):
        label, covered = rows.labels[:, c], np.zeros(far.shape, np.bool_)
        stretches = rows.stretch[label + 1] - rows.stretch[label]
        for at in range(int(stretches.max(initial=0))):
            some = np.flatnonzero(stretches > at)
            stretch, place = rows.stretch[label[some]] + at, places[:, c, None]
            covered[:, some] |= (rows.first[stretch] <= place) & (place < rows.last[stretch])
        far += ~covered
    for c in range(values.shape[1]):
        value, low, high = values[:, c, None], rows.low[:, c], rows.high[:, c]
        beyond = np.where(value < low, low - value, np.where(value > high, value - high, 0.0))
        far += beyond * beyond
    out[begin:end] = np.argsort(far, axis=1, kind="stable")[:, : out.shape[1]]


def nearest_rows(points: MixedPoints, rows: MixedRows, wanted: int) -> Int:
    """Return the nearest rows of each point.

    Args:
        points: The targets.
        rows: The released rows.
        wanted: Number of rows, at most as many as there are.

    Returns:
        points × wanted rows, the nearest first; of equally near ones the lowest first.
    """
    out = np.zeros((len(points.values), wanted), np.int64)
    calls = [(points, rows, out, *span) for span in threads.spans(len(out), 64)]
    steps = len(out) * len(rows.labels) * (points.values.shape[1] + points.places.shape[1]) // 4
    threads.starmap(compiled_if_worth(_nearest, steps, _nearest_by_numpy, SLOW_TO_COMPILE), calls)
    return out

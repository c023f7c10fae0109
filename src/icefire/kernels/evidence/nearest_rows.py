"""The nearest released rows of points with numbers and categories, where a released number may be an interval."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.inner import njit_inner
from icefire.kernels.common.interpreted import SLOW_TO_COMPILE, compiled_if_worth
from icefire.kernels.types import Float, Int, Int32

PIECE = 1024
"""Released rows that are compared with some points before the next ones: they stay in the cache."""
POINTS = 16
"""Points that are compared with the same rows at a time, at least."""


class MixedRows(NamedTuple):
    """Released rows by column: an interval per number, a label per category."""

    low: Float
    high: Float
    """numbers × rows, divided by the scale of the column."""
    labels: Int32
    """categories × rows; labels of all categories are numbered through."""
    stretch: Int
    first: Int
    last: Int
    """Label l covers the places from first[s] up to last[s], not included, for s from stretch[l] to stretch[l + 1]."""


class MixedPoints(NamedTuple):
    """Targets: a value per number, NaN if unknown, and a place per category."""

    values: Float
    places: Int32


@njit_inner
def _mark_covering(points, rows, i, labels, uncovered):  # type: ignore[no-untyped-def]
    """Write for each label 1 where it does not cover the value of a point, otherwise 0."""
    for label in range(len(rows.stretch) - 1):
        uncovered[label] = 1
    for c in range(rows.labels.shape[0]):
        for label in range(labels[c], labels[c + 1]):
            for s in range(rows.stretch[label], rows.stretch[label + 1]):
                if rows.first[s] <= points.places[i, c] < rows.last[s]:
                    uncovered[label] = 0


@njit_inner
def _add_uncovered(labels, uncovered, far):  # type: ignore[no-untyped-def]
    """Add 1 for each row whose label does not cover the value of a point."""
    for r in range(len(far)):
        far[r] += uncovered[labels[r]]


@njit_inner
def _add_squares(low, high, value, far):  # type: ignore[no-untyped-def]
    """Add the squared distances of a value from the nearest ends of some intervals."""
    for r in range(len(far)):
        below, above = low[r] - value, value - high[r]
        beyond = below if below > above else above
        beyond = beyond if beyond > 0.0 else 0.0
        far[r] += beyond * beyond


@njit(nogil=True, cache=True)
def _nearest(points, rows, labels, out, distance, begin, end):  # type: ignore[no-untyped-def]
    """Write the nearest rows of points begin … end - 1, nearest first, of equally near ones the lowest first.

    `distance` holds infinite numbers, and their squared distances afterwards. The labels of category c are those from
    labels[c] up to labels[c + 1], not included.
    """
    wanted, height = out.shape[1], rows.labels.shape[1]
    piece = np.empty(PIECE)
    uncovered = np.empty((end - begin, len(rows.stretch) - 1), np.uint8)
    for i in range(begin, end):
        _mark_covering(points, rows, i, labels, uncovered[i - begin])
    for start in range(0, height, PIECE):
        stop = min(start + PIECE, height)
        far = piece[: stop - start]
        for i in range(begin, end):
            far[:] = 0.0
            for c in range(rows.labels.shape[0]):
                _add_uncovered(rows.labels[c, start:stop], uncovered[i - begin], far)
            for c in range(rows.low.shape[0]):
                # An unknown value is near.
                if not np.isnan(points.values[i, c]):
                    _add_squares(rows.low[c, start:stop], rows.high[c, start:stop], points.values[i, c], far)
            best = distance[i]
            for r in range(start, stop):
                near = far[r - start]
                if near >= best[wanted - 1]:
                    continue
                place = wanted - 1
                while place > 0 and best[place - 1] > near:
                    best[place], out[i, place] = best[place - 1], out[i, place - 1]
                    place -= 1
                best[place], out[i, place] = near, r


def _nearest_by_numpy(
    points: MixedPoints, rows: MixedRows, _labels: Int, out: Int, distance: Float, begin: int, end: int
) -> None:
    """Do what `_nearest` does, by the distances of all pairs."""
    values, places = points.values[begin:end], points.places[begin:end]
    far = np.zeros((end - begin, rows.labels.shape[1]))
    for c in range(places.shape[1]):
        label, covered = rows.labels[c], np.zeros(far.shape, np.bool_)
        stretches = rows.stretch[label + 1] - rows.stretch[label]
        for at in range(int(stretches.max(initial=0))):
            some = np.flatnonzero(stretches > at)
            stretch, place = rows.stretch[label[some]] + at, places[:, c, None]
            covered[:, some] |= (rows.first[stretch] <= place) & (place < rows.last[stretch])
        far += ~covered
    for c in range(values.shape[1]):
        value, low, high = values[:, c, None], rows.low[c], rows.high[c]
        beyond = np.where(value < low, low - value, np.where(value > high, value - high, 0.0))
        far += beyond * beyond
    out[begin:end] = np.argsort(far, axis=1, kind="stable")[:, : out.shape[1]]
    distance[begin:end] = np.take_along_axis(far, out[begin:end], axis=1)


def nearest_rows(points: MixedPoints, rows: MixedRows, labels: Int, wanted: int) -> tuple[Int, Float]:
    """Return the nearest rows of each point, and how far they are.

    Args:
        points: The targets.
        rows: The released rows.
        labels: The number of each category's first label, and the number of all labels.
        wanted: Number of rows, at most as many as there are.

    Returns:
        points × wanted rows, the nearest first, of equally near ones the lowest first; and their squared distances.
    """
    out = np.zeros((len(points.values), wanted), np.int64)
    distance = np.full(out.shape, np.inf)
    calls = [(points, rows, labels, out, distance, *span) for span in threads.spans(len(out), POINTS)]
    steps = len(out) * rows.labels.shape[1] * (points.values.shape[1] + points.places.shape[1]) // 4
    threads.starmap(compiled_if_worth(_nearest, steps, _nearest_by_numpy, SLOW_TO_COMPILE), calls)
    return out, distance

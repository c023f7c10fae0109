"""The original rows of highest score for every released row, with the weight of all others.

The score of a pair is the sum over columns of a table entry: the log ratio of a released level and an original level.
Columns with few levels are joined: for a released row the sums of all their combinations are made once, so that a pair
needs one look-up for several columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import is_little
from icefire.kernels.types import Float32, Int, Int32

BLOCK = 4096
"""Original rows scored at once: their sums stay in the cache."""
FLOOR = -30.0
"""Weights below exp of this, relative to the best, are nothing."""
STEPS = 64
"""Entries per unit of the table of exponentials."""
JOINED = 1024
"""Combinations of levels that columns may have to be joined. For few original rows, fewer: they are made for each
released row."""
ROOT = NONE = np.int64(0)
"""Of a fixed type: a plain 0 would be a type of its own, and functions would be compiled for it once more."""
LEAST = 0.01
"""Share of the weight of all original rows from which on the weight of those that are not listed counts."""
SMALL = 1 << 17
"""Pairs that are left to numpy."""


class CandidateLists(NamedTuple):
    """For every released row its best original rows, best first, their scores, and the weight of all others."""

    rows: Int32
    """Released × kept; -1 where there are fewer original rows that are worth keeping."""
    scores: Float32
    rest: Float32
    """Log of the sum of exp(score) over all original rows that are not listed."""

    def part(self, some: Int) -> CandidateLists:
        """Return the lists of some released rows."""
        return CandidateLists(self.rows[some], self.scores[some], self.rest[some])


def best_candidates(
    tables: np.ndarray,
    base: Int,
    y_levels: Int32,
    widths: Int,
    x_levels: np.ndarray,
    keep: int,
) -> CandidateLists:
    """Score every released row against every original row and keep the best.

    Args:
        tables: All tables of log ratios, one after the other (float32); entry of column c, released level b and
            original level a: tables[base[c] + b * widths[c] + a].
        base: Where the table of each column starts.
        y_levels: Released rows × columns.
        widths: Number of original levels of each column.
        x_levels: Columns × original rows (uint16).
        keep: How many are kept.

    Returns:
        The best candidates; equal scores by ascending row. Memory: keep × released rows.
    """
    m, n = len(y_levels), x_levels.shape[1]
    if is_little(m * n, SMALL):
        return _by_numpy(tables, base, y_levels, widths, x_levels, min(keep, n))
    kept = min(keep, n)
    rows, scores = np.full((m, kept), -1, np.int32), np.full((m, kept), -np.inf, np.float32)
    rest = np.empty(m, np.float32)
    y_rows = np.ascontiguousarray(y_levels)
    order, ends = _joined_columns(widths, min(JOINED, n // 8))
    joint_levels = _joint_levels(x_levels, widths, order, ends)
    exponentials = np.exp(FLOOR + np.arange(int(-FLOOR * STEPS) + 2) / STEPS)
    calls = [
        (tables, base, y_rows, widths, order, ends, joint_levels, exponentials, rows, scores, rest, a, b)
        for a, b in threads.spans(m, 16, 64)
    ]
    threads.starmap(_best, calls)
    return CandidateLists(rows, scores, rest)


def _by_numpy(
    tables: np.ndarray, base: Int, y_levels: Int32, widths: Int, x_levels: np.ndarray, kept: int
) -> CandidateLists:
    """Do the same for few pairs by numpy: the same rows and scores, and the weight of all others without rounding."""
    n = x_levels.shape[1]
    order, ends = _joined_columns(widths, min(JOINED, n // 8))
    scores = np.zeros((len(y_levels), n), np.float32)
    for columns in np.split(order, ends[:-1]):
        part = np.zeros_like(scores)
        for c in columns.tolist():
            part += tables[(base[c] + y_levels[:, c].astype(np.int64) * widths[c])[:, None] + x_levels[c]]
        scores += part
    best = np.argsort(-scores, axis=1, kind="stable")
    rows, sorted_scores = best[:, :kept].astype(np.int32), np.take_along_axis(scores, best, axis=1)
    weights = np.exp((sorted_scores - sorted_scores[:, :1]).astype(float))
    weights[weights <= np.exp(FLOOR)] = 0.0
    others, mass = weights[:, kept:].sum(axis=1), weights.sum(axis=1)
    some = others > LEAST * mass
    rest = np.full(len(rows), -np.inf, np.float32)
    rest[some] = sorted_scores[some, 0] + np.log(others[some])
    return CandidateLists(rows, sorted_scores[:, :kept].copy(), rest)


def _joined_columns(widths: Int, most: int) -> tuple[Int, Int]:
    """Return the columns in the order in which they are joined, and where each group of them ends."""
    order = np.argsort(widths, kind="stable")
    ends, combinations = list[int](), 1
    for place, width in enumerate(widths[order].tolist()):
        if place and combinations * width > most:
            ends.append(place)
            combinations = 1
        combinations *= width
    return order, np.array([*ends, len(order)] if len(order) else [], np.int64)


def _joint_levels(x_levels: np.ndarray, widths: Int, order: Int, ends: Int) -> np.ndarray:
    """Return for every group of columns and original row the place of its levels among all combinations (uint16)."""
    joint = np.empty((len(ends), x_levels.shape[1]), np.uint16)
    first = 0
    for group, end in enumerate(ends.tolist()):
        joint[group] = x_levels[order[first]]
        for column in order[first + 1 : end].tolist():
            joint[group] = joint[group] * np.uint16(widths[column]) + x_levels[column]
        first = end
    return joint


@njit(nogil=True, cache=True, fastmath={"contract"})
def _best(  # type: ignore[no-untyped-def]
    tables, base, y_levels, widths, order, ends, x_levels, exponentials, rows, scores, rest, start, stop
):
    groups, n = x_levels.shape
    kept = rows.shape[1]
    sums = np.empty(BLOCK, np.float32)
    heap_score, heap_row = np.empty(kept), np.empty(kept, np.int64)
    starts, combined = _space_of_groups(widths, order, ends)
    by_four, no_score = groups - groups % 4, np.float32(0.0)
    for j in range(start, stop):
        size = NONE
        top, mass, low = -1e30, 0.0, -np.inf
        _combine(tables, base, y_levels[j], widths, order, ends, starts, combined)
        for first in range(0, n, BLOCK):
            last = min(n, first + BLOCK)
            # Four groups at a time: sums are read and written once for them.
            for g in range(0, by_four, 4):
                p, q = combined[starts[g] :], combined[starts[g + 1] :]
                r, s = combined[starts[g + 2] :], combined[starts[g + 3] :]
                for i in range(first, last):
                    score = sums[i - first] if g else no_score
                    score = score + p[x_levels[g, i]] + q[x_levels[g + 1, i]]
                    sums[i - first] = score + r[x_levels[g + 2, i]] + s[x_levels[g + 3, i]]
            for g in range(by_four, groups):
                p = combined[starts[g] :]
                for i in range(first, last):
                    sums[i - first] = (sums[i - first] if g else no_score) + p[x_levels[g, i]]
            for i in range(first, last):
                score = sums[i - first]
                if score <= low:
                    continue
                if score > top:
                    mass = mass * np.exp(max(top - score, -700.0)) + 1.0
                    top = score
                elif score > top + FLOOR:
                    mass += exponentials[int((score - top - FLOOR) * STEPS + 0.5)]
                if size < kept:
                    heap_score[size], heap_row[size] = score, i
                    size += 1
                    if size == kept:
                        for at in range(kept // 2 - 1, -1, -1):
                            sink(heap_score, heap_row, at, kept)
                elif score > heap_score[0]:
                    heap_score[0], heap_row[0] = score, i
                    sink(heap_score, heap_row, ROOT, kept)
                if size == kept:
                    # Lower scores are neither kept nor worth adding.
                    low = min(heap_score[0], top + FLOOR)
        sorted_out(heap_score, heap_row, size, rows[j], scores[j])
        listed = 0.0
        for at in range(size):
            listed += np.exp(max(scores[j, at] - top, -700.0))
        # The table of exponentials is a little coarse: differences below its precision are nothing.
        others = mass - listed
        rest[j] = top + np.log(others) if others > LEAST * mass and n > kept else -np.inf


@njit(nogil=True, cache=True)
def _space_of_groups(widths, order, ends):  # type: ignore[no-untyped-def]
    """Return where the combinations of each group start, and room for all of them."""
    starts = np.zeros(len(ends) + 1, np.int64)
    first = 0
    for g in range(len(ends)):
        size = 1
        for place in range(first, ends[g]):
            size *= widths[order[place]]
        starts[g + 1] = starts[g] + size
        first = ends[g]
    return starts, np.empty(starts[-1], np.float32)


@njit(nogil=True, cache=True)
def _combine(tables, base, y_row, widths, order, ends, starts, combined):  # type: ignore[no-untyped-def]
    """Write the sums of all combinations of levels of each group, for one released row."""
    first = 0
    for g in range(len(ends)):
        sums, size = combined[starts[g] : starts[g + 1]], 1
        sums[0] = 0.0
        for place in range(first, ends[g]):
            c = order[place]
            width = widths[c]
            offset = base[c] + y_row[c] * width
            for level in range(size - 1, -1, -1):
                before = sums[level]
                for a in range(width - 1, -1, -1):
                    sums[level * width + a] = before + tables[offset + a]
            size *= width
        first = ends[g]


@njit(nogil=True, cache=True)
def sink(score, row, at, size):  # type: ignore[no-untyped-def]
    """Restore the order of a heap whose worst entry is first; among equal scores the larger row is worse."""
    while True:
        worst = at
        for child in (2 * at + 1, 2 * at + 2):
            if child < size and (
                score[child] < score[worst] or (score[child] == score[worst] and row[child] > row[worst])
            ):
                worst = child
        if worst == at:
            return
        score[at], score[worst] = score[worst], score[at]
        row[at], row[worst] = row[worst], row[at]
        at = worst


@njit(nogil=True, cache=True)
def sorted_out(heap_score, heap_row, size, rows, scores):  # type: ignore[no-untyped-def]
    """Write the entries of a heap, best first; of equal scores the lower row is first. The heap is used up."""
    for at in range(size // 2 - 1, -1, -1):
        sink(heap_score, heap_row, at, size)
    for last in range(size - 1, -1, -1):
        rows[last], scores[last] = heap_row[0], heap_score[0]
        heap_score[0], heap_row[0] = heap_score[last], heap_row[last]
        sink(heap_score, heap_row, ROOT, last)

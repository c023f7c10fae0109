"""The original rows of highest score for every released row, with the weight of all others.

The score of a pair is the sum over columns of a table entry: the log ratio of a released level and an original level.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.types import Float32, Int, Int32

BLOCK = 4096
"""Original rows scored at once: their sums stay in the cache."""
FLOOR = -30.0
"""Weights below exp of this, relative to the best, are nothing."""
STEPS = 64
"""Entries per unit of the table of exponentials."""


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
    kept = min(keep, n)
    rows, scores = np.full((m, kept), -1, np.int32), np.full((m, kept), -np.inf, np.float32)
    rest = np.empty(m, np.float32)
    exponentials = np.exp(FLOOR + np.arange(int(-FLOOR * STEPS) + 2) / STEPS)
    calls = [
        (tables, base, y_levels, widths, x_levels, exponentials, rows, scores, rest, a, b)
        for a, b in threads.spans(m, 16, 64)
    ]
    threads.starmap(_best, calls)
    return CandidateLists(rows, scores, rest)


@njit(nogil=True, cache=True, fastmath={"contract"})
def _best(tables, base, y_levels, widths, x_levels, exponentials, rows, scores, rest, start, stop):  # type: ignore[no-untyped-def]
    columns, n = x_levels.shape
    kept = rows.shape[1]
    sums = np.empty(BLOCK, np.float32)
    heap_score, heap_row = np.empty(kept), np.empty(kept, np.int64)
    for j in range(start, stop):
        size = 0
        top, mass = -1e30, 0.0
        for first in range(0, n, BLOCK):
            last = min(n, first + BLOCK)
            sums[:] = 0.0
            for c in range(columns):
                offset = base[c] + y_levels[j, c] * widths[c]
                part = tables[offset : offset + widths[c]]
                levels = x_levels[c]
                for i in range(first, last):
                    sums[i - first] += part[levels[i]]
            for i in range(first, last):
                score = sums[i - first]
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
                    sink(heap_score, heap_row, 0, kept)
        sorted_out(heap_score, heap_row, size, rows[j], scores[j])
        listed = 0.0
        for at in range(size):
            listed += np.exp(max(scores[j, at] - top, -700.0))
        # The table of exponentials is a little coarse: differences below its precision are nothing.
        others = mass - listed
        rest[j] = top + np.log(others) if others > 0.01 * mass and n > kept else -np.inf


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
    """Write the entries of a heap, best first; of equal scores the lower row is first."""
    by_row = np.argsort(heap_row[:size])
    order = by_row[np.argsort(-heap_score[:size][by_row], kind="mergesort")]
    for at in range(size):
        rows[at], scores[at] = heap_row[order[at]], heap_score[order[at]]

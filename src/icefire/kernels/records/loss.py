"""Records of numbers and categories, packed so that the loss between two rows (iloss) costs a few instructions.

The loss of two rows is the maximum of the differences of their numbers and of the number of categories in which they
differ. The categories of a row are packed into 64-bit words, each in a lane just wide enough for its codes: one
exclusive-or and one addition mark every lane that differs, and counting bits counts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from icefire.kernels.common import threads
from icefire.kernels.types import Float, Int, UInt64

TOLERANCE = 5e-10
"""Losses are compared as if rounded to nine digits: 27.8 - 23.8 is 4."""
APART = 1e6
"""A missing number is placed so many ranges above all others: equal to another missing one, far from the rest."""
BITS = 64


class Records(NamedTuple):
    """Rows to compare; those of two tables that were encoded together have the same lanes."""

    numbers: Float
    words: UInt64
    tops: UInt64
    """Per word, the highest bit of every lane."""
    flags: UInt64
    """Of these, the lanes that count once, not twice, in a squared Euclidean distance of one-hot columns."""

    def take(self, rows: Int) -> Records:
        """Return the rows named, in that order."""
        return Records(self.numbers[rows], self.words[rows], self.tops, self.flags)


def encode_records(tables: Sequence[tuple[Float, Int]], flags: Sequence[bool] | None = None) -> list[Records]:
    """Encode tables together, each given as numbers (missing: NaN) and codes of categories (missing: -1).

    `flags` tell which categories are numbers 0 and 1, which one-hot encoding leaves as they are.
    """
    numbers = _filled(np.concatenate([np.asarray(table[0], np.float64) for table in tables]))
    codes = np.concatenate([np.asarray(table[1], np.int64) for table in tables]) + 1
    words, tops, once = _packed(codes, [False] * codes.shape[1] if flags is None else flags)
    ends = np.cumsum([len(table[0]) for table in tables])
    return [
        Records(numbers[end - len(table[0]) : end], words[end - len(table[0]) : end], tops, once)
        for table, end in zip(tables, ends.tolist(), strict=True)
    ]


def _filled(numbers: Float) -> Float:
    """Replace missing (and infinite) numbers by one far above all others."""
    gaps = ~np.isfinite(numbers)
    for column in np.flatnonzero(gaps.any(axis=0)):
        present = numbers[~gaps[:, column], column]
        low, high = (present.min(), present.max()) if len(present) else (0.0, 0.0)
        numbers[gaps[:, column], column] = high + APART * (1 + high - low)
    return numbers


def _packed(codes: Int, flags: Sequence[bool]) -> tuple[UInt64, UInt64, UInt64]:
    """Pack columns of codes into words; the next word begins where a lane would not fit."""
    lanes: list[list[Any]] = [[np.zeros(len(codes), np.uint64), 0, 0]]
    used = 0
    for column, flagged in enumerate(flags):
        width = max(1, int(codes[:, column].max(initial=0)).bit_length())
        if used + width > BITS:
            lanes.append([np.zeros(len(codes), np.uint64), 0, 0])
            used = 0
        lanes[-1][0] |= codes[:, column].astype(np.uint64) << np.uint64(used)
        used += width
        lanes[-1][1] |= 1 << (used - 1)
        lanes[-1][2] |= flagged << (used - 1)
    tops, once = (np.array([word[place] for word in lanes], np.uint64) for place in (1, 2))
    return np.ascontiguousarray(np.stack([word[0] for word in lanes], axis=1)), tops, once


def _popcount(context, word):  # type: ignore[no-untyped-def]
    """Count the bits of a word that are set: one instruction of the processor."""

    def code(_, builder, signature, given):  # type: ignore[no-untyped-def]
        return builder.ctpop(given[0])

    return types.uint64(types.uint64), code


popcount: Any = intrinsic(_popcount)


@njit(nogil=True, cache=True)
def differing_lanes(a, b, tops) -> Any:  # type: ignore[no-untyped-def]
    """Return a word with the highest bit set of every lane in which two words differ."""
    differing = a ^ b
    # A lane below its highest bit, plus all ones there, carries into that bit unless it is zero; never beyond.
    return (((differing & ~tops) + ~tops) | differing) & tops


@njit(nogil=True, cache=True)
def differing_categories(words_x, i, words_y, j, tops) -> Any:  # type: ignore[no-untyped-def]
    """Return the number of categories in which row i of x differs from row j of y.

    Args:
        words_x: rows × words: packed categories of x.
        i: Row of x.
        words_y: rows × words: packed categories of y.
        j: Row of y.
        tops: Per word, the highest bit of every lane.
    """
    count = popcount(differing_lanes(words_x[i, 0], words_y[j, 0], tops[0]))
    for w in range(1, tops.size):
        count += popcount(differing_lanes(words_x[i, w], words_y[j, w], tops[w]))
    return np.int64(count)


@njit(nogil=True, cache=True)
def row_loss(numbers_x, words_x, i, numbers_y, words_y, j, tops) -> Any:  # type: ignore[no-untyped-def]
    """Return the loss between row i of x and row j of y.

    Args:
        numbers_x: rows × numbers of x.
        words_x: rows × words: packed categories of x.
        i: Row of x.
        numbers_y: rows × numbers of y.
        words_y: rows × words: packed categories of y.
        j: Row of y.
        tops: Per word, the highest bit of every lane.
    """
    largest = float(differing_categories(words_x, i, words_y, j, tops))
    for c in range(numbers_x.shape[1]):
        largest = max(largest, abs(numbers_x[i, c] - numbers_y[j, c]))
    return largest


@njit(nogil=True, cache=True)
def row_squared_distance(numbers_x, words_x, i, numbers_y, words_y, j, tops, flags) -> Any:  # type: ignore[no-untyped-def]
    """Return the squared Euclidean distance of two rows with one-hot categories: numbers in order, then categories.

    Args:
        numbers_x: rows × numbers of x.
        words_x: rows × words: packed categories of x.
        i: Row of x.
        numbers_y: rows × numbers of y.
        words_y: rows × words: packed categories of y.
        j: Row of y.
        tops: Per word, the highest bit of every lane.
        flags: Of these, the lanes that count once, not twice.
    """
    total = 0.0
    for c in range(numbers_x.shape[1]):
        gap = numbers_x[i, c] - numbers_y[j, c]
        total += gap * gap
    for w in range(tops.size):
        differing = differing_lanes(words_x[i, w], words_y[j, w], tops[w])
        total += 2.0 * popcount(differing) - popcount(differing & flags[w])
    return total


def losses(x: Records, rows: Int, y: Records) -> Float:
    """Return the loss between row rows[j] of x and row j of y, for every j, rounded to nine digits."""
    lost = np.empty(len(rows))
    common = (x.numbers, x.words, rows, y.numbers, y.words, x.tops, lost)
    threads.starmap(_losses, [(*common, *span) for span in threads.spans(len(rows), 1 << 14)])
    return lost.round(9)


@njit(nogil=True, cache=True)
def _losses(numbers_x, words_x, rows, numbers_y, words_y, tops, lost, first, last):  # type: ignore[no-untyped-def]
    """Write the losses of rows first … last - 1."""
    for j in range(first, last):
        lost[j] = row_loss(numbers_x, words_x, rows[j], numbers_y, words_y, j, tops)

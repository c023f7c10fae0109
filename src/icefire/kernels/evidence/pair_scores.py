"""Scores of pairs of released and original rows, added up column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from icefire.kernels.common import threads
from icefire.kernels.common.interpreted import compiled_if_worth
from icefire.kernels.types import Float, Int


@njit(nogil=True, cache=True)
def _add_from_table(scores, table, shown, known, first, last):  # type: ignore[no-untyped-def]
    """Add for rows first … last - 1 the entry of the released level and of every original one."""
    for i in range(first, last):
        line = table[shown[i]]
        for j in range(scores.shape[1]):
            scores[i, j] += line[known[j]]


def _add_from_table_by_numpy(scores: Float, table: Float, shown: Int, known: Int, first: int, last: int) -> None:
    """Do what `_add_from_table` does."""
    scores[first:last] += table[shown[first:last]][:, known]


@njit(nogil=True, cache=True)
def _add_for_equal(scores, shown, known, equal, unequal, missing, first, last):  # type: ignore[no-untyped-def]
    """Add for rows first … last - 1 one of two scores, by whether the numbers are equal; nothing for a missing one."""
    for i in range(first, last):
        if shown[i] == missing:
            continue
        for j in range(scores.shape[1]):
            # Without a branch, so that several are compared at once.
            scores[i, j] += 0.0 if known[j] == missing else (equal if known[j] == shown[i] else unequal)


def _add_for_equal_by_numpy(
    scores: Float, shown: Int, known: Int, equal: float, unequal: float, missing: int, first: int, last: int
) -> None:
    """Do what `_add_for_equal` does."""
    some = shown[first:last, None]
    ratios = np.where(some == known, equal, unequal)
    scores[first:last] += np.where((some == missing) | (known == missing), 0.0, ratios)


def add_from_table(
    scores: Float, table: Float, shown: NDArray[np.integer[Any]], known: NDArray[np.integer[Any]]
) -> None:
    """Add the entry of a table for every pair of a released level and an original one.

    Args:
        scores: Released × original rows.
        table: Released × original levels.
        shown: The level of each released row.
        known: The level of each original row.
    """
    add = compiled_if_worth(_add_from_table, scores.size, _add_from_table_by_numpy)
    levels = (np.ascontiguousarray(table, np.float64), _numbers(shown), _numbers(known))
    threads.starmap(add, [(scores, *levels, *span) for span in threads.spans(len(scores), 1)])


def add_for_equal(scores: Float, shown: Int, known: Int, ratios: tuple[float, float], missing: int) -> None:
    """Add one number where the numbers of a released and of an original row are equal, and another where they are not.

    Args:
        scores: Released × original rows.
        shown: The number of each released row.
        known: The number of each original row.
        ratios: What is added for equal numbers, and for unequal ones.
        missing: The number of a missing value, for which nothing is added.
    """
    add = compiled_if_worth(_add_for_equal, scores.size, _add_for_equal_by_numpy)
    given = (_numbers(shown), _numbers(known), float(ratios[0]), float(ratios[1]), missing)
    threads.starmap(add, [(scores, *given, *span) for span in threads.spans(len(scores), 1)])


def _numbers(values: NDArray[np.integer[Any]]) -> Int:
    return np.ascontiguousarray(values, np.int64)

"""A list of the largest values, sorted and of bounded length, filled one by one."""

from __future__ import annotations

from typing import Any

from numba import njit


@njit(nogil=True, cache=True)
def insert_if_better(values, numbers, count, value, number) -> Any:  # type: ignore[no-untyped-def]
    """Insert a number into the list of the largest values so far; the last falls out of a full list.

    The largest value comes first, ties by the lowest number.

    Args:
        values: Values in the list; the length of the array is the most it may hold.
        numbers: Their numbers.
        count: How many there are.
        value: Value to insert.
        number: Its number.

    Returns:
        The new count.
    """
    at = count if count < len(values) else count - 1
    if count == len(values) and not _before(value, number, values[at], numbers[at]):
        return count
    while at > 0 and _before(value, number, values[at - 1], numbers[at - 1]):
        values[at], numbers[at] = values[at - 1], numbers[at - 1]
        at -= 1
    values[at], numbers[at] = value, number
    return min(count + 1, len(values))


@njit(nogil=True, cache=True)
def _before(value, number, other, other_number) -> Any:  # type: ignore[no-untyped-def]
    """Tell whether an entry comes before another."""
    return value > other or (value == other and number < other_number)

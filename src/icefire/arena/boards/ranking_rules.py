"""Normalising, ranking and placing values: lower is better, and None is worse than any value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

DIGITS = 9
"""Values that differ by less are equal: the same table in another order gives another last digit, and stretching that
to 0 and 1 would make a ranking out of it."""


def settled(value: float | None) -> float | None:
    """Return a value without its meaningless digits."""
    return None if value is None else round(value, DIGITS)


def normalised(values: Sequence[float | None]) -> list[float]:
    """Stretch values to 0 (best) .. 1 (worst); where all are the same all are best, and what has no value is worst."""
    known = [settled(value) for value in values]
    there = [value for value in known if value is not None]
    low, span = (min(there), max(there) - min(there)) if there else (0.0, 0.0)
    return [1.0 if value is None else (value - low) / span if span else 0.0 for value in known]


def mean_ranks(values: Sequence[float | None]) -> list[float]:
    """Rank values from 1; equal ones share the mean of their ranks, and what has no value comes last."""
    ranks, taken = [0.0] * len(values), 0
    for _, tied in groupby(
        sorted(range(len(values)), key=lambda at: _order(values[at])), lambda at: _order(values[at])
    ):
        same = list(tied)
        for at in same:
            ranks[at] = taken + (len(same) + 1) / 2
        taken += len(same)
    return ranks


def places(scores: Sequence[float]) -> list[int]:
    """Give out places from 1; equal scores share the best of theirs, and the next ones are left out."""
    known = [round(score, DIGITS) for score in scores]
    return [1 + sum(other < score for other in known) for score in known]


def _order(value: float | None) -> tuple[bool, float]:
    known = settled(value)
    return known is None, known or 0.0


RULES: Mapping[str, Callable[[Sequence[float | None]], list[float]]] = {
    "normalised": normalised,
    "rank_sum": mean_ranks,
}
"""How one criterion of the ice ranking is made comparable with the others, before they are added up."""

"""Known points by enumeration, as the definitions say it: every set of k points of a person, every other person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from statistics import fmean
from typing import Any

Row = tuple[str, int]
"""Item and hour."""
People = dict[str, list[Row]]

WEEK_OF_FIRST_DAY = 3
"""Day 0 is a Thursday."""


def slow_risks(people: People, kind: str, k: int, setting: Any = 0) -> tuple[list[Fraction], list[float]]:
    """The worst and the mean risk of every person over all sets of k points."""
    worst, mean = [], []
    for rows in people.values():
        points = points_of(rows, kind, setting)
        sizes = [
            sum(fits(known, rows, other, kind, setting) for other in people.values())
            for known in combinations(points, min(k, len(points)))
        ]
        worst.append(Fraction(1, min(sizes)))
        mean.append(fmean(1 / size for size in sizes))
    return worst, mean


def points_of(rows: Sequence[Row], kind: str, setting: Any) -> list[Any]:
    """What may be known: distinct items, or rows in the order of time."""
    ordered = sorted(rows, key=lambda row: row[1])
    if kind in ("items", "frequency", "share", "ratio"):
        return sorted({item for item, _ in rows})
    if kind == "time":
        return [(item, CUTS[setting](hour)) for item, hour in ordered]
    return [top_two(rows)] if kind == "top2" else [item for item, _ in ordered]


def fits(known: Sequence[Any], own: Sequence[Row], other: Sequence[Row], kind: str, setting: Any) -> bool:
    """Tell whether somebody's history contains what is known."""
    mine, theirs = Counter(item for item, _ in own), Counter(item for item, _ in other)
    if kind == "counts":
        return Counter(known) <= theirs
    if kind == "order":
        rest = iter(item for item, _ in sorted(other, key=lambda row: row[1]))
        return all(item in rest for item in known)
    if kind == "time":
        return Counter(known) <= Counter((item, CUTS[setting](hour)) for item, hour in other)
    if kind == "top2":
        return known[0] == top_two(other)
    if kind == "items":
        return set(known) <= set(theirs)
    tolerance = Fraction(str(setting))
    whole: dict[str, Callable[[Counter[str]], int]] = {
        "frequency": lambda counts: 1,
        "share": lambda counts: counts.total(),
        "ratio": lambda counts: max(counts.values()),
    }
    for item in known:
        value = Fraction(mine[item], whole[kind](mine))
        if not theirs[item] or abs(Fraction(theirs[item], whole[kind](theirs)) - value) > tolerance * value:
            return False
    return True


def top_two(rows: Sequence[Row]) -> frozenset[str]:
    """The two most frequent items; among equals the first by name."""
    counts = Counter(item for item, _ in rows)
    return frozenset(sorted(counts, key=lambda item: (-counts[item], item))[:2])


CUTS: dict[str, Callable[[int], Any]] = {
    "hour": lambda hour: hour,
    "day": lambda hour: hour // 24,
    "week": lambda hour: (hour // 24 + WEEK_OF_FIRST_DAY) // 7,
    "month": lambda hour: hour // (24 * 31),
}
"""The months are those of January 1970 only; hours beyond are not used with them."""

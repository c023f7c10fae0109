"""Pseudonyms computed from numbers of persons as (a * number + b) modulo m, which a few known pairs undo.

For three persons, (y2 - y1)(x3 - x1) - (y3 - y1)(x2 - x1) is a multiple of m, whatever a and b are. The greatest common
divisor of such numbers is therefore at least m; for pseudonyms dealt at random it is 1 or little more.
"""

from __future__ import annotations

from math import gcd

import polars as pl

from icefire.core import align
from icefire.kernels.types import Int

ASKED = 2000
"""Persons who are looked at, at most."""
TOGETHER = 8
"""Persons by whom a modulus is sought."""
TRIES = 20
"""How often it is sought, with other persons each time: some pseudonyms may have been made otherwise."""
FEWEST = 20
"""Fewer pseudonyms may fit by accident."""


def followed_by_modulus(known: pl.Series, released: pl.Series, rows: Int) -> tuple[int, int]:
    """Return how many persons have a linear function of their number, modulo a number, as pseudonym; and of how many.

    Numbers are the digits of an identifier, such as 1234 in P01234.

    Args:
        known: The column of the original.
        released: The column of the release.
        rows: Original row of each released row.
    """
    pairs = _pairs(known, released, rows)
    if len(pairs) < FEWEST:
        return 0, len(pairs)
    starts = range(0, len(pairs) - TOGETHER + 1, max(1, len(pairs) // TRIES))
    return max(_following(pairs, pairs[start : start + TOGETHER]) for start in starts), len(pairs)


def _pairs(known: pl.Series, released: pl.Series, rows: Int) -> list[tuple[int, int]]:
    """Return numbers and pseudonyms of persons in an order that has nothing to do with them, without common factors."""
    both = pl.DataFrame({"x": _digits(known).gather(rows), "y": _digits(released)}).drop_nulls()
    both = both.unique("x", keep="first", maintain_order=True).unique("y", keep="first", maintain_order=True)
    both = both.sample(min(len(both), ASKED), shuffle=True, seed=0)
    sides = [_without_factor([int(value) for value in both[side].to_list()]) for side in ("x", "y")]
    return list(zip(*sides, strict=True))


def _digits(values: pl.Series) -> pl.Series:
    digits = align.as_text(values).str.replace_all(r"\D", "")
    return digits.set(digits == "", None)


def _without_factor(values: list[int]) -> list[int]:
    """Count from the smallest, in steps of what all differences have in common."""
    lowest = min(values, default=0)
    step = gcd(*(value - lowest for value in values)) or 1
    return [(value - lowest) // step for value in values]


def _following(pairs: list[tuple[int, int]], group: list[tuple[int, int]]) -> int:
    """Return how many persons follow the rule by which a few do; 0 if these follow none, or one without modulus."""
    largest = max(y for _, y in pairs)
    (x0, y0), (x1, y1) = group[:2]

    def multiple(x: int, y: int) -> int:
        return (y1 - y0) * (x - x0) - (y - y0) * (x1 - x0)

    modulus = gcd(*(multiple(x, y) for x, y in group[2:]))
    if 0 < modulus <= largest:
        return 0
    followers = 0
    for x, y in pairs:
        # A few persons may give a multiple of the modulus; others then show a smaller one.
        narrower = gcd(modulus, multiple(x, y))
        if narrower > largest:
            modulus, followers = narrower, followers + 1
    return followers

"""Rounding of scores that are shown before the reveal, so that no measure is an oracle.

Whoever knows the original and a release can compute what a measure would be for any guessed correspondence. Shown to
the last digit, one such measure picks the right one out of a million; rounded, thousands fit it. The number of digits
is a rule of the contest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from icefire.arena.boards.facts import AttackFacts


@dataclass(frozen=True, slots=True)
class ScoreRounding:
    """How scores are rounded for one actor."""

    digits: int | None
    """Significant digits of measures and decimals of shares; None: nothing is rounded."""

    def measure(self, value: float | None) -> float | None:
        """Return a measure as it is shown."""
        if value is None or self.digits is None or value == 0 or not math.isfinite(value):
            return value
        return float(f"{value:.{self.digits - 1}e}")

    def attack(self, one: AttackFacts) -> AttackFacts:
        """Return what an attack achieved as it is shown; the number of hits follows from the rounded share."""
        if self.digits is None:
            return one
        rate = round(one.rate, self.digits)
        return replace(one, rate=rate, hits=round(rate * one.targets))

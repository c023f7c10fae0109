"""Axes: where a value lies between 0 and 1, and which values are worth a tick."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from icefire import figures

How = Literal["number", "percent", "count"]
STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, slots=True)
class Scale:
    """One axis from low to high."""

    low: float
    high: float
    ticks: tuple[float, ...]
    how: How = "number"
    log: bool = False

    def at(self, value: float) -> float:
        """Return the place of a value: 0 at the low end, 1 at the high one."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def write(self, value: float) -> str:
        """Write a tick."""
        if self.how == "percent":
            return f"{100 * value:g} %"
        return figures.number(value, 4) if value >= 0 else f"−{figures.number(-value, 4)}"


PERCENT = Scale(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), "percent")


def linear(values: Iterable[float], how: How = "number", zero: bool = True, most: int = 5) -> Scale:
    """Return an axis around values with round ends and at most this many steps, from zero if asked for."""
    found = [*values, *([0.0] if zero else [])]
    low, high = min(found), max(found)
    if low == high:
        high = low + (abs(low) or 1.0)
    step = _step((high - low) / most)
    if how == "count":
        step = max(1.0, step)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(step * n for n in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks, how)


def _step(least: float) -> float:
    """The smallest round number that is not smaller."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * step for step in STEPS if power * step >= least * (1 - 1e-9))


def growing(values: Iterable[float]) -> Scale:
    """Return an axis for values from 1 on whose steps double or more: 1, 2, 5, 10, …"""
    high = max(2.0, *values)
    ticks = [1.0]
    while ticks[-1] < high:
        ticks.append(ticks[-1] * (2.5 if f"{ticks[-1]:g}"[0] == "2" else 2))
    return Scale(1.0, ticks[-1], tuple(ticks), log=True)


def standardised(values: list[float]) -> list[float] | None:
    """Return values with mean 0 and variance 1; None where they are all the same."""
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    if spread <= 1e-12 * max(1.0, abs(mean)):
        return None
    return [(value - mean) / spread for value in values]

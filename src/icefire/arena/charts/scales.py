"""Axes: the place of a value between 0 and 1, and the values that get a tick."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from icefire.core import formatting

NumberStyle = Literal["number", "percent", "count"]
STEPS, WHOLE = (1, 2, 2.5, 5, 10), (1, 2, 5, 10)
SKEWED = 8
"""How many times the median the largest value may be on an axis with even steps."""
SPREAD = 3
"""How much of an axis with growing steps the smaller half of the values gets."""
APART = 0.1
"""How far ticks stand from each other, at least."""


@dataclass(frozen=True, slots=True)
class AxisScale:
    """One axis from low to high."""

    low: float
    high: float
    ticks: tuple[float, ...]
    how: NumberStyle = "number"
    bend: float | None = None
    """Where steps begin to grow, above zero; None where they are even."""

    @property
    def steps(self) -> Literal["even", "growing"]:
        """Whether equal differences are equally far apart, or less and less far."""
        return "even" if self.bend is None else "growing"

    def at(self, value: float) -> float:
        """Return the place of a value: 0 at the low end, 1 at the high one."""
        if self.bend is None:
            return (value - self.low) / (self.high - self.low)
        return math.log1p((value - self.low) / self.bend) / math.log1p((self.high - self.low) / self.bend)

    def write(self, value: float) -> str:
        """Write a tick."""
        if self.how == "percent":
            return f"{100 * value:g} %"
        return formatting.number(value, 4) if value >= 0 else f"−{formatting.number(-value, 4)}"


PERCENT = AxisScale(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), "percent")


def linear(values: Iterable[float], how: NumberStyle = "number", zero: bool = True, most: int = 5) -> AxisScale:
    """Return an axis around values with round ends and at most this many steps, from zero if asked for."""
    numbers = [*values, *([0.0] if zero else [])]
    low, high = min(numbers), max(numbers)
    if low == high:
        high = low + (abs(low) or 1.0)
    step = max(1.0, _step((high - low) / most, WHOLE)) if how == "count" else _step((high - low) / most, STEPS)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(step * n for n in range(first, last + 1))
    return AxisScale(ticks[0], ticks[-1], ticks, how)


def _step(least: float, steps: tuple[float, ...]) -> float:
    """The smallest round number that is not smaller."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * step for step in steps if power * step >= least * (1 - 1e-9))


def growing(values: Iterable[float], low: float = 0.0) -> AxisScale:
    """Return an axis from low on whose steps grow, so that small values stay apart though a few are very large."""
    numbers = [max(low, value) for value in values]
    above = sorted(value - low for value in numbers if value > low) or [1.0]
    bend = above[len(above) // 2] / SPREAD
    scale = AxisScale(low, _round_above(max(low + bend, *numbers)), (), bend=bend)
    ticks = [low]
    for tick in _ladder(low + bend / 10, scale.high):
        if scale.at(tick) - scale.at(ticks[-1]) >= APART and (tick == scale.high or 1 - scale.at(tick) >= APART):
            ticks.append(tick)
    return replace(scale, ticks=tuple(ticks))


def fitting(values: Iterable[float]) -> AxisScale:
    """Return an even axis from zero, or one with growing steps where it would press most values into a corner."""
    numbers = list(values)
    above = sorted(value for value in numbers if value > 0)
    if above and above[-1] > SKEWED * above[len(above) // 2]:
        return growing(numbers)
    return linear(numbers)


def _ladder(least: float, most: float) -> list[float]:
    """All of 1, 2, 5, 10, 20, … between two values, both ends included if they are round."""
    powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    steps = (float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5))
    return [step for step in steps if least <= step <= most]


def _round_above(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, … that is not smaller."""
    return next(step for step in _ladder(value / 10, value * 10) if step >= value * (1 - 1e-9))


def standardised(values: list[float]) -> list[float] | None:
    """Return values with mean 0 and variance 1; None where they are all the same."""
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    if spread <= 1e-12 * max(1.0, abs(mean)):
        return None
    return [(value - mean) / spread for value in values]

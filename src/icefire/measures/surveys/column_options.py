"""Options with numbers for each column, written "age: 19 44 64 80; bmi: 15 25 30 70"."""

from __future__ import annotations

import math
from itertools import pairwise

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError

Listed = dict[str, tuple[float, ...]]


def read(text: str | None, data: Dataset, what: str) -> Listed:
    """Read the numbers of every column named; `what` is the option in errors."""
    numbers_of = {}
    for part in (text or "").split(";"):
        if part.strip():
            name, _, figures = part.rpartition(":")
            numbers_of[name.strip()] = _numbers(figures, part, what)
    data.check_numeric([*data.schema.pick(tuple(numbers_of), (), what)])
    return numbers_of


def _numbers(figures: str, part: str, what: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(figure) for figure in figures.split())
    except ValueError:
        numbers = ()
    if not numbers or any(math.isnan(number) for number in numbers):
        raise ParameterError(f"{what}: {part.strip()!r} cannot be read; write column: number number; column: number …")
    return numbers


def edges(text: str | None, data: Dataset) -> Listed:
    """Read the edges of the bins of some columns, at least two each and ascending."""
    edges_of = read(text, data, "bins")
    for name, numbers in edges_of.items():
        if len(numbers) < 2 or any(low >= high for low, high in pairwise(numbers)):
            raise ParameterError(f"bins: the edges of {name!r} must be at least two, each above the one before")
    return edges_of


def units(text: str | None, data: Dataset) -> dict[str, float]:
    """Read the unit that some columns are rounded to, one each and positive."""
    units_of = read(text, data, "rounding")
    for name, numbers in units_of.items():
        if len(numbers) != 1 or not 0 < numbers[0] < math.inf:
            raise ParameterError(f"rounding: {name!r} takes one number above 0, the unit it is rounded to")
    return {name: numbers[0] for name, numbers in units_of.items()}

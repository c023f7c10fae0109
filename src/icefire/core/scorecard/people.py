"""How probably people are recognised, part of the scorecard."""

from __future__ import annotations

from typing import Any

import msgspec


class Person(msgspec.Struct, frozen=True):
    """Somebody at high risk: row numbers only, counted from 0."""

    original_row: int
    released_row: int
    risk: float
    """Probability that the best attack on people like this one recognises them."""
    interval: tuple[float, float]
    """95 % interval of the risk."""
    by: str
    """That attack."""
    columns: list[str]
    """Columns that give the person away, the most telling first."""
    class_size: int
    values: dict[str, Any] | None = None
    """The data of that row, only when asked for."""


class RiskBand(msgspec.Struct, frozen=True):
    """People whose probability of being recognised lies in a band: low is included, high is not, except 1."""

    low: float
    high: float
    people: int


class Recognition(msgspec.Struct, frozen=True):
    """Probabilities of being recognised, over everybody in the release."""

    expected: float
    """People who are recognised on average: the sum of the probabilities."""
    by_chance: float
    """People whom random guesses would name rightly."""
    people: int
    bands: list[RiskBand] = []

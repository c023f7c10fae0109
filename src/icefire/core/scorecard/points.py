"""What an attacker achieves who knows a few points of a history, part of the scorecard."""

from __future__ import annotations

import msgspec


class PointsRisk(msgspec.Struct, frozen=True):
    """The risk of people of whom k points of one kind are known. Shares have 95 % intervals."""

    kind: str
    """What a point is: items, counts, time, order, frequency, share, ratio or top2."""
    k: int
    setting: str
    """Precision of `time`, tolerance of `frequency`, `share` and `ratio`; empty for the others."""
    mean: float
    """Mean over the people, and over random sets of k points of each, of 1 / number of people who fit."""
    mean_ci: tuple[float, float]
    worst: float
    """Mean over the people of the risk by the k points that tell most."""
    worst_ci: tuple[float, float]
    singled_out: float
    """Share of the people whom some k points single out."""
    singled_out_ci: tuple[float, float]
    unfinished: int = 0
    """People whose search ended early: their worst risk lies between the value used, and a bound."""
    short: int = 0
    """People who have fewer than k points; all of theirs are known."""


class PointsFindings(msgspec.Struct, frozen=True):
    """The risk against the number of known points, on the release alone."""

    people: int
    """Released subjects with at least one row."""
    asked: int
    """How many of them the risk was computed for, drawn at random where not all."""
    subsets: int
    """Random sets of points per person that the mean is taken over, at most."""
    curve: list[PointsRisk]
    left_out: dict[str, str] = {}
    """Kinds that could not be computed, with the reason."""

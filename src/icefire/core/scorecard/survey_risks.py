"""Risks of a survey: in the population by weights, by household, and by combinations of columns."""

from __future__ import annotations

import msgspec

from icefire.core.scorecard.class_risk import ClassRisk


class WeightedEstimate(msgspec.Struct, frozen=True):
    """A weighted mean or share of the original beside that of the release."""

    column: str
    value: str
    """The category whose share it is; empty for a mean."""
    original: float
    released: float


class WeightedRisk(msgspec.Struct, frozen=True):
    """Risk in the population that a weighted sample stands for."""

    column: str
    population: float
    """People that the released rows stand for: the sum of their weights."""
    k_min: float
    """Fewest people that a class of the release stands for."""
    unique: int
    """Rows alone in their class in the release that stand for fewer than two people."""
    expected_unique: float
    """Expected number of rows alone in the release that are alone in the population: the sum of 1 / weight."""
    journalist: ClassRisk
    """1 / people that the class stands for."""
    individual: ClassRisk
    """Expected 1 / people in the class, given how many are in the release (Benedetti and Franconi 1998)."""
    estimates: list[WeightedEstimate] = []
    """Per column the weighted mean, or the weighted share that changed most."""


class HouseholdRisk(msgspec.Struct, frozen=True):
    """Risk of people through the members of their household."""

    column: str
    households: int
    largest: int
    """Members released of the largest household."""
    person: ClassRisk
    """Prosecutor risk of a person alone."""
    any_member: ClassRisk
    """Chance that at least one member of the person's household is found."""
    recognised: dict[str, float] = {}
    """By attack: share of the released people of whose household it identified somebody."""
    households_recognised: dict[str, float] = {}
    """By attack: share of the households of which it identified somebody."""


class KeyCombination(msgspec.Struct, frozen=True):
    """Classes of the rows that agree on some columns."""

    columns: list[str]
    k: int
    """Size of the smallest class."""
    classes: int
    unique: int
    """Rows alone in their class."""
    rows: int
    k_weighted: float | None = None
    """Fewest people that a class stands for, where the rows have weights."""

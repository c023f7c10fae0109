"""How probably people are recognised, part of the scorecard."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class PersonReason(msgspec.Struct, frozen=True):
    """A column, or a good, that gives somebody away; values are those of the release."""

    column: str
    agreement: Literal["equal", "covered", "near", "days", "moved", "good"]
    """How the released value fits the person's own: it is equal, it is a label that covers it, a number near it, a date
    some days away, another value that still tells (moved), or a good that the person bought."""
    bits: float
    """How much it says for the person: the logarithm (base 2) of how much likelier the right answer becomes."""
    released: str = ""
    """The released value."""
    difference: float | None = None
    """near and moved: the difference as a share of the person's own value; days: in days."""
    fits: float | None = None
    """Share of all people who fit the released value as well."""
    agrees: list[str] = []
    """good: columns in which purchases of it agree as well."""


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
    reasons: list[PersonReason] = []
    """What gives the person away, the most telling first; the released values in it are personal data."""
    subject: str = ""
    """Histories: the name of the subject in the original."""


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

"""How many pseudonyms of one person were linked, part of the scorecard."""

from __future__ import annotations

from typing import Any

import msgspec


class LinkingScore(msgspec.Struct, frozen=True):
    """How well pseudonyms of two periods, or of all pairs of periods asked about, were linked."""

    right: int
    answered: int
    present: int
    """People who are in both periods, summed over the pairs."""
    linked: int
    """People of whom at least one pair is right."""
    recall: float
    """People linked / people present in both."""
    recall_ci: tuple[float, float]
    precision: float
    """Right pairs / answers given; 0 where there is none."""
    precision_ci: tuple[float, float]
    chance: float
    """Recall of somebody who draws a pseudonym of the other period for each."""


class LinkedPeriods(msgspec.Struct, frozen=True):
    """Two periods and how well their pseudonyms were linked."""

    first: str
    second: str
    score: LinkingScore


class LinkingResult(msgspec.Struct, frozen=True):
    """What one attack achieved that was asked which pseudonyms are one person."""

    score: LinkingScore
    periods: list[LinkedPeriods]
    knows: str
    parameters: dict[str, Any]
    seconds: float


class LinkingFindings(msgspec.Struct, frozen=True):
    """The question which pseudonyms of two periods are one person, and how every attack did."""

    period: str
    """How long a pseudonym lasts: day, week, month, quarter, year."""
    periods: int
    pseudonyms: int
    people: int
    asked: int
    """Pairs of neighbouring periods that were asked about."""
    pairs: int
    """Pairs of neighbouring periods that there are."""
    attacks: dict[str, LinkingResult]
    left_out: dict[str, str] = {}
    """Attacks on linking that could not run, with the reason."""
    reason: str = ""
    """Why the question could not be put; empty where it was."""

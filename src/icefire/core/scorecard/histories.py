"""Findings about a history, part of the scorecard."""

from __future__ import annotations

import msgspec


class Size(msgspec.Struct, frozen=True):
    """How large a history is."""

    subjects: int
    rows: int
    receipts: int | None
    goods: int
    dropped: int = 0
    """Rows left out on reading because they could not be used."""


class Group(msgspec.Struct, frozen=True):
    """Released subjects whose item sets are the same, by how many share one."""

    low: int
    high: int | None
    groups: int
    subjects: int


class KnownPart(msgspec.Struct, frozen=True):
    """How far an attacker gets who knows only part of each person's purchases."""

    kind: str
    """What is known: a "share" of the rows, or a number of "goods"."""
    amount: float
    rate: float
    """Mean chance to pick the person's released history."""
    unique: float
    """Share of people whom nobody else in the release matches as well, and who are picked rightly."""
    people: int
    """People this was tried for."""


class Forecast(msgspec.Struct, frozen=True):
    """What the theory of clusters and dummies says of this history, beside what was measured."""

    clusters: int
    """Groups of released subjects with the same items."""
    expected_rows: float
    """Dummy rows the theory expects for so many random clusters."""
    measured_rows: int
    most_rows: float
    """Dummy rows the theory expects for a single cluster: the scale of the curve."""
    expected_reid: float
    best: int
    """Number of clusters at which the expected total of cost and risk is least."""
    curve: list[tuple[int, float, float]]
    """Points (clusters, expected dummies as a share of the most, expected re-identification)."""


class HistoryFindings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything of an audit that only a history has."""

    fields: dict[str, str]
    """Columns by meaning."""
    profile: list[str] = []
    """Columns of the customer table."""
    original: Size
    released: Size
    groups: list[Group] = []
    knowledge: list[KnownPart] = []
    forecast: Forecast | None = None

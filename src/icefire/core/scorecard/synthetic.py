"""Releases without correspondence: what was compared, copies of people, distances, and what could not be judged."""

from __future__ import annotations

from typing import Literal

import msgspec

from icefire.core.scorecard.membership import Interval


class ControlTable(msgspec.Struct, frozen=True):
    """A table of people who are not in the original: hold-out or background."""

    name: str
    rows: int
    """Rows that are used."""
    overlap: int = 0
    """Rows left out because they equal a row of the original more often than by coincidence."""
    overlapping_rows: list[int] = []
    """Numbers of the first of them."""
    coincidences: int = 0
    """Rows that equal a row of the original, no more than coincidence makes; they are used."""


class Copies(msgspec.Struct, frozen=True):
    """Released rows that are copies of one person in the original."""

    rows: int
    share: float
    """Of the released rows."""
    people: int
    """People of the original who are copied."""
    control: float | None = None
    """The share that the hold-out gives in place of the original: what coincidence makes; None without a hold-out."""
    people_share: float | None = None
    """Of the people of the original: how many have a copy in the release."""
    people_control: float | None = None
    """Of the people of the hold-out: how many have one, which is coincidence; None without a hold-out."""


class Distances(msgspec.Struct, frozen=True):
    """Distances of people to their closest released row."""

    people: int
    quantiles: dict[str, float]
    """By share of the people: "0.01", "0.05", "0.25", "0.5", "0.75"."""


class SyntheticFindings(msgspec.Struct, frozen=True, kw_only=True):
    """What is found of a release whose rows come from nobody in particular."""

    basis: Literal["holdout", "recipe", "register", "copies"]
    """What membership was judged by: a hold-out, a release made anew by the recipe from a part of the original, or
    nothing, so that only copies could be judged."""
    holdout: ControlTable | None = None
    background: ControlTable | None = None
    compared: list[str]
    """Columns that all tables have; distances are over these."""
    not_released: list[str] = []
    """Columns of the original that the release does not have."""
    identical: Copies
    """Released rows equal to an original row that occurs once there."""
    near_identical: Copies
    """Released rows much nearer to one person than that person's nearest other, identical ones included."""
    nearer_to_original: float | None = None
    """Released rows whose nearest person is in the original and not in the hold-out."""
    nearer_by_chance: float | None = None
    """The same for a release that remembers nobody: the original's share of all people in both tables."""
    nearer_ci: Interval | None = None
    members: Distances
    """Of people in the original."""
    outsiders: Distances | None = None
    """Of people in the hold-out; equal distributions mean that nobody is remembered."""
    rare_from: float | None = None
    """Rare people are at least this far from their fifth neighbour in the original."""
    not_judged: list[str] = []
    """What could not be judged, and what would have to be given, in words."""

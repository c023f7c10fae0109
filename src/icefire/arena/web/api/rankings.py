"""What the API says about boards and the matrix."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from icefire.arena.web.api.models import Model, Release, ReleaseHere, Team


class IceRow(Model):
    """One release on the board."""

    rank: int | None
    why: str | None
    """Why it has no rank."""
    release: Release
    security: float | None
    samples: float | None
    aya: float | None
    players: float | None
    total: float | None
    normalised: dict[str, float]


class IceBoard(Model):
    """The ranking of releases."""

    rows: list[IceRow]
    reference: IceRow | None
    measures: list[str]
    utilities: list[str]
    attacks: list[str]
    complete: bool


class FireRow(Model):
    """One attacker on the board."""

    rank: int | None
    team_id: str
    team: str
    identified: int
    trials: int
    tests: int
    ratio: float
    score: float


class FireBoard(Model):
    """The ranking of attackers."""

    rows: list[FireRow]
    rule: Literal["total", "best_three"]


class Board(Model):
    """Both rankings of a round."""

    round: str
    frozen: datetime | None
    """Since when the board stands still, if it does."""
    ice: IceBoard
    fire: FireBoard | None
    """Null until the reveal."""


class OverallRow(Model):
    """A team over all rounds."""

    rank: int
    team_id: str
    team: str
    rounds: dict[str, float | None]
    score: float


class Overall(Model):
    """All rounds that are revealed, together."""

    ice: list[OverallRow]
    fire: list[OverallRow]


class Cell(Model):
    """What one team did with one release."""

    state: str
    rate: float | None


class Matrix(Model):
    """Attackers (rows) against releases (columns)."""

    round: str
    attackers: list[Team]
    releases: list[ReleaseHere]
    cells: list[list[Cell]]

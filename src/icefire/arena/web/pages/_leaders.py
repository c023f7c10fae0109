"""Who leads a board, and why."""

from __future__ import annotations

from dataclasses import dataclass

from icefire.arena.boards.rankings import IceBoard, IceRow
from icefire.contests.common.game import SECURITY


@dataclass(frozen=True, slots=True)
class Leader:
    """A release with a rank, and what its score is made of."""

    row: IceRow
    lost: float
    """What its score owes to lost usefulness."""
    risk: float
    """What it owes to people identified."""
    by: str | None
    """The attack that identified most of it; None if none identified anybody."""


@dataclass(frozen=True, slots=True)
class FirstPlace:
    """The release in the first place."""

    row: IceRow
    others: int
    """How many share the place with it."""
    by: str | None
    """The attack that identified most of it; None if none identified anybody."""


def leaders(board: IceBoard, most: int) -> list[Leader]:
    """Return the first releases of a board, at most so many."""
    return [_leader(row) for row in board.rows if row.rank is not None][:most]


def first_place(board: IceBoard) -> FirstPlace | None:
    """Return the release in the first place of a board, if any has a rank."""
    first = [row for row in board.rows if row.rank == 1]
    return FirstPlace(first[0], len(first) - 1, _strongest_attack(first[0])) if first else None


def _leader(row: IceRow) -> Leader:
    risk = row.normalised.get(SECURITY, 0.0)
    return Leader(row, sum(row.normalised.values()) - risk, risk, _strongest_attack(row))


def _strongest_attack(row: IceRow) -> str | None:
    attacks = [one for one in row.release.found or () if one.rate == row.security and one.hits]
    return attacks[0].shown if attacks else None

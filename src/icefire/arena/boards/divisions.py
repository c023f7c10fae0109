"""The boards of one division: its teams ranked among themselves, by the same totals and scores as among all.

A release whose author is hidden is in no division: to name its division would narrow down whose it is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.boards import ranking_rules as ranks
from icefire.arena.boards.overall import Overall, OverallRow
from icefire.arena.boards.rankings import FireBoard, FireRow, IceBoard, IceRow
from icefire.arena.boards.snapshots import RoundBoard
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Absent
from icefire.arena.storage.tables import TeamRow

Row = TypeVar("Row", IceRow, FireRow, OverallRow)


def teams_in(session: Session, arena: Arena, division: str) -> set[str]:
    """Return the teams of a division of the contest."""
    if division not in arena.definition.divisions:
        raise Absent
    return set(session.scalars(select(TeamRow.id).where(TeamRow.division == division)))


def of_division(board: RoundBoard, teams: Collection[str]) -> RoundBoard:
    """Return what a board says about some teams, with places among them."""
    return replace(board, ice=_ice(board.ice, teams), fire=None if board.fire is None else _fire(board.fire, teams))


def overall_of_division(whole: Overall, teams: Collection[str]) -> Overall:
    """Return what the ranking over all rounds says about some teams, with places among them."""
    ice = [row for row in whole.ice if row.team_id in teams]
    fire = [row for row in whole.fire if row.team_id in teams]
    return Overall(
        ice=tuple(_placed(ice, [row.score for row in ice])), fire=tuple(_placed(fire, [-row.score for row in fire]))
    )


def _ice(board: IceBoard, teams: Collection[str]) -> IceBoard:
    kept = [row for row in board.rows if row.release.team_id in teams]
    ranked, others = [row for row in kept if row.rank is not None], [row for row in kept if row.rank is None]
    return replace(board, rows=(*_placed(ranked, [row.total or 0.0 for row in ranked]), *others))


def _fire(board: FireBoard, teams: Collection[str]) -> FireBoard:
    kept = [row for row in board.rows if row.team_id in teams]
    ranked, others = [row for row in kept if row.rank is not None], [row for row in kept if row.rank is None]
    return replace(board, rows=(*_placed(ranked, [-row.score for row in ranked]), *others))


def _placed(rows: Sequence[Row], values: list[float]) -> list[Row]:
    """Give rows, which are in order, their places; equal values share one."""
    return [replace(row, rank=place) for row, place in zip(rows, ranks.places(values), strict=True)]

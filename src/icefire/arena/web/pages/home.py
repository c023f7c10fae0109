"""The first page: where the competition stands, what to do, who leads and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from starlette.responses import FileResponse, Response

from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards import freezing, reading
from icefire.arena.boards.freezing import RoundBoard
from icefire.arena.boards.rankings import SECURITY, IceRow
from icefire.arena.contest import phases, quotas
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import RoundNow
from icefire.arena.storage.tables import AnnouncementRow, TeamRow
from icefire.arena.web import templating
from icefire.arena.web.pages._kit import Asker, Somebody, fragment, freshness, page

router = APIRouter(include_in_schema=False)
LEADERS = 5
ANNOUNCEMENTS = 5


@dataclass(frozen=True, slots=True)
class Leader:
    """A release at the top, and why it is there."""

    row: IceRow
    lost: float
    """What its score owes to lost usefulness."""
    risk: float
    """What it owes to people identified."""
    by: str | None
    """What identified most of it; None if nothing identified anybody."""


@router.get("/")
def show(request: Request, asker: Somebody) -> Response:
    """Show the first page; its board is the public one, whoever looks."""
    arena = asker.arena
    with arena.database.reading() as session:
        rounds = arena.rounds(session)
        key = freshness(session, rounds, VISITOR)
        leaders = fragment(request, key, "_leaders.html", lambda: _leaders(session, arena, rounds))
        told = select(AnnouncementRow).order_by(AnnouncementRow.at.desc()).limit(ANNOUNCEMENTS)
        return page(
            request,
            "home.html",
            leaders=leaders,
            announcements=session.scalars(told).all(),
            todo=_todo(session, asker, phases.current(rounds)),
        )


def _todo(session: Session, asker: Asker, now: RoundNow) -> dict[str, Any]:
    """Return what somebody can do next: the name of a word, and what it needs."""
    actor = asker.actor
    if not actor.known:
        return {"do": "visitor"}
    if actor.role != "player":
        return {"do": "staff"}
    if actor.team_id is None:
        return {"do": "teamless"}
    if now.phase == "anonymise":
        return {"do": "anonymise", "quota": quotas.team_quota(session, asker.arena, now.name, actor.team_id)}
    return {"do": now.phase}


def _leaders(session: Session, arena: Arena, rounds: list[RoundNow]) -> dict[str, Any]:
    shown = _with_ranks(session, arena, rounds)
    ice_rows = [_leader(row) for row in shown.ice.rows if row.rank is not None][:LEADERS] if shown else []
    fire_rows = [row for row in shown.fire.rows if row.rank is not None][:LEADERS] if shown and shown.fire else []
    current = reading.round_facts(session, arena, phases.current(rounds).name, VISITOR)
    return {
        "board": shown,
        "of": next((one for one in rounds if shown and one.name == shown.round), None),
        "several": len(rounds) > 1,
        "ice": ice_rows,
        "most": max((one.lost + one.risk for one in ice_rows), default=0.0) or 1.0,
        "fire": fire_rows,
        "most_identified": max((row.identified for row in fire_rows), default=0) or 1,
        "teams": session.scalar(select(func.count()).select_from(TeamRow)) or 0,
        "releases": len([one for one in current.releases if one.in_play]),
        "guesses": len(current.guesses),
    }


def _with_ranks(session: Session, arena: Arena, rounds: list[RoundNow]) -> RoundBoard | None:
    """Return the newest public board that ranks anybody."""
    for one in reversed(rounds):
        if one.phase != "before":
            board = freezing.board(arena, session, VISITOR, one.name)
            if any(row.rank is not None for row in board.ice.rows):
                return board
    return None


def _leader(row: IceRow) -> Leader:
    found = [one for one in row.release.found or () if one.rate == row.security and one.hits]
    risk = row.normalised.get(SECURITY, 0.0)
    return Leader(row, sum(row.normalised.values()) - risk, risk, found[0].shown if found else None)


@router.get("/favicon.ico")
def icon() -> Response:
    """Serve the icon where browsers look for it unasked."""
    return FileResponse(templating.STATIC / "favicon.svg", media_type="image/svg+xml")

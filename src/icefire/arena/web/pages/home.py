"""The first page: where the competition stands, what to do next, who leads and why."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from starlette.responses import Response

from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards.snapshots import RoundBoard
from icefire.arena.contest import phases, quotas
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import RoundNow
from icefire.arena.storage.tables import AnnouncementRow, TeamRow
from icefire.arena.web import frame
from icefire.arena.web.fragments import fragment, freshness
from icefire.arena.web.navigation import MAIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.pages._leaders import leaders
from icefire.arena.web.requester import Anyone, Requester
from icefire.arena.web.shared_boards import SharedBoards

PAGE = Page("home", "/", menus=(MenuEntry(MAIN, 10, "nav.home"),))
LEADERS = 5
ANNOUNCEMENTS = 5


@PAGE.get()
def show(request: Request, requester: Anyone) -> Response:
    """Show the first page; its board is the public one, whoever looks."""
    arena = requester.arena
    with arena.database.reading() as db:
        rounds = frame.rounds_now(request, db, arena)
        key = freshness(request, db, rounds, VISITOR, [phases.current(rounds).name])
        newest = select(AnnouncementRow).order_by(AnnouncementRow.at.desc()).limit(ANNOUNCEMENTS)
        return PAGE.render(
            request,
            todo=_next_step(db, requester, phases.current(rounds)),
            leaders=fragment(request, key, "_leaders.html", lambda: _leaders_and_counts(request, db, arena, rounds)),
            announcements=db.scalars(newest).all(),
        )


def _next_step(db: Session, requester: Requester, now: RoundNow) -> dict[str, Any]:
    """Return what somebody can do next: the name of a word, and what it needs."""
    actor = requester.actor
    if not actor.known:
        return {"do": "visitor"}
    if actor.role != "player":
        return {"do": "staff"}
    if actor.team_id is None:
        return {"do": "teamless"}
    if now.phase == "anonymise":
        return {"do": "anonymise", "quota": quotas.team_quota(db, requester.arena, now.name, actor.team_id)}
    return {"do": now.phase}


def _leaders_and_counts(request: Request, db: Session, arena: Arena, rounds: list[RoundNow]) -> dict[str, Any]:
    shared = SharedBoards(request, db, arena, rounds)
    board = _ranked_board(shared, rounds)
    ice_rows = leaders(board.ice, LEADERS) if board else []
    fire_rows = [row for row in board.fire.rows if row.rank is not None][:LEADERS] if board and board.fire else []
    current = shared.facts(VISITOR, phases.current(rounds).name)
    return {
        "board": board,
        "of": next((one for one in rounds if board and one.name == board.round), None),
        "several": len(rounds) > 1,
        "ice": ice_rows,
        "most": max((one.lost + one.risk for one in ice_rows), default=0.0) or 1.0,
        "fire": fire_rows,
        "most_identified": max((row.identified for row in fire_rows), default=0) or 1,
        "teams": db.scalar(select(func.count()).select_from(TeamRow)) or 0,
        "releases": len([one for one in current.releases if one.in_play]),
        "guesses": len(current.guesses),
    }


def _ranked_board(shared: SharedBoards, rounds: list[RoundNow]) -> RoundBoard | None:
    """Return the newest public board that ranks anybody."""
    for one in reversed(rounds):
        if one.phase != "before":
            board = shared.board(VISITOR, one.name)
            if any(row.rank is not None for row in board.ice.rows):
                return board
    return None

"""One's team: found it, join it, invite, leave; and what it has handed in so far."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import Response

from icefire.arena.auth import invitations, names, teams, throttling
from icefire.arena.boards import reading
from icefire.arena.contest import quotas
from icefire.arena.errors import Refused
from icefire.arena.storage.tables import AccountRow, MembershipRow
from icefire.arena.web.pages._kit import Asker, Known, Posted, page, see_other, text, words_of

router = APIRouter(include_in_schema=False)


@router.get("/team")
def show(request: Request, asker: Known) -> Response:
    """Show the team, or how to get into one."""
    return _page(request, asker)


def _page(request: Request, asker: Asker, status: int = 200, problem: str = "", code: str = "") -> Response:
    values: dict[str, Any] = {"problem": words_of(request).said(problem), "code": code, "most_name": names.MOST_NAME}
    if asker.actor.team_id is None:
        return page(request, "teamless.html", status=status, **values)
    with asker.arena.database.reading() as session:
        return page(request, "team.html", status=status, **values, **_team(session, asker, asker.actor.team_id))


def _team(session: Session, asker: Asker, team_id: str) -> dict[str, Any]:
    arena, actor = asker.arena, asker.actor
    members = session.execute(
        select(AccountRow.name, MembershipRow.captain, AccountRow.id)
        .join(MembershipRow, MembershipRow.account_id == AccountRow.id)
        .where(MembershipRow.team_id == team_id)
        .order_by(MembershipRow.captain.desc(), AccountRow.name_key)
    ).all()
    played = []
    for one in reversed([each for each in arena.rounds(session) if each.phase != "before"]):
        known = reading.round_facts(session, arena, one.name, actor, team_id=team_id)
        played.append(
            {
                "now": one,
                "quota": quotas.team_quota(session, arena, one.name, team_id),
                "releases": [release for release in known.releases if release.own],
                "guesses": [guess for guess in known.guesses if guess.team_id == team_id],
                "labels": {release.id: release.label for release in known.releases},
            }
        )
    return {"members": members, "played": played}


@router.post("/team/found")
def found(request: Request, asker: Known, form: Posted) -> Response:
    """Make a team."""
    try:
        with asker.arena.database.transaction() as session:
            teams.create_team(session, asker.actor, text(form, "name"), asker.arena.now())
    except Refused as refusal:
        return _page(request, asker, refusal.status, str(refusal))
    return see_other("/team", "founded")


@router.post("/team/join")
def join(request: Request, asker: Known, form: Posted) -> Response:
    """Join a team by its code; wrong codes are counted."""
    arena = asker.arena
    try:
        with (
            throttling.counted(arena.database, f"invite:{asker.address}", arena.now()),
            arena.database.transaction() as session,
        ):
            teams.join_team(session, asker.actor, text(form, "code"), arena.now())
    except Refused as refusal:
        return _page(request, asker, refusal.status, str(refusal))
    return see_other("/team", "joined")


@router.post("/team/invite")
def invite(request: Request, asker: Known, form: Posted) -> Response:
    """Make a code for one more member and show it, this one time."""
    with asker.arena.database.transaction() as session:
        code = invitations.new_invite(session, asker.actor, asker.actor.team_id, asker.arena.now())
    return _page(request, asker, code=code)


@router.post("/team/leave")
def leave(asker: Known, form: Posted) -> Response:
    """Leave the team."""
    with asker.arena.database.transaction() as session:
        teams.leave_team(session, asker.actor, asker.arena.now())
    return see_other("/team", "left")

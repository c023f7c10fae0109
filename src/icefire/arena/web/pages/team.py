"""One's team: found it, join it, invite, leave, lead it; and what it has handed in so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import Request
from markupsafe import Markup
from sqlalchemy import Row, select
from sqlalchemy.orm import Session
from starlette.responses import Response

from icefire.arena.auth import captains, invitations, names, teams, throttling
from icefire.arena.auth.actor import Actor
from icefire.arena.boards.own_view import HandedIn
from icefire.arena.contest import quotas
from icefire.arena.contest.phases import RoundNow
from icefire.arena.errors import Refused
from icefire.arena.storage.tables import AccountRow, MembershipRow
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.fragments import fragment, freshness
from icefire.arena.web.navigation import MAIN, MenuEntry
from icefire.arena.web.page import Page
from icefire.arena.web.preferences import words_of
from icefire.arena.web.rendering import render, see_other
from icefire.arena.web.requester import LoggedIn, Requester
from icefire.arena.web.shared_boards import SharedBoards, shared_boards

PAGE = Page("team", "/team", menus=(MenuEntry(MAIN, 60, "nav.team"),))
TEAMLESS = "teamless.html"
"""The template for somebody in no team."""


@PAGE.get()
def show(request: Request, requester: LoggedIn) -> Response:
    """Show the team, or how to get into one."""
    return _page(request, requester)


def _page(request: Request, requester: Requester, status: int = 200, problem: str = "", code: str = "") -> Response:
    values: dict[str, Any] = {"problem": words_of(request).said(problem), "code": code, "most_name": names.MOST_NAME}
    team_id = requester.actor.team_id
    if team_id is None:
        return render(request, TEAMLESS, values, status=status)
    with requester.arena.database.reading() as db:
        shared = shared_boards(request, db, requester.arena)
        begun = [one for one in shared.rounds if one.phase != "before"]
        played = [_handed_in(request, shared, db, requester, one) for one in reversed(begun)]
        members = _members(db, team_id)
    return PAGE.render(request, status=status, members=members, played=played, **values)


def _handed_in(
    request: Request, shared: SharedBoards, db: Session, requester: Requester, now: RoundNow
) -> dict[str, Any]:
    """Return what the team handed in for a round."""
    actor = requester.actor
    known = shared.handed_in(actor, now.name)
    return {
        "now": now,
        "quota": quotas.team_quota(db, requester.arena, now.name, actor.team_id or ""),
        "releases": known.releases,
        "guesses": known.guesses,
        "drawn_guesses": _draw_guesses(request, db, actor, now, known) if known.guesses else "",
    }


def _draw_guesses(request: Request, db: Session, actor: Actor, now: RoundNow, known: HandedIn) -> Markup:
    """Draw the table of the team's guesses, which there may be hundreds of, anew only if it has changed."""
    handed_in = tuple((one.release_id, one.received) for one in known.guesses)
    key = (*freshness(request, db, [now], actor), actor.team_id, handed_in)
    return fragment(request, key, "_team_guesses.html", lambda: {"guesses": known.guesses, "labels": known.labels})


def _members(db: Session, team_id: str) -> Sequence[Row[str, bool, str]]:
    return db.execute(
        select(AccountRow.name, MembershipRow.captain, AccountRow.id)
        .join(MembershipRow, MembershipRow.account_id == AccountRow.id)
        .where(MembershipRow.team_id == team_id)
        .order_by(MembershipRow.captain.desc(), AccountRow.name_key)
    ).all()


@PAGE.post("/found")
def found_team(request: Request, requester: LoggedIn, form: PostedForm) -> Response:
    """Make a team."""
    try:
        division = teams.checked_division(requester.arena.definition, text(form, "division"))
        with requester.arena.database.transaction() as db:
            teams.create_team(db, requester.actor, text(form, "name"), requester.arena.now(), division)
    except Refused as refusal:
        return _page(request, requester, refusal.status, str(refusal))
    return see_other("/team", "founded")


@PAGE.post("/join")
def join(request: Request, requester: LoggedIn, form: PostedForm) -> Response:
    """Join a team by its code; wrong codes are counted."""
    arena = requester.arena
    try:
        with (
            throttling.counted(arena.database, f"invite:{requester.address}", arena.now()),
            arena.database.transaction() as db,
        ):
            teams.join_team(db, requester.actor, text(form, "code"), arena.now(), arena.definition.members_per_team)
    except Refused as refusal:
        return _page(request, requester, refusal.status, str(refusal))
    return see_other("/team", "joined")


@PAGE.post("/invite")
def invite(request: Request, requester: LoggedIn, form: PostedForm) -> Response:
    """Make a code for one more member and show it, this one time."""
    with requester.arena.database.transaction() as db:
        code = invitations.new_invite(db, requester.actor, requester.actor.team_id, requester.arena.now())
    return _page(request, requester, code=code)


@PAGE.post("/leave")
def leave(requester: LoggedIn, form: PostedForm) -> Response:
    """Leave the team."""
    with requester.arena.database.transaction() as db:
        teams.leave_team(db, requester.actor, requester.arena.now())
    return see_other("/team", "left")


@PAGE.post("/members/{account_id}/remove")
def remove_member(requester: LoggedIn, form: PostedForm, account_id: str) -> Response:
    """Take a member out of the team."""
    with requester.arena.database.transaction() as db:
        captains.remove_member(db, requester.actor, account_id, requester.arena.now())
    return see_other("/team", "removed")


@PAGE.post("/members/{account_id}/captain")
def hand_over(requester: LoggedIn, form: PostedForm, account_id: str) -> Response:
    """Make another member the captain."""
    with requester.arena.database.transaction() as db:
        captains.hand_over(db, requester.actor, account_id, requester.arena.now())
    return see_other("/team", "handed_over")


@PAGE.post("/rename")
def rename(request: Request, requester: LoggedIn, form: PostedForm) -> Response:
    """Give the team another name."""
    try:
        with requester.arena.database.transaction() as db:
            captains.rename(db, requester.arena, requester.actor, text(form, "name"))
    except Refused as refusal:
        return _page(request, requester, refusal.status, str(refusal))
    return see_other("/team", "renamed")

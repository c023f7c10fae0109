"""Who sent a request, and who is let in.

An endpoint takes a requester as `Anyone`, `LoggedIn`, `Judge` or `Organiser`. One that changes something and may be
called by a browser also takes `CsrfChecked` (API) or `PostedForm` (pages), see csrf. What asks no database runs without
a thread of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from icefire.arena.auth import actor as actors
from icefire.arena.auth import sessions, tokens
from icefire.arena.auth.actor import VISITOR, Actor
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import NotLoggedIn, Refused
from icefire.arena.storage.tables import AccountRow, BrowserSessionRow, TeamRow
from icefire.arena.web import frame
from icefire.arena.web.addresses import address_of
from icefire.arena.web.session import cookie_name, visitor_csrf


@dataclass(frozen=True, slots=True)
class Requester:
    """Who sent a request, and by which way."""

    arena: Arena
    actor: Actor
    browser: BrowserSessionRow | None = None
    """The browser's session, if somebody has logged in with it."""
    by_token: bool = False
    address: str = "unknown"
    """Where the request came from, as far as tries are counted by it."""
    csrf: str = ""
    """What a form of this browser must send back; empty if it has no cookie."""


def identify(request: Request) -> Requester:
    """Find out who sent a request: by its token if there is one, else by the browser's cookie."""
    arena: Arena = request.app.state.arena
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    with arena.database.reading() as db:
        team = None
        if scheme.lower() == "bearer":
            requester = _by_token(request, arena, db, secret.strip())
        else:
            requester, team = _by_cookie(request, arena, db)
        if frame.is_wanted(request):
            request.state.frame = frame.read(db, arena, requester.actor, team)
    request.state.requester = requester
    return requester


def _by_token(request: Request, arena: Arena, db: Session, secret: str) -> Requester:
    token = tokens.find(db, secret, arena.now())
    actor = VISITOR if token is None else actors.actor_of(db, db.get_one(AccountRow, token.account_id), token.role)
    if not actor.known:
        raise NotLoggedIn("this token is not valid (any more); make a new one on your account page")
    return Requester(arena, actor, by_token=True, address=address_of(request))


def _by_cookie(request: Request, arena: Arena, db: Session) -> tuple[Requester, TeamRow | None]:
    """Return who has logged in with this browser, and the team, which was read with them."""
    cookie = request.cookies.get(cookie_name(arena), "")
    owner = sessions.session_owner(db, cookie, arena.now())
    if owner is None:
        return Requester(arena, VISITOR, address=address_of(request), csrf=visitor_csrf(arena, cookie)), None
    account = owner.account
    actor = VISITOR if account is None else actors.with_membership(account, owner.member, owner.past_teams)
    requester = Requester(arena, actor, owner.browser, address=address_of(request), csrf=owner.browser.csrf)
    return requester, owner.team


Anyone = Annotated[Requester, Depends(identify)]


async def logged_in(requester: Anyone) -> Requester:
    """Let in only who has logged in."""
    if not requester.actor.known:
        raise NotLoggedIn("log in first")
    return requester


LoggedIn = Annotated[Requester, Depends(logged_in)]


async def organiser(requester: LoggedIn) -> Requester:
    """Let in only organisers and administrators."""
    if not requester.actor.organises:
        raise Refused("this is for the organisers")
    return requester


Organiser = Annotated[Requester, Depends(organiser)]


async def judge(requester: LoggedIn) -> Requester:
    """Let in judges, organisers and administrators."""
    if not requester.actor.judges:
        raise Refused("this is for the judges and organisers")
    return requester


Judge = Annotated[Requester, Depends(judge)]

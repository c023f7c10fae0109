"""Who sent a request, and who is let in.

An endpoint takes a requester as `Anyone`, `LoggedIn`, `Judge` or `Organiser`. One that changes something and may be
called by a browser also takes `CsrfChecked` (API) or `PostedForm` (pages), see csrf.
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
from icefire.arena.storage.tables import AccountRow, BrowserSessionRow
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
        if scheme.lower() == "bearer":
            requester = _by_token(request, arena, db, secret.strip())
        else:
            requester = _by_cookie(request, arena, db)
        if frame.is_wanted(request):
            request.state.frame = frame.read(db, arena, requester.actor)
    request.state.requester = requester
    return requester


def _by_token(request: Request, arena: Arena, db: Session, secret: str) -> Requester:
    token = tokens.find(db, secret, arena.now())
    actor = VISITOR if token is None else actors.actor_of(db, db.get_one(AccountRow, token.account_id), token.role)
    if not actor.known:
        raise NotLoggedIn("this token is not valid (any more); make a new one on your account page")
    return Requester(arena, actor, by_token=True, address=address_of(request))


def _by_cookie(request: Request, arena: Arena, db: Session) -> Requester:
    cookie = request.cookies.get(cookie_name(arena), "")
    browser, owner, member = sessions.session_owner(db, cookie, arena.now()) or (None, None, None)
    actor = actors.with_membership(db, owner, member) if owner else VISITOR
    csrf = browser.csrf if browser else visitor_csrf(arena, cookie)
    return Requester(arena, actor, browser, address=address_of(request), csrf=csrf)


Anyone = Annotated[Requester, Depends(identify)]


def logged_in(requester: Anyone) -> Requester:
    """Let in only who has logged in."""
    if not requester.actor.known:
        raise NotLoggedIn("log in first")
    return requester


LoggedIn = Annotated[Requester, Depends(logged_in)]


def organiser(requester: LoggedIn) -> Requester:
    """Let in only organisers and administrators."""
    if not requester.actor.organises:
        raise Refused("this is for the organisers")
    return requester


Organiser = Annotated[Requester, Depends(organiser)]


def judge(requester: LoggedIn) -> Requester:
    """Let in judges, organisers and administrators."""
    if not requester.actor.judges:
        raise Refused("this is for the judges and organisers")
    return requester


Judge = Annotated[Requester, Depends(judge)]

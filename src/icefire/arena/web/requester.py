"""Who sent a request, and who is let in.

An endpoint takes a requester as `Anyone`, `LoggedIn`, `Judge` or `Organiser`. One that changes something and may be
called by a browser also takes `CsrfChecked` (API) or `PostedForm` (pages), see csrf.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from icefire.arena.auth import actor as actors
from icefire.arena.auth import sessions, tokens
from icefire.arena.auth.actor import VISITOR, Actor
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import NotLoggedIn, Refused
from icefire.arena.storage.tables import BrowserSessionRow
from icefire.arena.web.session import COOKIE, visitor_csrf


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
    request.state.requester = requester
    return requester


def _by_token(request: Request, arena: Arena, db: Session, secret: str) -> Requester:
    account = tokens.account_of(db, secret)
    if account is None or account.disabled:
        raise NotLoggedIn("this token is not valid (any more); make a new one on your account page")
    return Requester(arena, actors.actor_of(db, account), by_token=True, address=address_of(request))


def _by_cookie(request: Request, arena: Arena, db: Session) -> Requester:
    cookie = request.cookies.get(COOKIE, "")
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


def address_of(request: Request) -> str:
    """Return where a request comes from; what a proxy says counts only if there is one."""
    host = request.client.host if request.client else "unknown"
    if request.app.state.behind_proxy:  # the last entry is the proxy's own; those before it anybody can write
        host = request.headers.get("x-forwarded-for", host).rpartition(",")[2].strip()
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):  # one line at home has 2**64 of them
        return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))
    return str(address)

"""Who sent a request, found out once, and whether a browser meant to send it.

A page or an operation of the API takes `Somebody` (anybody), `Known` (logged in) or `Organiser`; what changes
something and may come from a browser also takes `Meant` (API) or `Posted` (pages), which refuse forged requests.
"""

from __future__ import annotations

import ipaddress
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Annotated, TypeVar
from urllib.parse import urlsplit

import anyio
from fastapi import Depends, Request, Response
from starlette.datastructures import FormData

from icefire.arena import ids
from icefire.arena.auth import actor as actors
from icefire.arena.auth import sessions, tokens
from icefire.arena.auth.actor import VISITOR, Actor
from icefire.arena.auth.sessions import OpenedSession
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import NotLoggedIn, Refused, TooMany, WrongInput
from icefire.arena.storage.tables import AccountRow
from icefire.arena.storage.tables import BrowserSessionRow as Browser

COOKIE = "icefire"
FIELD = "csrf"
HEADER = "x-csrf-token"
MOST_FIELDS = 100
MOST_FILES = 10
MOST_WAITING = 400
"""How many may wait for the slow work of the doors before the next one is asked to come back."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Asker:
    """Who is asking, and by which way."""

    arena: Arena
    actor: Actor
    browser: Browser | None = None
    """The browser's session, if somebody has logged in with it."""
    by_token: bool = False
    address: str = "unknown"
    """Where the request came from, as far as tries are counted by it."""
    csrf: str = ""
    """What a form of this browser must send back; empty if it has no cookie."""


def somebody(request: Request) -> Asker:
    """Find out who asks: by a token if one is sent, else by the browser's cookie."""
    arena: Arena = request.app.state.arena
    address = address_of(request)
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    with arena.database.reading() as session:
        if scheme.lower() == "bearer":
            account = tokens.account_of(session, secret.strip())
            if account is None or account.disabled:
                raise NotLoggedIn("this token is not valid (any more); make a new one on your account page")
            found = Asker(arena, actors.actor_of(session, account), by_token=True, address=address)
        else:
            cookie = request.cookies.get(COOKIE, "")
            browser, owner, member = sessions.session_owner(session, cookie, arena.now()) or (None, None, None)
            actor = actors.with_membership(session, owner, member) if owner else VISITOR
            csrf = browser.csrf if browser else visitors_csrf(arena, cookie)
            found = Asker(arena, actor, browser, address=address, csrf=csrf)
    request.state.asker = found
    return found


Somebody = Annotated[Asker, Depends(somebody)]


def known(asker: Somebody) -> Asker:
    """Let in only who has logged in."""
    if not asker.actor.known:
        raise NotLoggedIn("log in first")
    return asker


Known = Annotated[Asker, Depends(known)]


def organiser(asker: Known) -> Asker:
    """Let in only organisers and administrators."""
    if not asker.actor.organises:
        raise Refused("this is for the organisers")
    return asker


Organiser = Annotated[Asker, Depends(organiser)]


def judge(asker: Known) -> Asker:
    """Let in judges, organisers and administrators."""
    if not asker.actor.judges:
        raise Refused("this is for the judges and organisers")
    return asker


Judge = Annotated[Asker, Depends(judge)]


def meant(request: Request, asker: Somebody) -> Asker:
    """Refuse a change that comes with a cookie but without the header only our own pages can send.

    For the API: a request with a token needs none, as no browser adds a token by itself.
    """
    if not asker.by_token:
        check_meant(request, asker, request.headers.get(HEADER, ""))
    return asker


Meant = Annotated[Asker, Depends(meant)]


async def posted(request: Request, asker: Somebody) -> AsyncIterator[FormData]:
    """Give the fields of a form that one of our own pages sent, and refuse all others."""
    check_site(request)
    async with request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS) as form:
        token = form.get(FIELD, "")
        check_meant(request, asker, token if isinstance(token, str) else "")
        if any(isinstance(value, str) and "\0" in value for value in form.values()):
            raise WrongInput("a field holds a character that no text has; write it without")
        yield form


Posted = Annotated[FormData, Depends(posted)]


def check_meant(request: Request, asker: Asker, token: str) -> None:
    """Refuse what another site made the browser send."""
    check_site(request)
    if not asker.csrf or not ids.same(token, asker.csrf):
        raise Refused("this form is too old or not from here; load the page again and repeat")


def check_site(request: Request) -> None:
    """Refuse a request whose browser says that another site caused it."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin", "null")
    if site is not None:
        ours = site in ("same-origin", "none")
    else:  # an older browser: it may hide the origin, then the token alone decides
        ours = origin == "null" or urlsplit(origin).netloc == request.headers.get("host")
    if not ours:
        raise Refused("this form was sent from another site; open the page here and repeat")


def address_of(request: Request) -> str:
    """Return where a request comes from; what a proxy says counts only if there is one."""
    host = request.client.host if request.client else "unknown"
    if request.app.state.behind_proxy:  # the last entry is the proxy's own; those before it anybody can write
        host = request.headers.get("x-forwarded-for", host).rpartition(",")[2].strip()
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return "unknown"
    if isinstance(found, ipaddress.IPv6Address):  # one line at home has 2**64 of them
        return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
    return str(found)


class Door:
    """Where passwords are hashed, in a few threads of its own.

    A crowd that logs in, or a flood of wrong passwords, waits here and leaves the threads of the pages alone.
    """

    def __init__(self, threads: int) -> None:
        self._threads = anyio.CapacityLimiter(threads)
        self._crowd = 0

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run slow work when it is its turn; who comes when too many wait is asked to come back."""
        if self._crowd >= MOST_WAITING:  # counted here: of many who come at once, none is waiting yet
            raise TooMany(30)
        self._crowd += 1
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._crowd -= 1


async def at_the_door(request: Request, work: Callable[[], Result]) -> Result:
    """Run the slow work of the doors, which hashes passwords."""
    door: Door = request.app.state.doors
    return await door.run(work)


def visitors_csrf(arena: Arena, cookie: str) -> str:
    """Return what a visitor's form must send back; it follows from the cookie, so that no row is written for it."""
    return f"{arena.signer.seed(f'form {ids.digest(cookie)}'):032x}" if cookie else ""


def begin_session(request: Request, account: AccountRow) -> OpenedSession:
    """Begin a fresh session: the one before ends, and its cookie is worth nothing any more."""
    arena: Arena = request.app.state.arena
    with arena.database.transaction() as session:
        sessions.forget_expired(session, arena.now())
        sessions.close_session(session, request.cookies.get(COOKIE, ""))
        return sessions.open_session(session, account, arena.now())


def give_cookie(request: Request, response: Response, cookie: str) -> None:
    """Hand the browser its cookie; no script can read it, and no form of another site is sent with it."""
    secure = request.app.state.secure
    response.set_cookie(COOKIE, cookie, httponly=True, samesite="lax", secure=secure, path="/")


def end_session(request: Request, response: Response) -> None:
    """End the browser's session and take its cookie away."""
    arena: Arena = request.app.state.arena
    with arena.database.transaction() as session:
        sessions.close_session(session, request.cookies.get(COOKIE, ""))
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=request.app.state.secure, path="/")


def local_path(asked: str | None, otherwise: str = "/") -> str:
    """Return where to go after a login: a path here, never another site."""
    if not asked or not asked.startswith("/") or asked.startswith("//") or "\\" in asked or not asked.isprintable():
        return otherwise
    split = urlsplit(asked)
    return asked if not split.scheme and not split.netloc else otherwise

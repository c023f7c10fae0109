"""Device cookies: the browsers that somebody has logged in with before.

Wrong passwords are counted by account and address, so a rival could keep a team out by trying passwords in its name, or
from its network. A browser that has logged in before is counted by itself, and nobody else can use up its tries.
"""

from __future__ import annotations

from fastapi import Request, Response

from icefire.arena import ids
from icefire.arena.auth.login import KnownBrowser
from icefire.arena.contest.arena import Arena
from icefire.arena.web import session

LIFE = 90 * 24 * 3600


def cookie_name(arena: Arena) -> str:
    """Return the name of the device cookie, another one for each competition."""
    return f"{session.cookie_name(arena)}-known"


def known_browser(request: Request) -> KnownBrowser | None:
    """Return whose browser sent a request, if its device cookie is one of ours."""
    account_id, _, rest = request.cookies.get(cookie_name(request.app.state.arena), "").partition(".")
    browser, _, proof = rest.partition(".")
    known = KnownBrowser(account_id, browser)
    return known if ids.same(proof, _proof(request.app.state.arena, known)) else None


def remember(request: Request, response: Response, account_id: str) -> None:
    """Give a browser a device cookie. It opens nothing: it gives tries of its own at one account's password."""
    known = KnownBrowser(account_id, ids.new_id())
    value = f"{known.account_id}.{known.browser}.{_proof(request.app.state.arena, known)}"
    secure = request.app.state.secure
    name = cookie_name(request.app.state.arena)
    response.set_cookie(name, value, max_age=LIFE, httponly=True, samesite="lax", secure=secure, path="/login")


def _proof(arena: Arena, known: KnownBrowser) -> str:
    # The first word is part of every cookie given out so far.
    return f"{arena.signer.seed(f'acquainted {known.account_id} {known.browser}'):032x}"

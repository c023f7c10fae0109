"""Sessions of browsers: the cookie, logging in and out, and where to go afterwards."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import Request, Response

from icefire.arena import ids
from icefire.arena.auth import sessions
from icefire.arena.auth.sessions import OpenedSession
from icefire.arena.contest.arena import Arena
from icefire.arena.storage.tables import AccountRow


def cookie_name(arena: Arena) -> str:
    """Return the name of the session's cookie: browsers send cookies to all ports of a machine."""
    return f"icefire-{arena.signer.digest('cookie')[:8]}"


def begin_session(request: Request, account: AccountRow) -> OpenedSession:
    """Begin a fresh session: the one before ends, and its cookie is worth nothing any more."""
    arena: Arena = request.app.state.arena
    with arena.database.transaction() as db:
        sessions.forget_expired(db, arena.now())
        sessions.close_session(db, request.cookies.get(cookie_name(arena), ""))
        return sessions.open_session(db, account, arena.now())


def give_cookie(request: Request, response: Response, cookie: str) -> None:
    """Hand the browser its cookie; no script can read it, and no form of another site is sent with it."""
    name, secure = cookie_name(request.app.state.arena), request.app.state.secure
    response.set_cookie(name, cookie, httponly=True, samesite="lax", secure=secure, path="/")


def end_session(request: Request, response: Response) -> None:
    """End the browser's session and take its cookie away."""
    arena: Arena = request.app.state.arena
    with arena.database.transaction() as db:
        sessions.close_session(db, request.cookies.get(cookie_name(arena), ""))
    response.delete_cookie(cookie_name(arena), httponly=True, samesite="lax", secure=request.app.state.secure, path="/")


def visitor_csrf(arena: Arena, cookie: str) -> str:
    """Return what a visitor's form must send back; it follows from the cookie, so that no row is written for it."""
    return f"{arena.signer.seed(f'form {ids.digest(cookie)}'):032x}" if cookie else ""


def local_path(path: str | None, otherwise: str = "/") -> str:
    """Return where to go after a login: a path here, never another site."""
    if not path or not path.startswith("/") or path.startswith("//") or "\\" in path or not path.isprintable():
        return otherwise
    split = urlsplit(path)
    return path if not split.scheme and not split.netloc else otherwise

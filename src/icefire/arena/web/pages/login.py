"""Getting in and out: log in, register, log out."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from icefire.arena.auth import accounts, login, names, passwords
from icefire.arena.auth.login import KnownBrowser
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Refused, TooMany
from icefire.arena.storage import log
from icefire.arena.storage.tables import AccountRow
from icefire.arena.web import known_browsers
from icefire.arena.web.pages._kit import Posted, Somebody, page, see_other, text, words_of
from icefire.arena.web.session import at_the_door, begin_session, end_session, give_cookie, local_path

router = APIRouter(include_in_schema=False)


@router.get("/login")
def show_login(request: Request, asker: Somebody, next: str = "") -> Response:  # noqa: A002 - it is the field's name
    """Show the form, or go on if it is not needed."""
    if asker.actor.known:
        return see_other(local_path(next))
    return page(request, "login.html", with_form=True, next=local_path(next), name="", problem="")


@router.post("/login")
async def log_in(request: Request, asker: Somebody, form: Posted) -> Response:
    """Take a name and a password; the session before is worth nothing afterwards."""
    arena, name, path = asker.arena, text(form, "name"), local_path(text(form, "next"))
    try:
        work = partial(_login, arena, name, text(form, "password"), asker.address, known_browsers.of(request))
        account = await at_the_door(request, work)
    except Refused as refusal:
        values = {"next": path, "name": name, "problem": words_of(request).said(str(refusal))}
        return await run_in_threadpool(partial(_again, request, "login.html", refusal, values))
    return await run_in_threadpool(partial(_in, request, account, path, ""))


def _login(arena: Arena, name: str, password: str, address: str, known: KnownBrowser | None) -> AccountRow:
    account = login.login(arena.database, name, password, address, arena.now(), known)
    with arena.database.transaction() as session:
        log.write(session, arena.now(), account.id, "login")
    return account


def _in(request: Request, account: AccountRow, path: str, said: str) -> Response:
    answer = see_other(path, said)
    give_cookie(request, answer, begin_session(request, account).cookie)
    known_browsers.remember(request, answer, account.id)
    return answer


def _again(request: Request, template: str, refusal: Refused, values: dict[str, Any]) -> Response:
    headers = {"Retry-After": str(refusal.seconds)} if isinstance(refusal, TooMany) else None
    return page(request, template, status=refusal.status, headers=headers, with_form=True, **values)


@router.get("/register")
def show_register(request: Request, asker: Somebody, code: str = "") -> Response:
    """Show the form, or go on if it is not needed."""
    if asker.actor.known:
        return see_other("/team")
    return page(request, "register.html", with_form=True, name="", code=code[:100], problem="", **_rules(asker.arena))


def _rules(arena: Arena) -> dict[str, Any]:
    return {"how": arena.definition.registration, "least": passwords.LEAST_PASSWORD, "most_name": names.MOST_NAME}


@router.post("/register")
async def register(request: Request, asker: Somebody, form: Posted) -> Response:
    """Make an account by the competition's rule, and log it in."""
    arena, name, code = asker.arena, text(form, "name"), text(form, "code")
    work = partial(
        accounts.register, arena.database, arena.definition, name, text(form, "password"), code, asker.address
    )
    try:
        account = await at_the_door(request, partial(work, arena.now()))
    except Refused as refusal:
        values = {"name": name, "code": code, "problem": words_of(request).said(str(refusal)), **_rules(arena)}
        return await run_in_threadpool(partial(_again, request, "register.html", refusal, values))
    return await run_in_threadpool(partial(_in, request, account, "/team", "welcome"))


@router.post("/logout")
def log_out(request: Request, form: Posted) -> Response:
    """End the session here and in the database."""
    answer = see_other("/", "logged_out")
    end_session(request, answer)
    return answer

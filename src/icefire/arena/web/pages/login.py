"""Log in and out."""

from __future__ import annotations

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Refused
from icefire.arena.storage import log
from icefire.arena.storage.tables import AccountRow
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.known_browsers import known_browser
from icefire.arena.web.logging_in import log_in as log_in_as
from icefire.arena.web.page import Page
from icefire.arena.web.pages import _login_response
from icefire.arena.web.preferences import words_of
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import Anyone
from icefire.arena.web.session import end_session, local_path

PAGE = Page("login", "/login")


@PAGE.get()
def show(request: Request, requester: Anyone, next: str = "") -> Response:  # noqa: A002 - it is the field's name
    """Show the form, or go on if it is not needed."""
    if requester.actor.known:
        return see_other(local_path(next))
    return PAGE.render(request, with_form=True, next=local_path(next), name="", problem="")


@PAGE.post()
async def log_in(request: Request, requester: Anyone, form: PostedForm) -> Response:
    """Take a name and a password; the session before is worth nothing afterwards."""
    arena, name, path = requester.arena, text(form, "name"), local_path(text(form, "next"))
    try:
        account = await log_in_as(request, requester, name, text(form, "password"), known_browser(request))
        await run_in_threadpool(_write_down, arena, account)
    except Refused as refusal:
        values = {"next": path, "name": name, "problem": words_of(request).said(str(refusal))}
        return await run_in_threadpool(_login_response.form_again, request, PAGE, refusal, values)
    return await run_in_threadpool(_login_response.logged_in, request, account, path)


def _write_down(arena: Arena, account: AccountRow) -> None:
    with arena.database.transaction() as db:
        log.write(db, arena.now(), account.id, "login")


@PAGE.router.post("/logout")
def log_out(request: Request, form: PostedForm) -> Response:
    """End the session here and in the database."""
    response = see_other("/", "logged_out")
    end_session(request, response)
    return response

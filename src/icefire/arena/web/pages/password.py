"""Set the password of one's account with a one-time link of the organisers."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from icefire.arena.auth import links, passwords, throttling
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Refused
from icefire.arena.storage.tables import AccountRow
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.page import Page
from icefire.arena.web.pages import _login_response
from icefire.arena.web.password_threads import in_password_thread
from icefire.arena.web.preferences import words_of
from icefire.arena.web.requester import Anyone

PAGE = Page("password", "/password")


@PAGE.get()
def show(request: Request, requester: Anyone, code: str = "") -> Response:
    """Show the form to whoever has a link, and to others how to get one.

    Looking at it, as programs that check mail do, does not use it up.
    """
    return _page(request, requester.arena, code[:100])


def _page(request: Request, arena: Arena, code: str, refusal: Refused | None = None) -> Response:
    values: dict[str, Any] = {"code": code, "least": passwords.LEAST_PASSWORD, "name": "", "problem": ""}
    try:
        with arena.database.reading() as db:
            values["name"] = links.owner(db, code, arena.now()).name
    except Refused as invalid:
        refusal = refusal or (invalid if code else None)
    if refusal is None:
        return PAGE.render(request, with_form=True, **values)
    return _login_response.form_again(
        request, PAGE, refusal, {**values, "problem": words_of(request).said(str(refusal))}
    )


@PAGE.post()
async def set_password(request: Request, requester: Anyone, form: PostedForm) -> Response:
    """Take the new password, and log its owner in."""
    arena, code, new = requester.arena, text(form, "code")[:100], text(form, "new")
    try:
        account = await in_password_thread(request, partial(_set_password, arena, code, new, requester.address))
    except Refused as refusal:
        return await run_in_threadpool(_page, request, arena, code, refusal)
    return await run_in_threadpool(_login_response.logged_in, request, account, "/account", "password_set")


def _set_password(arena: Arena, code: str, new: str, address: str) -> AccountRow:
    with throttling.counted(arena.database, f"link:{address}", arena.now()):
        with arena.database.reading() as db:
            links.owner(db, code, arena.now())
        stored = passwords.hashed(new)  # it takes a tenth of a second: not for whoever has no link
        with arena.database.transaction() as db:
            return links.set_password(db, code, stored, arena.now())

"""Make an account, by the rule of the competition."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from icefire.arena.auth import accounts, names, passwords
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Refused
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.page import Page
from icefire.arena.web.pages import _login_response
from icefire.arena.web.password_threads import in_password_thread
from icefire.arena.web.preferences import words_of
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import Anyone

PAGE = Page("register", "/register")


@PAGE.get()
def show(request: Request, requester: Anyone, code: str = "") -> Response:
    """Show the form, or go on if it is not needed."""
    if requester.actor.known:
        return see_other("/team")
    return PAGE.render(request, with_form=True, name="", code=code[:100], problem="", **_rules(requester.arena))


def _rules(arena: Arena) -> dict[str, Any]:
    return {"how": arena.definition.registration, "least": passwords.LEAST_PASSWORD, "most_name": names.MOST_NAME}


@PAGE.post()
async def register(request: Request, requester: Anyone, form: PostedForm) -> Response:
    """Make an account by the competition's rule, and log it in."""
    arena, name, code, password = requester.arena, text(form, "name"), text(form, "code"), text(form, "password")
    work = partial(accounts.register, arena.database, arena.definition, name, password, code, requester.address)
    try:
        account = await in_password_thread(request, partial(work, arena.now()))
    except Refused as refusal:
        values = {"name": name, "code": code, "problem": words_of(request).said(str(refusal)), **_rules(arena)}
        return await run_in_threadpool(_login_response.form_again, request, PAGE, refusal, values)
    return await run_in_threadpool(_login_response.logged_in, request, account, "/team", "welcome")

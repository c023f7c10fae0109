"""Responses that login and registration share."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from icefire.arena.auth import addresses
from icefire.arena.errors import Refused, TooMany
from icefire.arena.storage.tables import AccountRow
from icefire.arena.web import known_browsers
from icefire.arena.web.addresses import address_of
from icefire.arena.web.page import Page
from icefire.arena.web.rendering import see_other
from icefire.arena.web.session import begin_session, give_cookie


def logged_in(request: Request, account: AccountRow, path: str, message: str = "") -> Response:
    """Begin a session of an account in this browser, and send it on."""
    arena, now = request.app.state.arena, request.app.state.arena.now()
    with arena.database.transaction() as db:
        addresses.remember(db, account.id, arena.signer.digest(address_of(request)), now)
    response = see_other(path, message)
    give_cookie(request, response, begin_session(request, account).cookie)
    known_browsers.remember(request, response, account.id)
    return response


def form_again(request: Request, page: Page, refusal: Refused, values: dict[str, Any]) -> Response:
    """Show the form again with what was wrong."""
    headers = {"Retry-After": str(refusal.seconds)} if isinstance(refusal, TooMany) else None
    return page.render(request, status=refusal.status, headers=headers, with_form=True, **values)

"""One's own account: the password, tokens for programs, other browsers."""

from __future__ import annotations

from functools import partial

from fastapi import Request
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from icefire.arena.auth import identities, links, passwords, sessions
from icefire.arena.auth import tokens as auth_tokens
from icefire.arena.auth.login import KnownBrowser
from icefire.arena.errors import Absent, NotLoggedIn, Refused
from icefire.arena.storage import log
from icefire.arena.storage.tables import AccountRow, TokenRow
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.logging_in import log_in
from icefire.arena.web.origin import origin_of
from icefire.arena.web.page import Page
from icefire.arena.web.password_threads import in_password_thread
from icefire.arena.web.preferences import words_of
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import LoggedIn, Requester
from icefire.arena.web.session import begin_session, give_cookie

PAGE = Page("account", "/account")


@PAGE.get()
def show(request: Request, requester: LoggedIn) -> Response:
    """Show the account."""
    return _page(request, requester)


def _page(request: Request, requester: Requester, status: int = 200, problem: str = "", token: str = "") -> Response:
    with requester.arena.database.reading() as db:
        own = select(TokenRow).where(TokenRow.account_id == requester.actor.account_id).order_by(TokenRow.created)
        tokens = db.scalars(own).all()
        connected = identities.connected(db, requester.actor.account_id or "")
    return PAGE.render(
        request,
        status=status,
        problem=words_of(request).said(problem),
        tokens=tokens,
        identities=connected,
        token=token,
        least=passwords.LEAST_PASSWORD,
        origin=origin_of(request),
    )


@PAGE.post("/password")
async def change_password(request: Request, requester: LoggedIn, form: PostedForm) -> Response:
    """Take a new password from who knows the old one; every other browser is logged out, every token ends."""
    old, new = text(form, "old"), text(form, "new")
    try:
        account = await _same_person(request, requester, old)
        await in_password_thread(request, partial(_change_password, requester, account, new))
    except Refused as refusal:
        return await run_in_threadpool(partial(_page, request, requester, refusal.status, str(refusal)))
    response = see_other("/account", "password_changed")
    opened = await run_in_threadpool(begin_session, request, account)
    give_cookie(request, response, opened.cookie)
    return response


async def _same_person(request: Request, requester: Requester, old: str) -> AccountRow:
    """Return the account if its owner sits in front of the browser, as the old password proves."""
    assert requester.browser is not None, "a form comes from a browser"
    known = KnownBrowser(requester.actor.account_id or "", requester.browser.id)
    try:
        return await log_in(request, requester, requester.actor.name, old, known)
    except NotLoggedIn:
        raise Refused("the old password is wrong; nothing was changed") from None


def _change_password(requester: Requester, account: AccountRow, new: str) -> None:
    arena = requester.arena
    hashed = passwords.hashed(new)
    with arena.database.transaction() as db:
        db.get_one(AccountRow, account.id).password = str(hashed)
        sessions.close_all(db, account.id)
        auth_tokens.end_all(db, account.id)
        links.forget(db, account.id)
        log.write(db, arena.now(), account.id, "password")


@PAGE.post("/tokens")
def new_token(request: Request, requester: LoggedIn, form: PostedForm) -> Response:
    """Make a token and show it, this one time."""
    arena = requester.arena
    with arena.database.transaction() as db:
        account = db.get_one(AccountRow, requester.actor.account_id)
        token = auth_tokens.new_token(db, account, text(form, "name").strip(), arena.now())
        log.write(db, arena.now(), account.id, "token")
    return _page(request, requester, token=token)


@PAGE.post("/tokens/{token_id}/remove")
def remove_token(requester: LoggedIn, form: PostedForm, token_id: str) -> Response:
    """Take one's own token away."""
    arena = requester.arena
    with arena.database.transaction() as db:
        token = db.get(TokenRow, token_id)
        if token is None or token.account_id != requester.actor.account_id:
            raise Absent
        db.delete(token)
        log.write(db, arena.now(), token.account_id, "token", removed=token_id)
    return see_other("/account", "token_removed")

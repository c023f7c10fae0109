"""One's own account: the password, tokens for programs, other browsers."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Request
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from icefire.arena.auth import login, passwords, sessions
from icefire.arena.auth import tokens as tokens_module
from icefire.arena.auth.login import KnownBrowser
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Absent, NotLoggedIn, Refused
from icefire.arena.storage import log
from icefire.arena.storage.tables import AccountRow, TokenRow
from icefire.arena.web.pages._kit import Asker, Known, Posted, origin_of, page, see_other, text, words_of
from icefire.arena.web.session import at_the_door, begin_session, give_cookie

router = APIRouter(include_in_schema=False)
MOST_TOKENS = 20


@router.get("/account")
def show(request: Request, asker: Known) -> Response:
    """Show the account."""
    return _page(request, asker)


def _page(request: Request, asker: Asker, status: int = 200, problem: str = "", token: str = "") -> Response:
    with asker.arena.database.reading() as session:
        mine = select(TokenRow).where(TokenRow.account_id == asker.actor.account_id).order_by(TokenRow.created)
        tokens = session.scalars(mine).all()
    return page(
        request,
        "account.html",
        status=status,
        problem=words_of(request).said(problem),
        tokens=tokens,
        token=token,
        least=passwords.LEAST_PASSWORD,
        origin=origin_of(request),
    )


@router.post("/account/password")
async def change_password(request: Request, asker: Known, form: Posted) -> Response:
    """Take a new password from who knows the old one; every other browser is logged out."""
    old, new = text(form, "old"), text(form, "new")
    try:
        account = await at_the_door(request, partial(_change, asker, old, new))
    except Refused as refusal:
        return await run_in_threadpool(partial(_page, request, asker, refusal.status, str(refusal)))
    answer = see_other("/account", "password_changed")
    opened = await run_in_threadpool(begin_session, request, account)
    give_cookie(request, answer, opened.cookie)
    return answer


def _change(asker: Asker, old: str, new: str) -> AccountRow:
    arena = asker.arena
    assert asker.browser is not None, "a form comes from a browser"
    known = KnownBrowser(asker.actor.account_id or "", asker.browser.id)
    try:
        account = login.login(arena.database, asker.actor.name, old, asker.address, arena.now(), known)
    except NotLoggedIn:
        raise Refused("the old password is wrong; nothing was changed") from None
    stored = passwords.hashed(new)
    with arena.database.transaction() as session:
        found = session.get_one(AccountRow, account.id)
        found.password = str(stored)
        sessions.close_all(session, account.id)
        log.write(session, arena.now(), account.id, "password")
    return account


@router.post("/account/tokens")
def new_token(request: Request, asker: Known, form: Posted) -> Response:
    """Make a token and show it, this one time."""
    arena = asker.arena
    with arena.database.transaction() as session:
        account = session.get_one(AccountRow, asker.actor.account_id)
        if len(session.scalars(select(TokenRow.id).where(TokenRow.account_id == account.id)).all()) >= MOST_TOKENS:
            raise Refused(f"you have {MOST_TOKENS} tokens already; take one away first")
        token = tokens_module.new_token(session, account, text(form, "name").strip(), arena.now())
        log.write(session, arena.now(), account.id, "token")
    return _page(request, asker, token=token)


@router.post("/account/tokens/{token_id}/remove")
def remove_token(asker: Known, form: Posted, token_id: str) -> Response:
    """Take one's own token away."""
    _remove(asker.arena, asker.actor.account_id or "", token_id)
    return see_other("/account", "token_removed")


def _remove(arena: Arena, account_id: str, token_id: str) -> None:
    with arena.database.transaction() as session:
        token = session.get(TokenRow, token_id)
        if token is None or token.account_id != account_id:
            raise Absent
        session.delete(token)
        log.write(session, arena.now(), account_id, "token", removed=token_id)

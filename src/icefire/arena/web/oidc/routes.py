"""Ways to log in by the provider and to connect one's account; they exist only where the contest names a provider."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from icefire.arena import ids
from icefire.arena.auth import identities, login, throttling
from icefire.arena.auth.login import KnownBrowser
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import NotLoggedIn, Refused
from icefire.arena.storage import log
from icefire.arena.storage.tables import AccountRow
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.oidc import pending as pendings
from icefire.arena.web.oidc.pending import Pending
from icefire.arena.web.oidc.provider import Provider, refused
from icefire.arena.web.pages import _login_response
from icefire.arena.web.password_threads import in_password_thread
from icefire.arena.web.rendering import render, see_other
from icefire.arena.web.requester import Anyone, LoggedIn, Requester
from icefire.arena.web.session import local_path

router = APIRouter(include_in_schema=False)


def _redirect(arena: Arena) -> str:
    return f"{arena.definition.address}{pendings.PATH}/callback"


def _address(request: Request, pending: Pending) -> str:
    provider: Provider = request.app.state.oidc
    return provider.address(_redirect(request.app.state.arena), pending.state, pending.nonce, pending.challenge)


@router.get(pendings.PATH)
async def begin(request: Request, requester: Anyone, next: str = "") -> Response:  # noqa: A002 - the field's name
    """Send the browser to the provider."""
    pending = pendings.begin(local_path(next), "", requester.arena.now())
    response = RedirectResponse(await in_password_thread(request, partial(_address, request, pending)), 303)
    pendings.keep(request, response, pending)
    return response


@router.get(f"{pendings.PATH}/callback")
async def finish(
    request: Request,
    requester: Anyone,
    code: str = "",
    state: str = "",
    iss: str | None = None,
    error: str = "",
) -> Response:
    """Take the provider's answer: to what this very browser began, and once."""
    pending = pendings.kept(request)
    if pending is None or not ids.same(state, pending.state):
        raise refused("this browser did not begin it, or too long ago")
    if error or not code:
        raise refused("the provider did not let you in")
    identity = await in_password_thread(request, partial(_identity, request, pending, code, iss))
    if pending.connects:
        response = await run_in_threadpool(_connect, requester, pending, identity)
    else:
        account = await run_in_threadpool(_account, requester, identity)
        response = await run_in_threadpool(_login_response.logged_in, request, account, pending.next)
    pendings.forget(request, response)
    return response


def _identity(request: Request, pending: Pending, code: str, issuer: str | None) -> identities.Identity:
    arena: Arena = request.app.state.arena
    provider: Provider = request.app.state.oidc
    provider.check_issuer(issuer)
    claims = provider.claims(code, pending.verifier, _redirect(arena), pending.nonce, arena.now())
    return identities.read(provider.oidc.issuer, claims)


def _account(requester: Requester, identity: identities.Identity) -> AccountRow:
    arena = requester.arena
    with arena.database.reading() as db:
        known = identities.account_of(db, identity) is not None
    if not known:
        with arena.database.transaction() as db:
            throttling.count_try(db, f"register:{requester.address}", arena.now())
    with arena.database.transaction() as db:
        account = identities.account_of(db, identity)
        if account is None:
            account = identities.register(db, arena.definition, identity, arena.now())
        log.write(db, arena.now(), account.id, "login", by="provider")
        return account


def _connect(requester: Requester, pending: Pending, identity: identities.Identity) -> Response:
    if requester.actor.account_id != pending.connects:
        raise refused("another account is logged in here now")
    with requester.arena.database.transaction() as db:
        identities.connect(db, db.get_one(AccountRow, pending.connects), identity, requester.arena.now())
    return see_other("/account", "connected")


@router.post("/account/provider")
async def connect(request: Request, requester: LoggedIn, form: PostedForm) -> Response:
    """Begin to connect the account, for whoever knows its password; the page has the link to the provider.

    It is a link and no redirection, as the browser follows no form to another site.
    """
    await in_password_thread(request, partial(_check_password, requester, text(form, "password")))
    pending = pendings.begin("/account", requester.actor.account_id or "", requester.arena.now())
    address = await in_password_thread(request, partial(_address, request, pending))
    response = await run_in_threadpool(partial(render, request, "oidc.html", {"address": address}))
    pendings.keep(request, response, pending)
    return response


def _check_password(requester: Requester, password: str) -> None:
    arena = requester.arena
    if requester.actor.role != "player":
        raise Refused("accounts of the staff are entered with their passwords alone")
    assert requester.browser is not None, "a form comes from a browser"
    known = KnownBrowser(requester.actor.account_id or "", requester.browser.id)
    try:
        login.login(arena.database, requester.actor.name, password, requester.address, arena.now(), known)
    except NotLoggedIn:
        raise Refused("the old password is wrong; nothing was changed") from None


@router.post("/account/provider/remove")
def disconnect(requester: LoggedIn, form: PostedForm) -> Response:
    """Take the provider's logins off one's account."""
    with requester.arena.database.transaction() as db:
        identities.disconnect(db, requester.actor.account_id or "", requester.arena.now())
    return see_other("/account", "disconnected")

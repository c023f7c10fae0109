"""Endpoints for players: hand in, withdraw, attack; and tokens for programs."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Body, Path, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from icefire.arena import ids
from icefire.arena.auth import accepted_terms, addresses, tokens
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.signing import Receipt
from icefire.arena.errors import Absent
from icefire.arena.storage import log
from icefire.arena.storage.tables import AccountRow, TokenRow
from icefire.arena.submit import fire, gates, ice
from icefire.arena.web import uploads
from icefire.arena.web.api import models, request_bodies, serialize
from icefire.arena.web.api.read_endpoints import ReleaseId
from icefire.arena.web.api.refusals import changing, files_body
from icefire.arena.web.csrf import CsrfChecked
from icefire.arena.web.forms import text
from icefire.arena.web.logging_in import log_in
from icefire.arena.web.requester import Anyone, LoggedIn, Requester
from icefire.contests.common.game import CORRESPONDENCE, CUSTOMERS, RECIPE, RELEASED

router = APIRouter()
TokenId = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="The id of a token.")]


@router.post(
    "/releases",
    status_code=201,
    responses=changing(404, 408, 409, 429, 503),
    openapi_extra=files_body("released", optional=("correspondence", "customers", "recipe"), fields=("round",)),
)
async def submit(request: Request, requester: LoggedIn, _: CsrfChecked) -> Receipt:
    """Hand in a release and where its rows come from; problems are told with row and column and cost nothing.

    `correspondence` is left out where rows are handed in in the order of the original; `customers` is for contests on
    purchase histories. `recipe` may be given where attackers ask which original a row or
    customer is: the steps without the seed, for the judge's attack by somebody who knows them; nobody else gets it. The
    answer is the signed receipt.
    """
    gate = partial(gates.release_gate, requester.arena, requester.actor)
    async with uploads.received(request, requester, gate) as upload:
        return await uploads.run_in_upload_thread(request, lambda: _submit(requester, upload))


def _submit(requester: Requester, upload: uploads.Upload) -> Receipt:
    arena = requester.arena
    files = {RELEASED: upload.file(RELEASED, "released")}
    for name, sent_as in ((CORRESPONDENCE, "correspondence"), (CUSTOMERS, "customers"), (RECIPE, "recipe")):
        files |= upload.optional_file(name, sent_as)
    with arena.database.reading() as session:
        name = serialize.round_name_or_current(arena, session, text(upload.form, "round")[:40] or None)
    return ice.submit(arena, requester.actor, name, files, upload.arrived)


@router.post("/releases/{release_id}/withdraw", responses=changing(404, 409))
def withdraw(requester: LoggedIn, _: CsrfChecked, release_id: ReleaseId) -> models.Done:
    """Withdraw your team's release: while releases are taken its place is free again, later it is only not ranked."""
    ice.withdraw(requester.arena, requester.actor, release_id)
    return models.Done()


@router.post(
    "/releases/{release_id}/guess",
    status_code=201,
    responses=changing(404, 408, 409, 429, 503),
    openapi_extra=files_body("answers"),
)
async def guess(request: Request, requester: LoggedIn, _: CsrfChecked, release_id: ReleaseId) -> Receipt:
    """Hand in your team's answers for a release: once, for ever. The answer is the signed receipt, never a score."""
    arena, actor = requester.arena, requester.actor
    async with uploads.received(request, requester, partial(gates.guess_gate, arena, actor, release_id)) as upload:
        return await uploads.run_in_upload_thread(
            request,
            lambda: fire.submit(arena, actor, release_id, upload.file("answers"), upload.arrived),
        )


@router.post("/terms", responses=changing(409))
def accept_terms(requester: LoggedIn, _: CsrfChecked, body: request_bodies.AcceptTerms) -> models.Done:
    """Accept the terms of the data, as the contest shows them; without that no data is handed out."""
    with requester.arena.database.transaction() as session:
        accepted_terms.accept(session, requester.arena, requester.actor, body.sha256)
    return models.Done()


@router.post("/tokens", status_code=201, responses=changing(409, 429))
async def new_token(
    request: Request, requester: Anyone, body: Annotated[request_bodies.TokenWanted, Body()]
) -> models.TokenMade:
    """Get a token for a name and password; send it as `Authorization: Bearer …`."""
    account = await log_in(request, requester, body.name, body.password)
    return await run_in_threadpool(_new_token, requester, account, body.label)


def _new_token(requester: Requester, account: AccountRow, label: str) -> models.TokenMade:
    arena = requester.arena
    with arena.database.transaction() as session:
        addresses.remember(session, account.id, arena.signer.digest(requester.address), arena.now())
        return _store_token(session, arena, account, label)


def _store_token(session: Session, arena: Arena, account: AccountRow, label: str) -> models.TokenMade:
    secret = tokens.new_token(session, account, label, arena.now())
    token = session.scalars(select(TokenRow).where(TokenRow.secret == ids.digest(secret))).one()
    log.write(session, arena.now(), account.id, "token", token=token.id)
    return models.TokenMade(id=token.id, token=secret, expires=token.expires)


@router.delete("/tokens/{token_id}", responses=changing(404))
def drop_token(requester: LoggedIn, _: CsrfChecked, token_id: TokenId) -> models.Done:
    """Make one of your tokens worthless."""
    with requester.arena.database.transaction() as session:
        token = session.get(TokenRow, token_id)
        if token is None or token.account_id != requester.actor.account_id:
            raise Absent
        session.delete(token)
        log.write(session, requester.arena.now(), token.account_id, "token", token=token_id, ended=True)
    return models.Done()

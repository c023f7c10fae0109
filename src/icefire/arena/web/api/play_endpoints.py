"""Endpoints for players: hand in, withdraw, attack; and tokens for programs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Form, Path, Request, UploadFile
from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.auth import login, tokens
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.signing import Receipt
from icefire.arena.errors import Absent, TooLarge
from icefire.arena.storage import log
from icefire.arena.storage.tables import AccountRow, TokenRow
from icefire.arena.submit import fire, ice
from icefire.arena.web.api import models, request_bodies, serialize
from icefire.arena.web.api.read_endpoints import ReleaseId
from icefire.arena.web.api.refusals import changing
from icefire.arena.web.csrf import CsrfChecked
from icefire.arena.web.password_threads import in_password_thread
from icefire.arena.web.requester import Anyone, LoggedIn, Requester
from icefire.contests.common.game import CORRESPONDENCE, CUSTOMERS, RECIPE, RELEASED

router = APIRouter()
TokenId = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="The id of a token.")]


@router.post("/releases", status_code=201, responses=changing(404, 409, 429))
def submit(
    requester: LoggedIn,
    _: CsrfChecked,
    released: UploadFile,
    correspondence: UploadFile,
    customers: UploadFile | None = None,
    recipe: UploadFile | None = None,
    round_name: Annotated[str | None, Form(alias="round", max_length=40)] = None,
) -> Receipt:
    """Hand in a release and where its rows come from; problems are told with row and column and cost nothing.

    `customers` is for contests on purchase histories. `recipe` may be given where attackers ask which original a row or
    customer is: the steps without the seed, for the judge's attack by somebody who knows them; nobody else gets it. The
    answer is the signed receipt.
    """
    arena = requester.arena
    given = {RELEASED: released, CORRESPONDENCE: correspondence, CUSTOMERS: customers, RECIPE: recipe}
    files = {name: _content(file, arena) for name, file in given.items() if file is not None}
    with arena.database.reading() as session:
        name = serialize.round_name_or_current(arena, session, round_name)
    return ice.submit(arena, requester.actor, name, files)


@router.post("/releases/{release_id}/withdraw", responses=changing(404, 409))
def withdraw(requester: LoggedIn, _: CsrfChecked, release_id: ReleaseId) -> models.Done:
    """Withdraw your team's release: while releases are taken its place is free again, later it is only not ranked."""
    ice.withdraw(requester.arena, requester.actor, release_id)
    return models.Done()


@router.post("/releases/{release_id}/guess", status_code=201, responses=changing(404, 409, 429))
def guess(requester: LoggedIn, _: CsrfChecked, release_id: ReleaseId, answers: UploadFile) -> Receipt:
    """Hand in your team's answers for a release: once, for ever. The answer is the signed receipt, never a score."""
    return fire.submit(requester.arena, requester.actor, release_id, _content(answers, requester.arena))


def _content(file: UploadFile, arena: Arena) -> bytes:
    most = arena.definition.max_upload_mb
    if file.size is not None and file.size > most << 20:
        raise TooLarge(f"a file has {file.size / (1 << 20):,.1f} MB; at most {most} MB are taken")
    return file.file.read()


@router.post("/tokens", status_code=201, responses=changing(429))
async def new_token(
    request: Request, requester: Anyone, body: Annotated[request_bodies.TokenWanted, Body()]
) -> models.TokenMade:
    """Get a token for a name and password; send it as `Authorization: Bearer …`."""
    return await in_password_thread(request, lambda: _new_token(requester, body))


def _new_token(requester: Requester, body: request_bodies.TokenWanted) -> models.TokenMade:
    arena = requester.arena
    account = login.login(arena.database, body.name, body.password, requester.address, arena.now())
    with arena.database.transaction() as session:
        return _store_token(session, arena, account, body.label)


def _store_token(session: Session, arena: Arena, account: AccountRow, label: str) -> models.TokenMade:
    secret = tokens.new_token(session, account, label, arena.now())
    session.flush()
    token_id = session.scalars(select(TokenRow.id).where(TokenRow.secret == ids.digest(secret))).one()
    log.write(session, arena.now(), account.id, "token", token=token_id)
    return models.TokenMade(id=token_id, token=secret)


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

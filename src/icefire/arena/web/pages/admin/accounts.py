"""Accounts at the desk: making them, inviting, new passwords, roles."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from icefire.arena import admin, ids
from icefire.arena.admin.accounts import ROLES
from icefire.arena.auth import invitations
from icefire.arena.auth.actor import Role
from icefire.arena.errors import Refused, WrongInput
from icefire.arena.web.pages._kit import Asker, Organiser, Posted, page, see_other, text
from icefire.arena.web.session import at_the_door

MOST_USES = 500
router = APIRouter(prefix="/desk/accounts")


@router.get("")
def show(request: Request, asker: Organiser) -> Response:
    """List the accounts."""
    return _page(request, asker)


def _page(request: Request, asker: Asker, status: int = 200, **more: Any) -> Response:
    mine = ROLES if asker.actor.role == "admin" else ROLES[: ROLES.index(asker.actor.role)]
    values: dict[str, Any] = {
        "accounts": admin.accounts(asker.arena, asker.actor),
        "teams": admin.teams(asker.arena, asker.actor),
        "roles": ROLES,
        "mine": mine,
        "problem": None,
        "made": None,
        "filled": "",
    }
    return page(request, "admin/accounts.html", status=status, **{**values, **more})


@router.post("")
async def make(request: Request, asker: Organiser, form: Posted) -> Response:
    """Make an account with a password of its own, shown this one time."""
    name, role = text(form, "name"), cast(Role, text(form, "role") or "player")
    password = ids.new_secret()[:16]
    try:
        await at_the_door(request, partial(admin.make_account, asker.arena, asker.actor, name, password, role))
    except Refused as refused:
        wrong = partial(_page, request, asker, refused.status, problem=str(refused), filled=name)
        return await run_in_threadpool(wrong)
    return await run_in_threadpool(partial(_page, request, asker, made=("account", name, password)))


@router.post("/{account_id}/password")
async def new_password(request: Request, asker: Organiser, form: Posted, account_id: str) -> Response:
    """Give an account a new password, shown this one time."""
    made = await at_the_door(request, partial(admin.reset_password, asker.arena, asker.actor, account_id))
    every = await run_in_threadpool(admin.accounts, asker.arena, asker.actor)
    name = next(one.name for one in every if one.id == account_id)
    return await run_in_threadpool(partial(_page, request, asker, made=("password", name, made)))


@router.post("/{account_id}/role")
def new_role(asker: Organiser, form: Posted, account_id: str) -> Response:
    """Give an account another role."""
    admin.set_role(asker.arena, asker.actor, account_id, cast(Role, text(form, "role")))
    return see_other("/desk/accounts", "desk.role")


@router.post("/{account_id}/disabled")
def disable(asker: Organiser, form: Posted, account_id: str) -> Response:
    """Shut an account out, or let it in again."""
    shut = text(form, "disabled") == "yes"
    admin.set_disabled(asker.arena, asker.actor, account_id, shut)
    return see_other("/desk/accounts", "desk.disabled" if shut else "desk.enabled")


@router.post("/invites")
def invite(request: Request, asker: Organiser, form: Posted) -> Response:
    """Make a code to register with, or to join a team, shown this one time."""
    uses, team_id = text(form, "uses"), text(form, "team") or None
    if not uses.isdecimal() or not 1 <= int(uses[:9]) <= MOST_USES:
        raise WrongInput(f"uses is {uses!r}; it takes a number from 1 to {MOST_USES}")
    teams = {one.id: one.name for one in admin.teams(asker.arena, asker.actor)}
    if team_id is not None and team_id not in teams:
        raise WrongInput("there is no such team; choose one of the list")
    with asker.arena.database.transaction() as session:
        code = invitations.new_invite(session, asker.actor, team_id, asker.arena.now(), int(uses))
    return _page(request, asker, made=("invite", teams.get(team_id or "", ""), code))

"""Accounts: making them, inviting, new passwords, roles."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from icefire.arena import admin, ids
from icefire.arena.admin.accounts import ROLES
from icefire.arena.auth import invitations
from icefire.arena.auth.actor import AccountRole
from icefire.arena.errors import Refused, WrongInput
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.navigation import ADMIN, MenuEntry, organisers
from icefire.arena.web.page import Page
from icefire.arena.web.password_threads import in_password_thread
from icefire.arena.web.rendering import see_other
from icefire.arena.web.requester import Organiser, Requester

PAGE = Page("admin/accounts", "/desk/accounts", menus=(MenuEntry(ADMIN, 30, "desk.accounts", shown_to=organisers),))
MOST_USES = 500


@PAGE.get()
def show(request: Request, requester: Organiser) -> Response:
    """List the accounts."""
    return _page(request, requester)


def _page(request: Request, requester: Requester, status: int = 200, **more: Any) -> Response:
    arena, actor = requester.arena, requester.actor
    values: dict[str, Any] = {
        "accounts": admin.accounts(arena, actor),
        "teams": admin.teams(arena, actor),
        "roles": ROLES,
        "mine": ROLES if actor.role == "admin" else ROLES[: ROLES.index(actor.role)],
        "problem": None,
        "new_secret": None,
        "filled": "",
    }
    return PAGE.render(request, status=status, **{**values, **more})


@PAGE.post()
async def add_account(request: Request, requester: Organiser, form: PostedForm) -> Response:
    """Make an account with a password of its own, shown this one time."""
    name, role = text(form, "name"), cast(AccountRole, text(form, "role") or "player")
    password = ids.new_secret()[:16]
    work = partial(admin.make_account, requester.arena, requester.actor, name, password, role)
    try:
        await in_password_thread(request, work)
    except Refused as refused:
        wrong = partial(_page, request, requester, refused.status, problem=str(refused), filled=name)
        return await run_in_threadpool(wrong)
    return await run_in_threadpool(partial(_page, request, requester, new_secret=("account", name, password)))


@PAGE.post("/{account_id}/password")
async def new_password(request: Request, requester: Organiser, form: PostedForm, account_id: str) -> Response:
    """Give an account a new password, shown this one time."""
    arena, actor = requester.arena, requester.actor
    password = await in_password_thread(request, partial(admin.reset_password, arena, actor, account_id))
    every = await run_in_threadpool(admin.accounts, arena, actor)
    name = next(one.name for one in every if one.id == account_id)
    return await run_in_threadpool(partial(_page, request, requester, new_secret=("password", name, password)))


@PAGE.post("/{account_id}/role")
def new_role(requester: Organiser, form: PostedForm, account_id: str) -> Response:
    """Give an account another role."""
    admin.set_role(requester.arena, requester.actor, account_id, cast(AccountRole, text(form, "role")))
    return see_other("/desk/accounts", "desk.role")


@PAGE.post("/{account_id}/disabled")
def disable(requester: Organiser, form: PostedForm, account_id: str) -> Response:
    """Shut an account out, or let it in again."""
    disabled = text(form, "disabled") == "yes"
    admin.set_disabled(requester.arena, requester.actor, account_id, disabled)
    return see_other("/desk/accounts", "desk.disabled" if disabled else "desk.enabled")


@PAGE.post("/invites")
def invite(request: Request, requester: Organiser, form: PostedForm) -> Response:
    """Make a code to register with, or to join a team, shown this one time."""
    uses, team_id = text(form, "uses"), text(form, "team") or None
    if not uses.isdecimal() or not 1 <= int(uses[:9]) <= MOST_USES:
        raise WrongInput(f"uses is {uses!r}; it takes a number from 1 to {MOST_USES}")
    teams = {one.id: one.name for one in admin.teams(requester.arena, requester.actor)}
    if team_id is not None and team_id not in teams:
        raise WrongInput("there is no such team; choose one of the list")
    with requester.arena.database.transaction() as db:
        code = invitations.new_invite(db, requester.actor, team_id, requester.arena.now(), int(uses))
    return _page(request, requester, new_secret=("invite", teams.get(team_id or "", ""), code))

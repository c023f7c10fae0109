"""Accounts: making them, one by one or from a file, inviting, links for new passwords, roles."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import Response

from icefire.arena import admin, ids
from icefire.arena.admin import people_file, people_links
from icefire.arena.auth import invitations, links
from icefire.arena.auth.actor import ROLES, AccountRole
from icefire.arena.errors import Refused, WrongInput
from icefire.arena.web.csrf import PostedForm
from icefire.arena.web.forms import text
from icefire.arena.web.navigation import ADMIN, MenuEntry, organisers
from icefire.arena.web.origin import origin_of
from icefire.arena.web.page import Page
from icefire.arena.web.password_threads import in_password_thread
from icefire.arena.web.preferences import words_of
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
        "failed": admin.failed_logins(arena, actor),
        "roles": ROLES,
        "mine": ROLES if actor.role == "admin" else ROLES[: ROLES.index(actor.role)],
        "problem": None,
        "problems": (),
        "new_secret": None,
        "new_links": "",
        "made": 0,
        "columns": people_file.COLUMNS,
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


@PAGE.post("/people")
async def add_people(request: Request, requester: Organiser, form: PostedForm) -> Response:
    """Make many accounts from a file; their links are shown this one time."""
    given = form.get("people")
    data = await given.read() if isinstance(given, UploadFile) else b""
    mail_from = origin_of(request) if text(form, "mail") == "yes" else ""
    return await run_in_threadpool(_add_people, request, requester, data, mail_from)


def _add_people(request: Request, requester: Requester, data: bytes, mail_from: str) -> Response:
    try:
        new_links = admin.make_accounts(requester.arena, requester.actor, people_file.read(data), mail_from)
    except WrongInput as wrong:
        problems = [words_of(request).said(one) for one in wrong.problems if one != str(wrong)]
        return _page(request, requester, wrong.status, problem=str(wrong), problems=problems)
    table = people_links.as_csv(new_links, origin_of(request))
    return _page(request, requester, new_links=table.decode(), made=len(new_links))


@PAGE.post("/{account_id}/link")
def new_link(request: Request, requester: Organiser, form: PostedForm, account_id: str) -> Response:
    """Make a link with which the owner sets a new password, shown this one time."""
    link = admin.new_link(requester.arena, requester.actor, account_id)
    address = links.address(origin_of(request), link.code)
    return _page(request, requester, new_secret=("link", link.name, address))


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


@PAGE.post("/{account_id}/lockout")
def clear_lockout(requester: Organiser, form: PostedForm, account_id: str) -> Response:
    """Let somebody in again who was refused after too many failed logins."""
    admin.clear_lockout(requester.arena, requester.actor, account_id)
    return see_other("/desk/accounts", "desk.lockout_cleared")


@PAGE.router.post("/desk/lockouts")
def clear_all_lockouts(requester: Organiser, form: PostedForm) -> Response:
    """Forget all failed logins."""
    admin.clear_all_lockouts(requester.arena, requester.actor)
    return see_other("/desk/accounts", "desk.lockouts_cleared")


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

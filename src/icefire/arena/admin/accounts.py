"""Accounts as organisers manage them. Nobody manages an account of their own rank or above, except the admin."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.admin.permissions import acting, check
from icefire.arena.auth import accounts, links, passwords
from icefire.arena.auth.actor import ROLES, STAFF, AccountRole, Actor
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Absent, Clash, Refused, WrongInput
from icefire.arena.storage import log
from icefire.arena.storage.tables import AccountRow, MembershipRow


def make_account(arena: Arena, actor: Actor, name: str, password: str, role: AccountRole = "player") -> AccountRow:
    """Make an account for somebody."""
    check(actor)
    check_rank(actor, role)
    stored = passwords.hashed(password)
    with acting(arena, actor) as session:
        account = accounts.add_account(session, name, stored, arena.now(), role)
        log.write(session, arena.now(), actor.account_id or "", "role", account=account.id, role=role)
        return account


def set_role(arena: Arena, actor: Actor, account_id: str, role: AccountRole) -> None:
    """Give an account another role, as only an admin may; its browsers, tokens and links end."""
    check(actor)
    if actor.role != "admin":
        raise Refused("only an admin gives roles")
    check_rank(actor, role)
    with acting(arena, actor) as session:
        account = managed_account(session, account_id)
        if role in STAFF and session.get(MembershipRow, account_id) is not None:
            raise Clash("this account plays in a team; staff see hidden scores, so it must leave the team first")
        _keep_an_admin(session, account, stays=role == "admin")
        account.role = role
        links.end_all_ways_in(session, account_id)
        log.write(session, arena.now(), actor.account_id or "", "role", account=account_id, role=role)


def reset_password(arena: Arena, actor: Actor, account_id: str) -> str:
    """Give an account a new password and return it, this one time; its sessions and tokens end."""
    check(actor)
    password = ids.new_secret()[:20]
    stored = passwords.hashed(password)
    with acting(arena, actor) as session:
        account = managed_account(session, account_id)
        check_rank(actor, account.role)
        account.password = stored
        links.end_all_ways_in(session, account_id)
        log.write(session, arena.now(), actor.account_id or "", "password", account=account_id)
        return password


def set_disabled(arena: Arena, actor: Actor, account_id: str, disabled: bool = True) -> None:
    """Shut an account out, or let it in again; what it handed in stays."""
    with acting(arena, actor) as session:
        account = managed_account(session, account_id)
        check_rank(actor, account.role)
        if account_id == actor.account_id:
            raise Clash("this is your own account; ask another organiser")
        if disabled:
            _keep_an_admin(session, account, stays=False)
            links.end_all_ways_in(session, account_id)
        account.disabled = disabled
        log.write(session, arena.now(), actor.account_id or "", "disabled", account=account_id, disabled=disabled)


def managed_account(session: Session, account_id: str) -> AccountRow:
    """Return an account to be changed."""
    account = session.get(AccountRow, account_id, with_for_update=True)
    if account is None:
        raise Absent
    return account


def check_rank(actor: Actor, role: str) -> None:
    """Refuse to handle an account of one's own rank or above, except to the admin."""
    if role not in ROLES:
        raise WrongInput(f"role is {role!r}; it takes one of {', '.join(ROLES)}")
    if actor.role != "admin" and ROLES.index(role) >= ROLES.index(actor.role):
        raise Refused(f"accounts of the role {role!r} are not handled by the role {actor.role!r}; ask an admin")


def _keep_an_admin(session: Session, account: AccountRow, *, stays: bool) -> None:
    if account.role != "admin" or stays:
        return
    others = select(func.count()).select_from(AccountRow)
    others = others.where(AccountRow.role == "admin", AccountRow.disabled.is_(False), AccountRow.id != account.id)
    if not session.scalar(others):
        raise Clash("this is the last admin; make another one first")

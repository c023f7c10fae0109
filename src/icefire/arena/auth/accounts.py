"""Accounts: finding one by its name, adding one, registration by the contest's rule."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.auth import actor as actors
from icefire.arena.auth import invitations, names, passwords, teams, throttling
from icefire.arena.contest import public_record
from icefire.arena.contest.definition import Definition
from icefire.arena.errors import Refused
from icefire.arena.storage import log
from icefire.arena.storage.database import Database
from icefire.arena.storage.tables import AccountRow


def account_named(session: Session, name: str) -> AccountRow | None:
    """Return the account of a name, however it is spelt."""
    key = ids.name_key(name).replace("\0", "")  # which PostgreSQL takes in no text
    return session.scalars(select(AccountRow).where(AccountRow.name_key == key)).first()


def add_account(
    session: Session, name: str, password: str, now: datetime, role: actors.AccountRole = "player"
) -> AccountRow:
    """Make an account; a name that looks like another one is taken.

    Where others wait for the database, the password is hashed beforehand (passwords.hashed).
    """
    shown = names.clean_name(name, "name")
    names.check_free(session, AccountRow, shown)
    password = str(passwords.hashed(password))
    account = AccountRow(
        id=ids.new_id(), name=shown, name_key=ids.name_key(shown), password=password, role=role, created=now
    )
    session.add(account)
    session.flush()
    log.write(session, now, account.id, "account", name=shown, role=role)
    return account


def register(
    database: Database, definition: Definition, name: str, password: str, code: str, address: str, now: datetime
) -> AccountRow:
    """Let somebody in by the competition's rule: open, by an organiser's invitation, or not at all."""
    if definition.registration == "organiser":
        raise Refused("accounts are made by the organisers; ask them for one")
    with database.transaction() as session:
        public_record.check(session)
        throttling.count_try(session, f"register:{address}", now)
    names.clean_name(name, "name")
    hidden = passwords.hashed(password)
    if definition.registration == "open":
        with database.transaction() as session:
            return add_account(session, name, hidden, now)
    with throttling.counted(database, f"invite:{address}", now), database.transaction() as session:
        invite = invitations.use_invite(session, code, now)
        if invite.team_id is not None and not invite.by_organiser:
            raise Refused("this code lets an account join a team; to make an account, ask the organisers for a code")
        account = add_account(session, name, hidden, now)
        account.invited_by = invite.team_id
        if invite.team_id:
            teams.join(session, account.id, invite.team_id, now, definition.members_per_team)
        return account

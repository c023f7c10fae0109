"""One-time links: with one the owner of an account sets its password, the first time or after it was forgotten."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.auth import sessions, tokens
from icefire.arena.auth.passwords import Hashed
from icefire.arena.contest import public_record
from icefire.arena.errors import Refused
from icefire.arena.storage import log
from icefire.arena.storage.tables import AccountRow, LoginIdentityRow, OneTimeLinkRow

LIFE = timedelta(days=14)
NO_PASSWORD = Hashed("")
"""What is stored of an account whose owner has not set a password: no password is right."""


def new_link(session: Session, by: str, account: AccountRow, now: datetime) -> str:
    """Make the code of a link and return it, this one time; earlier links of the account end."""
    public_record.check(session)
    forget(session, account.id)
    code = ids.new_secret()
    session.add(OneTimeLinkRow(code=ids.digest(code), account_id=account.id, expires=now + LIFE))
    log.write(session, now, by, "link", account=account.id, expires=(now + LIFE).isoformat())
    return code


def address(origin: str, code: str) -> str:
    """Return the link as its owner opens it, at a server."""
    return f"{origin}/password?code={code}"


def owner(session: Session, code: str, now: datetime, *, lock: bool = False) -> AccountRow:
    """Return whose link it is, if it is still worth something; looking at it does not use it up."""
    link = session.get(OneTimeLinkRow, ids.digest(code.strip()), with_for_update=lock)
    account = None if link is None or link.expires <= now else session.get(AccountRow, link.account_id)
    if account is None or account.disabled:
        raise Refused("this link is not valid (any more); ask the organisers for a new one")
    return account


def set_password(session: Session, code: str, stored: Hashed, now: datetime) -> AccountRow:
    """Use a link up: the account has its new password, and whatever let somebody in before ends."""
    public_record.check(session)
    account = owner(session, code, now, lock=True)
    account.password = str(stored)
    end_all_ways_in(session, account.id)
    log.write(session, now, account.id, "password", by_link=True)
    return account


def end_all_ways_in(session: Session, account_id: str) -> None:
    """End all that lets somebody into an account but its password: browsers, tokens, links, providers."""
    sessions.close_all(session, account_id)
    tokens.end_all(session, account_id)
    session.execute(delete(LoginIdentityRow).where(LoginIdentityRow.account_id == account_id))
    forget(session, account_id)


def forget(session: Session, account_id: str) -> None:
    """End the links of an account."""
    session.execute(delete(OneTimeLinkRow).where(OneTimeLinkRow.account_id == account_id))

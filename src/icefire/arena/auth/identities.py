"""Logins by a provider: which identity there belongs to which account here.

An identity is the provider's issuer and subject, never a name or an address, which others could have. It gets into an
account in two ways only: it is connected by somebody who is logged in there and knows its password, or the account was
made for it. Accounts of the staff are entered with their passwords alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.auth import accounts, links
from icefire.arena.auth.names import MOST_NAME
from icefire.arena.contest import public_record
from icefire.arena.contest.definition import Definition
from icefire.arena.errors import Absent, Clash, Refused
from icefire.arena.storage import log
from icefire.arena.storage.database import lock
from icefire.arena.storage.tables import AccountRow, LoginIdentityRow

MOST_NAMES = 100


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody at a provider, proved by it."""

    issuer: str
    subject: str
    shown: str
    """What the provider calls it; it is shown, and nothing is decided by it."""


def read(issuer: str, claims: Mapping[str, Any]) -> Identity:
    """Return the identity of checked claims."""
    names = (claims.get(key) for key in ("preferred_username", "name", "email"))
    shown = next((one for one in names if isinstance(one, str) and one.strip()), "")
    plain = "".join(letter for letter in " ".join(shown.split()) if letter.isprintable())
    return Identity(issuer, str(claims["sub"])[:255], plain[:200])


def account_of(session: Session, identity: Identity) -> AccountRow | None:
    """Return the account that an identity may enter, if there is one."""
    row = session.get(LoginIdentityRow, (identity.issuer, identity.subject))
    account = None if row is None else session.get(AccountRow, row.account_id)
    if account is not None and (account.disabled or account.role != "player"):
        raise Refused("this account is not entered by a provider; log in with its password, or ask the organisers")
    return account


def connect(session: Session, account: AccountRow, identity: Identity, now: datetime) -> None:
    """Let an identity into the account of somebody who has just proved to own both."""
    public_record.check(session)
    if account.disabled or account.role != "player":
        raise Refused("accounts of the staff are entered with their passwords alone")
    lock(session, f"identity {identity.issuer} {identity.subject}")
    if session.get(LoginIdentityRow, (identity.issuer, identity.subject)) is not None:
        raise Clash("this login of the provider is connected to an account already; disconnect it there first")
    _add(session, account, identity, now)


def register(session: Session, definition: Definition, identity: Identity, now: datetime) -> AccountRow:
    """Make an account for somebody unknown, where the contest is open and says so; never enter one that exists."""
    public_record.check(session)
    if definition.registration != "open" or definition.oidc is None or not definition.oidc.register:
        raise Refused(
            "this login of the provider belongs to no account here; "
            "log in with your password and connect it on your account page, or ask the organisers"
        )
    lock(session, f"identity {identity.issuer} {identity.subject}")
    for name in _names(identity):
        if accounts.account_named(session, name) is None:
            account = accounts.add_account(session, name, links.NO_PASSWORD, now)
            _add(session, account, identity, now)
            return account
    raise Clash("this name is taken; choose another one")


def _names(identity: Identity) -> Iterator[str]:
    """Give names for a new account: the provider's, or the same with a number where it is taken."""
    name = identity.shown.partition("@")[0].strip()[: MOST_NAME - 4] or "player"
    yield name
    yield from (f"{name} {number}" for number in range(2, MOST_NAMES))


def _add(session: Session, account: AccountRow, identity: Identity, now: datetime) -> None:
    session.add(
        LoginIdentityRow(
            issuer=identity.issuer,
            subject=identity.subject,
            account_id=account.id,
            shown=identity.shown,
            linked=now,
        )
    )
    log.write(session, now, account.id, "identity", issuer=identity.issuer)


def connected(session: Session, account_id: str) -> Sequence[LoginIdentityRow]:
    """Return the identities that may enter an account."""
    return session.scalars(select(LoginIdentityRow).where(LoginIdentityRow.account_id == account_id)).all()


def disconnect(session: Session, account_id: str, now: datetime) -> None:
    """Take all logins by a provider off one's account; one without a password would be lost, and keeps them."""
    own = connected(session, account_id)
    if not own:
        raise Absent
    if not session.get_one(AccountRow, account_id).password:
        raise Clash("this account has no password; ask the organisers for a link to set one first")
    for one in own:
        session.delete(one)
    log.write(session, now, account_id, "identity", removed=len(own))

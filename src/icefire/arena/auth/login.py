"""Login with a name and a password.

Tries are counted before the password is looked at, and forgiven if it was right: many at once count like many in a row.
They are counted by account and address together, by account, and by address; a browser that the account knows is
counted by itself. Too many for an account from one address are refused for a while, and too many for an account from
addresses that it never came from. Nobody can use this to keep others out: an account that is logged in somewhere, and
the administrator, are only slowed down, and so is an address, behind which a whole hall may be.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.auth import accounts, passwords, throttling
from icefire.arena.errors import NotLoggedIn
from icefire.arena.storage.database import Database
from icefire.arena.storage.tables import AccountAddressRow, AccountRow, BrowserSessionRow

SLOW_SECONDS = 3.0
"""How long a try waits where there were too many before it and it is not refused."""


@dataclass(frozen=True, slots=True)
class KnownBrowser:
    """A browser that an account has logged in with before, as it has proved."""

    account_id: str
    browser: str


@dataclass(frozen=True, slots=True)
class LoginFrom:
    """Where a try comes from."""

    address: str
    digest: str = ""
    """The competition's own digest of the address, by which an account's earlier addresses are known."""
    known: KnownBrowser | None = None


@dataclass(frozen=True, slots=True)
class LoginTry:
    """A try that was let in and counted."""

    account: AccountRow | None
    keys: tuple[str, ...]
    wait: float
    """Seconds to wait before the password is looked at."""


def login(
    database: Database, name: str, password: str, address: str, now: datetime, known: KnownBrowser | None = None
) -> AccountRow:
    """Return the account for a name and password, without waiting; pages wait, see `web.logging_in`."""
    return finish(database, begin(database, name, LoginFrom(address, known=known), now), password)


def begin(database: Database, name: str, where: LoginFrom, now: datetime) -> LoginTry:
    """Count a try, and refuse it if there were too many.

    Raises:
        TooMany: If it is refused.
    """
    with database.transaction() as session:
        account = accounts.account_named(session, name)
        keys = _keys(account, name, where)
        over = [key for key in keys if throttling.seconds_left(session, key, now)]
        if over and not _never_locked_out(session, account, now):
            for key in over:
                if _refuses(session, key, account, where):
                    throttling.check_tries(session, key, now)
        for key in keys:
            throttling.count_failure(session, key, now)
    return LoginTry(account, keys, SLOW_SECONDS if over else 0.0)


def finish(database: Database, attempt: LoginTry, password: str) -> AccountRow:
    """Look at the password of a try, and take it back if it was right."""
    account = attempt.account
    stored = account.password if account and not account.disabled else None
    if not passwords.matches(password, stored) or account is None:
        raise NotLoggedIn("name or password is wrong")
    with database.transaction() as session:
        for key in attempt.keys:
            throttling.forgive(session, key, all_of_them=key.startswith(("pair:", "browser:")))
    return account


def account_key(account_id: str) -> str:
    """Return what all tries at an account are counted by."""
    return f"account:{account_id}"


def pair_prefix(account_id: str) -> str:
    """Return what the keys of tries at an account from single addresses begin with."""
    return f"pair:{account_id}:"


def _keys(account: AccountRow | None, name: str, where: LoginFrom) -> tuple[str, ...]:
    """Return what a try is counted by, always in this order, in which the keys are locked."""
    known = where.known
    if known is not None and account is not None and known.account_id == account.id:
        return (f"browser:{known.browser}",)
    who = account.id if account else ids.digest(ids.name_key(name))[:32]
    return (f"{pair_prefix(who)}{where.address}"[:120], account_key(who), f"address:{where.address}"[:120])


def _never_locked_out(session: Session, account: AccountRow | None, now: datetime) -> bool:
    """Tell an account that is only slowed down: it is logged in somewhere, or the administrator's."""
    if account is None or account.disabled:
        return False
    valid = select(BrowserSessionRow.id).where(
        BrowserSessionRow.account_id == account.id, BrowserSessionRow.expires > now
    )
    return account.role == "admin" or session.scalars(valid.limit(1)).first() is not None


def _refuses(session: Session, key: str, account: AccountRow | None, where: LoginFrom) -> bool:
    """Tell whether too many tries by a key lead to a refusal: never by an address alone."""
    if key.startswith("address:"):
        return False
    if key.startswith("account:") and account is not None and where.digest:
        return session.get(AccountAddressRow, (account.id, where.digest)) is None
    return True

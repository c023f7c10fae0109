"""Login with a name and a password."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from icefire.arena import ids
from icefire.arena.auth import accounts, passwords, throttling
from icefire.arena.errors import NotLoggedIn
from icefire.arena.storage.database import Database
from icefire.arena.storage.tables import AccountRow


@dataclass(frozen=True, slots=True)
class KnownBrowser:
    """A browser that an account has logged in with before, as it has proved."""

    account_id: str
    browser: str


def login(
    database: Database, name: str, password: str, address: str, now: datetime, known: KnownBrowser | None = None
) -> AccountRow:
    """Return the account for a name and password.

    The try is counted, by account and address or by the browser alone if the account knows it, before the password is
    looked at, and forgiven if it was right: many tries at once count like many in a row.
    """
    with database.reading() as session:
        account = accounts.account_named(session, name)
    keys = [f"account:{ids.digest(ids.name_key(name))}", f"address:{address}"]
    if known is not None and account is not None and known.account_id == account.id:
        keys = [f"browser:{known.browser}"]
    with database.transaction() as session:
        for key in keys:
            throttling.count_try(session, key, now)
    if (
        not passwords.matches(password, account.password if account and not account.disabled else None)
        or account is None
    ):
        raise NotLoggedIn("name or password is wrong")
    with database.transaction() as session:
        for key in keys:
            throttling.forgive(session, key, all_of_them=not key.startswith("address:"))
    return account

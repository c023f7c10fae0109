"""How people get in: passwords, browser sessions, tokens for programs, and what slows a burglar down."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from pwdlib import PasswordHash
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.database import Database, lock
from icefire.arena.errors import NotLoggedIn, TooMany, WrongInput
from icefire.arena.tables import Account, Attempt, Membership, Token
from icefire.arena.tables import Session as Browser

SESSION_LIFE = timedelta(hours=12)
WINDOW = timedelta(minutes=15)
TRIES = {"account": 10, "browser": 10, "address": 60, "invite": 20, "register": 100, "wrong": 30}
"""Failures allowed in a window, by what the key begins with; "wrong" are submissions that could not be taken.

Of registrations all count, and a whole hall may come from one address.
"""
LEAST_PASSWORD = 10
MOST_PASSWORD = 200
_HASHERS = threading.BoundedSemaphore(2)
"""A password is hashed with 64 MB and a tenth of a second on purpose; a flood of them waits its turn."""


@cache
def _passwords() -> PasswordHash:
    return PasswordHash.recommended()


@cache
def _nobody() -> str:
    """The hash that is compared with for an unknown name, so that it takes as long as for a known one."""
    return _passwords().hash(ids.new_secret())


class Hashed(str):
    """A password as it is stored."""

    __slots__ = ()


def hashed(password: str) -> Hashed:
    """Return what is stored of a password. It takes a tenth of a second: do it before a writing transaction begins."""
    if isinstance(password, Hashed):
        return password
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        raise WrongInput(f"a password has {LEAST_PASSWORD} to {MOST_PASSWORD} characters")
    with _HASHERS:
        return Hashed(_passwords().hash(password))


def fits(password: str, stored: str | None) -> bool:
    """Tell whether a password is the one stored; takes as long where none is."""
    with _HASHERS:
        right = _passwords().verify(password[:MOST_PASSWORD], stored or _nobody())
    return right and stored is not None


@dataclass(frozen=True, slots=True)
class Acquainted:
    """A browser that an account has logged in with before, as it has proved."""

    account_id: str
    browser: str


def login(
    database: Database, name: str, password: str, address: str, now: datetime, known: Acquainted | None = None
) -> Account:
    """Return the account for a name and password.

    The try is counted, by account and address or by the browser alone if the account knows it, before the password is
    looked at, and forgiven if it was right: many tries at once count like many in a row.
    """
    with database.reading() as session:
        account = named(session, name)
    keys = [f"account:{ids.digest(ids.name_key(name))}", f"address:{address}"]
    if known is not None and account is not None and known.account_id == account.id:
        keys = [f"browser:{known.browser}"]
    with database.transaction() as session:
        for key in keys:
            count_try(session, key, now)
    if not fits(password, account.password if account and not account.disabled else None) or account is None:
        raise NotLoggedIn("name or password is wrong")
    with database.transaction() as session:
        for key in keys:
            forgive(session, key, all_of_them=not key.startswith("address:"))
    return account


def named(session: Session, name: str) -> Account | None:
    """Return the account of a name, however it is spelt."""
    key = ids.name_key(name).replace("\0", "")  # which PostgreSQL takes in no text
    return session.scalars(select(Account).where(Account.name_key == key)).first()


@contextmanager
def counted(database: Database, key: str, now: datetime) -> Iterator[None]:
    """Count what is done inside as a try that failed, for good even if it raises, unless it succeeds."""
    with database.transaction() as session:
        count_try(session, key, now)
    yield
    with database.transaction() as session:
        forgive(session, key)


def count_try(session: Session, key: str, now: datetime) -> None:
    """Refuse a key that failed too often lately; count a failure otherwise."""
    lock(session, key)
    check_tries(session, key, now)
    count_failure(session, key, now)


def forgive(session: Session, key: str, all_of_them: bool = False) -> None:
    """Take back the failure that was counted before it turned out to be none, or all of a key."""
    lock(session, key)
    found = session.get(Attempt, key)
    if found is not None and (all_of_them or found.failures <= 1):
        session.delete(found)
    elif found is not None:
        found.failures -= 1


def check_tries(session: Session, key: str, now: datetime) -> None:
    """Refuse a key that failed too often lately."""
    found = session.get(Attempt, key)
    if found is not None and found.failures >= TRIES[key.partition(":")[0]] and now < found.since + WINDOW:
        raise TooMany(int((found.since + WINDOW - now).total_seconds()) + 1)


def count_failure(session: Session, key: str, now: datetime) -> None:
    """Remember a failure; after a quiet while counting begins anew."""
    lock(session, key)
    found = session.get(Attempt, key)
    if found is None or now >= found.since + WINDOW:
        session.merge(Attempt(key=key, failures=1, since=now))
    else:
        found.failures += 1


@dataclass(frozen=True, slots=True)
class Opened:
    """A browser session as its owner knows it."""

    cookie: str
    csrf: str
    account_id: str


def open_session(session: Session, account: Account, now: datetime) -> Opened:
    """Begin a browser session with a fresh cookie; only its digest is stored."""
    made = Opened(ids.new_secret(), ids.new_secret()[:43], account.id)
    session.add(
        Browser(id=ids.digest(made.cookie), account_id=made.account_id, csrf=made.csrf, expires=now + SESSION_LIFE)
    )
    return made


def find_session(session: Session, cookie: str | None, now: datetime) -> Browser | None:
    """Return the browser session of a cookie, if it is one of ours and still lives."""
    found = session.get(Browser, ids.digest(cookie)) if cookie else None
    return found if found is not None and found.expires > now else None


def behind(
    session: Session, cookie: str | None, now: datetime
) -> tuple[Browser, Account | None, Membership | None] | None:
    """Return a living browser session with who is behind it, in one query: every request asks for this."""
    asked = (
        select(Browser, Account, Membership)
        .outerjoin(Account, Account.id == Browser.account_id)
        .outerjoin(Membership, Membership.account_id == Browser.account_id)
        .where(Browser.id == ids.digest(cookie or ""), Browser.expires > now)
    )
    found = session.execute(asked).first() if cookie else None
    return None if found is None else (found[0], found[1], found[2])


def close_session(session: Session, cookie: str) -> None:
    """End one browser session."""
    session.execute(delete(Browser).where(Browser.id == ids.digest(cookie)))


def close_all(session: Session, account_id: str) -> None:
    """End every browser session of an account, as after a new password or another role."""
    session.execute(delete(Browser).where(Browser.account_id == account_id))


def forget_old(session: Session, now: datetime) -> None:
    """Clear away what has expired."""
    session.execute(delete(Browser).where(Browser.expires <= now))
    session.execute(delete(Attempt).where(Attempt.since <= now - WINDOW))


def new_token(session: Session, account: Account, name: str, now: datetime) -> str:
    """Make a token for programs and return it, this one time."""
    secret = f"ifa_{ids.new_secret()}"
    session.add(
        Token(id=ids.new_id(), account_id=account.id, secret=ids.digest(secret), name=name[:80] or "token", created=now)
    )
    return secret


def by_token(session: Session, secret: str) -> Account | None:
    """Return the account a token belongs to."""
    found = session.scalars(select(Token).where(Token.secret == ids.digest(secret))).first()
    return session.get(Account, found.account_id) if found else None

"""How people get in: passwords, browser sessions, tokens for programs, and what slows a burglar down."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from pwdlib import PasswordHash
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.errors import NotLoggedIn, TooMany, WrongInput
from icefire.arena.tables import Account, Attempt, Token
from icefire.arena.tables import Session as Browser

SESSION_LIFE = timedelta(hours=12)
WINDOW = timedelta(minutes=15)
TRIES = {"account": 10, "address": 60, "invite": 20}
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


def hashed(password: str) -> str:
    """Return what is stored of a password."""
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        raise WrongInput(f"a password has {LEAST_PASSWORD} to {MOST_PASSWORD} characters")
    with _HASHERS:
        return _passwords().hash(password)


def login(session: Session, name: str, password: str, address: str, now: datetime) -> Account:
    """Return the account for a name and password; failures are counted by both account and address."""
    keys = (f"account:{ids.name_key(name)[:100]}", f"address:{address}")
    for key in keys:
        check_tries(session, key, now)
    account = session.scalars(select(Account).where(Account.name_key == ids.name_key(name))).first()
    stored = account.password if account and not account.disabled else _nobody()
    with _HASHERS:
        right = _passwords().verify(password[:MOST_PASSWORD], stored)
    if not right or account is None or account.disabled:
        for key in keys:
            count_failure(session, key, now)
        raise NotLoggedIn("name or password is wrong")
    session.execute(delete(Attempt).where(Attempt.key == keys[0]))
    return account


def check_tries(session: Session, key: str, now: datetime) -> None:
    """Refuse a key that failed too often lately."""
    found = session.get(Attempt, key)
    if found is not None and found.failures >= TRIES[key.partition(":")[0]] and now < found.since + WINDOW:
        raise TooMany(int((found.since + WINDOW - now).total_seconds()) + 1)


def count_failure(session: Session, key: str, now: datetime) -> None:
    """Remember a failure; after a quiet while counting begins anew."""
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
    account_id: str | None


def open_session(session: Session, account: Account | None, now: datetime) -> Opened:
    """Begin a browser session with a fresh cookie; only its digest is stored."""
    made = Opened(ids.new_secret(), ids.new_secret()[:43], account.id if account else None)
    session.add(
        Browser(id=ids.digest(made.cookie), account_id=made.account_id, csrf=made.csrf, expires=now + SESSION_LIFE)
    )
    return made


def find_session(session: Session, cookie: str | None, now: datetime) -> Browser | None:
    """Return the browser session of a cookie, if it is one of ours and still lives."""
    found = session.get(Browser, ids.digest(cookie)) if cookie else None
    return found if found is not None and found.expires > now else None


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

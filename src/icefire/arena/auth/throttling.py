"""Login throttling: failed tries are counted by account, browser or address, and too many are refused for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from icefire.arena.errors import TooMany
from icefire.arena.storage.database import Database, lock
from icefire.arena.storage.tables import AttemptRow

WINDOW = timedelta(minutes=15)
TRIES = {"account": 10, "browser": 10, "address": 60, "invite": 20, "register": 100, "wrong": 30}
"""Failures allowed in a window, by what the key begins with; "wrong" are submissions that could not be taken.

Of registrations all count, and a whole hall may come from one address.
"""


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
    attempt = session.get(AttemptRow, key)
    if attempt is not None and (all_of_them or attempt.failures <= 1):
        session.delete(attempt)
    elif attempt is not None:
        attempt.failures -= 1


def check_tries(session: Session, key: str, now: datetime) -> None:
    """Refuse a key that failed too often lately."""
    attempt = session.get(AttemptRow, key)
    if attempt is not None and attempt.failures >= TRIES[key.partition(":")[0]] and now < attempt.since + WINDOW:
        raise TooMany(int((attempt.since + WINDOW - now).total_seconds()) + 1)


def count_failure(session: Session, key: str, now: datetime) -> None:
    """Remember a failure; after a quiet while counting begins anew."""
    lock(session, key)
    attempt = session.get(AttemptRow, key)
    if attempt is None or now >= attempt.since + WINDOW:
        session.merge(AttemptRow(key=key, failures=1, since=now))
    else:
        attempt.failures += 1

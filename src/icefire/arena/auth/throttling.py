"""Throttling: failed tries are counted by what they are about, and too many are refused for a while; see `login`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from icefire.arena.errors import TooMany
from icefire.arena.storage.database import FAILURES, Database, lock
from icefire.arena.storage.tables import AttemptRow

WINDOW = timedelta(minutes=15)
TRIES = {
    "pair": 10,
    "account": 100,
    "browser": 10,
    "address": 60,
    "invite": 20,
    "link": 20,
    "register": 100,
    "wrong": 30,
}
"""Failures allowed in a window, by what the key begins with; "wrong" are submissions that could not be taken.

"pair" are logins at one account from one address. Of registrations all count, and a whole hall may come from one
address.
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
    if seconds := seconds_left(session, key, now):
        raise TooMany(seconds)


def seconds_left(session: Session, key: str, now: datetime) -> int:
    """Return for how long a key that failed too often lately counts as such; 0 where it did not."""
    lock(session, key)
    attempt = session.get(AttemptRow, key)
    if attempt is None or attempt.failures < allowed(session, key) or now >= attempt.since + WINDOW:
        return 0
    return int((attempt.since + WINDOW - now).total_seconds()) + 1


def allowed(session: Session, key: str) -> int:
    """Return how many failures a key may have: as the contest says, or as usual."""
    kind = key.partition(":")[0]
    own: Mapping[str, int] = session.info.get(FAILURES, {})
    return own.get(kind, TRIES[kind])


def count_failure(session: Session, key: str, now: datetime) -> None:
    """Remember a failure; after a quiet while counting begins anew."""
    lock(session, key)
    attempt = session.get(AttemptRow, key)
    if attempt is None or now >= attempt.since + WINDOW:
        session.merge(AttemptRow(key=key, failures=1, since=now))
    else:
        attempt.failures += 1

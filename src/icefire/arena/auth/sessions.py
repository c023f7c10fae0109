"""Browser sessions: opening, finding and closing them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import bindparam, delete, func, select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.auth import throttling
from icefire.arena.storage.tables import (
    AccountRow,
    AttemptRow,
    BrowserSessionRow,
    MembershipRow,
    PastMembershipRow,
    TeamRow,
)

SESSION_LIFE = timedelta(hours=12)


_PAST = select(func.aggregate_strings(PastMembershipRow.team_id, ",")).where(
    PastMembershipRow.account_id == BrowserSessionRow.account_id
)
_OWNER = (
    select(BrowserSessionRow, AccountRow, MembershipRow, TeamRow, _PAST.scalar_subquery())
    .outerjoin(AccountRow, AccountRow.id == BrowserSessionRow.account_id)
    .outerjoin(MembershipRow, MembershipRow.account_id == BrowserSessionRow.account_id)
    .outerjoin(TeamRow, TeamRow.id == MembershipRow.team_id)
    .where(BrowserSessionRow.id == bindparam("id"), BrowserSessionRow.expires > bindparam("now"))
)
"""Written once: a question that is put together for every request takes longer than its answer."""


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A browser session as its owner knows it."""

    cookie: str
    csrf: str
    account_id: str


class SessionOwner(NamedTuple):
    """A browser session and whose it is."""

    browser: BrowserSessionRow
    account: AccountRow | None
    member: MembershipRow | None
    team: TeamRow | None
    past_teams: frozenset[str]
    """Teams the account was in before."""


def open_session(session: Session, account: AccountRow, now: datetime) -> OpenedSession:
    """Begin a browser session with a fresh cookie; only its digest is stored."""
    opened = OpenedSession(ids.new_secret(), ids.new_secret()[:43], account.id)
    session.add(
        BrowserSessionRow(
            id=ids.digest(opened.cookie), account_id=opened.account_id, csrf=opened.csrf, expires=now + SESSION_LIFE
        )
    )
    return opened


def session_owner(session: Session, cookie: str | None, now: datetime) -> SessionOwner | None:
    """Return a valid browser session with its account and team, in one query, because every request asks for it."""
    row = session.execute(_OWNER, {"id": ids.digest(cookie), "now": now}).first() if cookie else None
    if row is None:
        return None
    return SessionOwner(row[0], row[1], row[2], row[3], frozenset((row[4] or "").split(",")) - {""})


def close_session(session: Session, cookie: str) -> None:
    """End one browser session."""
    session.execute(delete(BrowserSessionRow).where(BrowserSessionRow.id == ids.digest(cookie)))


def close_all(session: Session, account_id: str) -> None:
    """End every browser session of an account, as after a new password or another role."""
    session.execute(delete(BrowserSessionRow).where(BrowserSessionRow.account_id == account_id))


def forget_expired(session: Session, now: datetime) -> None:
    """Clear away what has expired."""
    session.execute(delete(BrowserSessionRow).where(BrowserSessionRow.expires <= now))
    session.execute(delete(AttemptRow).where(AttemptRow.since <= now - throttling.WINDOW))

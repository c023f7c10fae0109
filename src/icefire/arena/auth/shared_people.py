"""People that two teams have had in common, at any time."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.storage.tables import MembershipRow, PastMembershipRow


def ever_members(session: Session, team_id: str) -> set[str]:
    """Return the accounts that are or were in a team."""
    present = select(MembershipRow.account_id).where(MembershipRow.team_id == team_id)
    past = select(PastMembershipRow.account_id).where(PastMembershipRow.team_id == team_id)
    return {*session.scalars(present), *session.scalars(past)}


def shared(session: Session, one: str, other: str) -> set[str]:
    """Return the accounts that have been in both teams, whichever came first."""
    return ever_members(session, one) & ever_members(session, other)


def all_shared(session: Session) -> dict[frozenset[str], set[str]]:
    """Return, for every two teams that have had people in common, who these are."""
    teams: dict[str, set[str]] = {}
    for table in (MembershipRow, PastMembershipRow):
        for account_id, team_id in session.execute(select(table.account_id, table.team_id)):
            teams.setdefault(account_id, set()).add(team_id)
    pairs: dict[frozenset[str], set[str]] = {}
    for account_id, theirs in teams.items():
        for one in theirs:
            for other in theirs - {one}:
                pairs.setdefault(frozenset((one, other)), set()).add(account_id)
    return pairs

"""The actor of a request: account, role and team, read from the session or token and never from a form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.storage.tables import AccountRow, MembershipRow, PastMembershipRow

AccountRole = Literal["visitor", "player", "judge", "organiser", "admin"]
STAFF: tuple[AccountRole, ...] = ("judge", "organiser", "admin")


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody, or a visitor."""

    account_id: str | None = None
    name: str = "visitor"
    role: AccountRole = "visitor"
    team_id: str | None = None
    captain: bool = False
    past_teams: frozenset[str] = field(default_factory=frozenset)
    """Teams this account was in before."""

    @property
    def known(self) -> bool:
        """Tell somebody who logged in."""
        return self.account_id is not None

    @property
    def judges(self) -> bool:
        """Tell who may see what is still hidden: scores, authors. Not even they see a correspondence."""
        return self.role in STAFF

    @property
    def organises(self) -> bool:
        """Tell who may change the competition."""
        return self.role in ("organiser", "admin")


VISITOR = Actor()


def actor_of(session: Session, account: AccountRow) -> Actor:
    """Return the actor for an account."""
    return with_membership(session, account, session.get(MembershipRow, account.id))


def with_membership(session: Session, account: AccountRow, member: MembershipRow | None) -> Actor:
    """Return the actor for an account whose membership is known."""
    if account.disabled:
        return VISITOR
    past = session.scalars(select(PastMembershipRow.team_id).where(PastMembershipRow.account_id == account.id)).all()
    return Actor(
        account_id=account.id,
        name=account.name,
        role=account.role,  # type: ignore[arg-type]
        team_id=member.team_id if member else None,
        captain=member.captain if member else False,
        past_teams=frozenset(past),
    )

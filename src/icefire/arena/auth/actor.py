"""The actor of a request: account, role and team, read from the session or token and never from a form."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.storage.tables import AccountRow, MembershipRow, PastMembershipRow

AccountRole = Literal["visitor", "player", "judge", "organiser", "admin"]
ROLES: tuple[AccountRole, ...] = get_args(AccountRole)[1:]
"""From the least to the most powerful; a visitor has no account."""
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


def actor_of(session: Session, account: AccountRow, at_most: str | None = None) -> Actor:
    """Return the actor for an account; `at_most` is the role of a token, which the account may have left behind."""
    past = session.scalars(select(PastMembershipRow.team_id).where(PastMembershipRow.account_id == account.id)).all()
    actor = with_membership(account, session.get(MembershipRow, account.id), frozenset(past))
    if at_most is None or not actor.known or ROLES.index(actor.role) <= _rank(at_most):
        return actor
    return replace(actor, role=ROLES[_rank(at_most)])


def _rank(role: str) -> int:
    """Return how powerful a role is; one that is not known is no more than a player's."""
    return ROLES.index(role) if role in ROLES else 0


def with_membership(account: AccountRow, member: MembershipRow | None, past_teams: frozenset[str]) -> Actor:
    """Return the actor for an account whose memberships, present and past, are known."""
    if account.disabled:
        return VISITOR
    return Actor(
        account_id=account.id,
        name=account.name,
        role=account.role,  # type: ignore[arg-type]
        team_id=member.team_id if member else None,
        captain=member.captain if member else False,
        past_teams=past_teams,
    )

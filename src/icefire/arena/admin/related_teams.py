"""Facts about teams that may belong together, for judges and organisers to weigh: people, invitations, addresses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.admin.permissions import looking
from icefire.arena.auth import shared_people
from icefire.arena.auth.actor import Actor
from icefire.arena.contest.arena import Arena
from icefire.arena.storage.tables import AccountAddressRow, AccountRow, EventRow, MembershipRow, TeamRow

SuspicionKind = Literal["people", "invited", "address"]


@dataclass(frozen=True, slots=True)
class SuspicionFact:
    """Something that two or more teams have in common."""

    kind: SuspicionKind
    teams: tuple[str, ...]
    people: tuple[str, ...]


def suspicions(arena: Arena, actor: Actor) -> list[SuspicionFact]:
    """Return what teams have in common: people, founders invited by another team, addresses."""
    with looking(arena, actor) as session:
        teams = {one.id: one.name for one in session.scalars(select(TeamRow))}
        names = {one.id: one.name for one in session.scalars(select(AccountRow))}
        return [
            *_people(session, teams, names),
            *_founders(session, teams, names),
            *_addresses(session, teams, names),
        ]


def _people(session: Session, teams: dict[str, str], names: dict[str, str]) -> list[SuspicionFact]:
    pairs = shared_people.all_shared(session).items()
    return sorted((_fact("people", pair, who, teams, names) for pair, who in pairs), key=lambda one: one.teams)


def _founders(session: Session, teams: dict[str, str], names: dict[str, str]) -> list[SuspicionFact]:
    """Accounts that were made with one team's invitation and have founded another."""
    by = {one.id: one.invited_by for one in session.scalars(select(AccountRow)) if one.invited_by is not None}
    facts = []
    for line in session.scalars(select(EventRow).where(EventRow.kind == "team").order_by(EventRow.number)):
        inviter, founded = by.get(line.actor), line.body["team"]
        if inviter in teams and founded in teams and inviter != founded:
            facts.append(SuspicionFact("invited", (teams[inviter], teams[founded]), (names[line.actor],)))
    return facts


def _addresses(session: Session, teams: dict[str, str], names: dict[str, str]) -> list[SuspicionFact]:
    """Addresses from which people of several teams came, those of the fewest teams first: a hall has one for all."""
    query = select(AccountAddressRow.address, MembershipRow.account_id, MembershipRow.team_id)
    joined = query.join(MembershipRow, MembershipRow.account_id == AccountAddressRow.account_id)
    theirs: dict[str, set[str]] = {}
    people: dict[str, set[str]] = {}
    for address, account_id, team_id in session.execute(joined):
        theirs.setdefault(address, set()).add(team_id)
        people.setdefault(address, set()).add(account_id)
    several = [one for one, ids in theirs.items() if len(ids) > 1]
    facts = {_fact("address", frozenset(theirs[one]), people[one], teams, names) for one in several}
    return sorted(facts, key=lambda one: (len(one.teams), one.teams))


def _fact(
    kind: SuspicionKind, pair: frozenset[str], who: set[str], teams: dict[str, str], names: dict[str, str]
) -> SuspicionFact:
    return SuspicionFact(kind, tuple(sorted(teams[one] for one in pair)), tuple(sorted(names[one] for one in who)))

"""What captains do with their team: remove a member, hand over, rename."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete
from sqlalchemy.orm import Session

from icefire.arena.auth import teams
from icefire.arena.auth.actor import Actor
from icefire.arena.contest import public_record
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Absent, Clash, Refused
from icefire.arena.storage import log
from icefire.arena.storage.database import lock
from icefire.arena.storage.tables import InviteRow, MembershipRow, PastMembershipRow, TeamRow


def remove_member(session: Session, by: Actor, account_id: str, now: datetime) -> None:
    """Take somebody out of the team. Unused codes of the captain end, so that nobody comes back with one.

    What the member handed in stays the team's, and the team's releases stay out of bounds for the member.
    """
    own, member = _captain_and_member(session, by, account_id)
    session.delete(member)
    session.merge(PastMembershipRow(account_id=account_id, team_id=own.team_id))
    session.execute(delete(InviteRow).where(InviteRow.team_id == own.team_id, InviteRow.by_organiser.is_(False)))
    log.write(session, now, by.account_id or "", "removed", team=own.team_id, account=account_id)


def hand_over(session: Session, by: Actor, account_id: str, now: datetime) -> None:
    """Make another member the captain in one's place."""
    own, member = _captain_and_member(session, by, account_id)
    own.captain, member.captain = False, True
    log.write(session, now, by.account_id or "", "captain", team=own.team_id, account=account_id)


def rename(session: Session, arena: Arena, by: Actor, name: str) -> None:
    """Give the team another name, except while the board of a round stands still."""
    public_record.check(session)
    own = _captain(session, by)
    if any(one.frozen for one in arena.rounds(session)):
        raise Refused("the board of a round stands still and so do the names on it; rename the team after its reveal")
    team = session.get_one(TeamRow, own.team_id, with_for_update=True)
    shown, key = teams.free_name(session, name, of=team)
    before, team.name, team.name_key = team.name, shown, key
    log.write(session, arena.now(), by.account_id or "", "renamed", team=team.id, name=shown, before=before)


def _captain_and_member(session: Session, by: Actor, account_id: str) -> tuple[MembershipRow, MembershipRow]:
    """Return the membership of the captain and of another member, as of this very moment."""
    public_record.check(session)
    lock(session, f"member {account_id}")  # before the team, as where somebody joins
    own = _captain(session, by)
    if account_id == by.account_id:
        raise Clash("this is yourself; hand over to another member, or leave the team")
    member = session.get(MembershipRow, account_id, with_for_update=True)
    if member is None or member.team_id != own.team_id:
        raise Absent
    return own, member


def _captain(session: Session, by: Actor) -> MembershipRow:
    """Return the captain's own membership; the team is locked, so that it has one captain whatever comes at once."""
    lock(session, f"team {by.team_id}")
    own = session.get(MembershipRow, by.account_id, with_for_update=True) if by.account_id else None
    if own is None or not own.captain:
        raise Refused("only the captain of the team may do this")
    return own

"""Teams: creating, joining and leaving one."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.auth import invitations, names
from icefire.arena.auth.actor import Actor
from icefire.arena.contest import public_record
from icefire.arena.errors import Absent, Clash, Refused
from icefire.arena.storage import log
from icefire.arena.storage.database import lock
from icefire.arena.storage.tables import MembershipRow, PastMembershipRow, TeamRow


def create_team(session: Session, by: Actor, name: str, now: datetime) -> TeamRow:
    """Make a team with its founder as captain."""
    if not by.known or by.role != "player":
        raise Refused("only players found teams")
    _check_free(session, by)
    shown = names.clean_name(name, "team's name")
    key = ids.name_key(shown)
    lock(session, "names")
    if session.scalars(select(TeamRow).where(TeamRow.name_key == key)).first():
        raise Clash("this name is taken; choose another one")
    team = TeamRow(id=ids.new_id(), name=shown, name_key=key, created=now)
    session.add(team)
    session.flush()
    session.add(MembershipRow(account_id=by.account_id, team_id=team.id, captain=True))
    log.write(session, now, by.account_id or "", "team", team=team.id, name=shown)
    return team


def _check_free(session: Session, by: Actor) -> None:
    """Refuse who is in a team, as of this very moment: a form may have been sent twice at once."""
    public_record.check(session)
    lock(session, f"member {by.account_id}")
    if session.get(MembershipRow, by.account_id):
        raise Clash("you are in a team already; leave it first")


def join_team(session: Session, by: Actor, code: str, now: datetime) -> TeamRow:
    """Join the team a code was made for."""
    if not by.known or by.role != "player":
        raise Refused("only players join teams")
    _check_free(session, by)
    invite = invitations.use_invite(session, code, now)
    if invite.team_id is None:
        raise Refused("this invitation is not for a team")
    return join(session, by.account_id or "", invite.team_id, now)


def join(session: Session, account_id: str, team_id: str, now: datetime) -> TeamRow:
    """Make an account a member of a team."""
    team = session.get(TeamRow, team_id)
    if team is None:
        raise Absent
    session.add(MembershipRow(account_id=account_id, team_id=team.id, captain=False))
    log.write(session, now, account_id, "joined", team=team.id)
    return team


def leave_team(session: Session, by: Actor, now: datetime) -> None:
    """Leave the team; what was handed in stays the team's, and its releases stay out of bounds for whoever left."""
    lock(session, f"member {by.account_id}")
    member = session.get(MembershipRow, by.account_id) if by.account_id else None
    if member is None:
        raise Clash("you are in no team")
    others = session.scalars(
        select(MembershipRow).where(MembershipRow.team_id == member.team_id, MembershipRow.account_id != by.account_id)
    ).all()
    if member.captain and others:
        others[0].captain = True
    session.delete(member)
    session.merge(PastMembershipRow(account_id=by.account_id, team_id=member.team_id))
    log.write(session, now, by.account_id or "", "left", team=member.team_id)

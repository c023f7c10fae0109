"""Teams: creating, joining and leaving one."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.auth import invitations, names
from icefire.arena.auth.actor import Actor
from icefire.arena.contest import public_record
from icefire.arena.contest.definition import Definition
from icefire.arena.errors import Absent, Clash, Refused, WrongInput
from icefire.arena.storage import log
from icefire.arena.storage.database import lock
from icefire.arena.storage.tables import MembershipRow, PastMembershipRow, TeamRow


def create_team(session: Session, by: Actor, name: str, now: datetime, division: str | None = None) -> TeamRow:
    """Make a team with its founder as captain, in one of the contest's divisions where it has them."""
    if not by.known or by.role != "player":
        raise Refused("only players found teams")
    _check_free(session, by)
    shown, key = free_name(session, name)
    team = TeamRow(id=ids.new_id(), name=shown, name_key=key, created=now, division=division)
    session.add(team)
    session.flush()
    session.add(MembershipRow(account_id=by.account_id, team_id=team.id, captain=True))
    extra = {"division": division} if division else {}
    log.write(session, now, by.account_id or "", "team", team=team.id, name=shown, **extra)
    return team


def checked_division(definition: Definition, given: str) -> str | None:
    """Return the division a team is founded in: one of the contest's, where it has them."""
    if not definition.divisions and not given:
        return None
    if given not in definition.divisions:
        raise WrongInput(f"division is {given!r}; it takes one of {', '.join(definition.divisions) or 'none'}")
    return given


def free_name(session: Session, name: str, of: TeamRow | None = None) -> tuple[str, str]:
    """Return a team's name as it is shown and as it is compared, if no other team has it."""
    shown = names.clean_name(name, "team's name")
    names.check_free(session, TeamRow, shown, but=of.id if of is not None else None)
    return shown, ids.name_key(shown)


def _check_free(session: Session, by: Actor) -> None:
    """Refuse who is in a team, as of this very moment: a form may have been sent twice at once."""
    public_record.check(session)
    lock(session, f"member {by.account_id}")
    if session.get(MembershipRow, by.account_id):
        raise Clash("you are in a team already; leave it first")


def join_team(session: Session, by: Actor, code: str, now: datetime, most: int | None = None) -> TeamRow:
    """Join the team a code was made for, if it has fewer than `most` members."""
    if not by.known or by.role != "player":
        raise Refused("only players join teams")
    _check_free(session, by)
    invite = invitations.use_invite(session, code, now)
    if invite.team_id is None:
        raise Refused("this invitation is not for a team")
    return join(session, by.account_id or "", invite.team_id, now, most)


def join(session: Session, account_id: str, team_id: str, now: datetime, most: int | None = None) -> TeamRow:
    """Make an account a member of a team, if it has fewer than `most`; two who come at once are counted in turn."""
    lock(session, f"team {team_id}")
    team = session.get(TeamRow, team_id)
    if team is None:
        raise Absent
    size = session.scalar(select(func.count()).select_from(MembershipRow).where(MembershipRow.team_id == team_id)) or 0
    if most is not None and size >= most:
        raise Clash(f"the team has {size} members; at most {most} are allowed")
    session.add(MembershipRow(account_id=account_id, team_id=team.id, captain=False))
    log.write(session, now, account_id, "joined", team=team.id)
    return team


def leave_team(session: Session, by: Actor, now: datetime) -> None:
    """Leave the team; what was handed in stays the team's, and its releases stay out of bounds for whoever left."""
    lock(session, f"member {by.account_id}")
    lock(session, f"team {by.team_id}")
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

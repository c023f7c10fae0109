"""Invitations: codes with which somebody may register or join a team."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.auth.actor import Actor
from icefire.arena.errors import Refused
from icefire.arena.storage import log
from icefire.arena.storage.tables import InviteRow

INVITE_LIFE = timedelta(days=14)


def new_invite(session: Session, by: Actor, team_id: str | None, now: datetime, uses: int = 1) -> str:
    """Make a code to register or to join a team with, and return it, this one time."""
    if not by.organises and not (by.captain and team_id is not None and team_id == by.team_id):
        raise Refused("only a captain invites to the team, and only organisers to the competition")
    code = ids.new_secret()[:22]
    session.add(
        InviteRow(
            code=ids.digest(code),
            team_id=team_id,
            expires=now + INVITE_LIFE,
            uses_left=max(1, uses),
            by_organiser=by.organises,
        )
    )
    log.write(session, now, by.account_id or "", "invite", team=team_id, uses=uses)
    return code


def use_invite(session: Session, code: str, now: datetime) -> InviteRow:
    """Use a code up once; where strangers try codes, they are counted like passwords (throttling.counted)."""
    invite = session.get(InviteRow, ids.digest(code.strip()), with_for_update=True)
    if invite is None or invite.expires <= now or invite.uses_left < 1:
        raise Refused("this invitation is not valid (any more); ask for a new one")
    invite.uses_left -= 1
    return invite

"""Accounts and teams: registering, joining, leaving, and who leads."""

from __future__ import annotations

import unicodedata
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from icefire.arena import actor as actors
from icefire.arena import doors, ids, log, records
from icefire.arena.actor import Actor
from icefire.arena.database import Database, lock
from icefire.arena.definition import Definition
from icefire.arena.errors import Absent, Clash, Refused, WrongInput
from icefire.arena.tables import Account, Guess, Invite, Membership, PastMembership, Release, Team

MOST_NAME = 40
INVITE_LIFE = timedelta(days=14)


def clean_name(name: str, what: str) -> str:
    """Return a name that can be shown: no control or invisible characters, not empty, not long."""
    shown = " ".join(unicodedata.normalize("NFKC", name).split())
    if not shown or len(shown) > MOST_NAME:
        raise WrongInput(f"the {what} has {len(shown)} characters; it takes 1 to {MOST_NAME}")
    if any(unicodedata.category(letter)[0] == "C" for letter in shown):
        raise WrongInput(f"the {what} holds a character that cannot be seen; write it without")
    return shown


def add_account(session: Session, name: str, password: str, now: datetime, role: actors.Role = "player") -> Account:
    """Make an account; a name that looks like another one is taken.

    Where others wait for the database, the password is hashed beforehand (doors.hashed).
    """
    shown = clean_name(name, "name")
    lock(session, "names")
    if doors.named(session, shown):
        raise Clash("this name is taken; choose another one")
    password = str(doors.hashed(password))
    account = Account(
        id=ids.new_id(), name=shown, name_key=ids.name_key(shown), password=password, role=role, created=now
    )
    session.add(account)
    session.flush()
    log.write(session, now, account.id, "account", name=shown, role=role)
    return account


def register(
    database: Database, definition: Definition, name: str, password: str, code: str, address: str, now: datetime
) -> Account:
    """Let somebody in by the competition's rule: open, by invitation, or not at all."""
    if definition.registration == "organiser":
        raise Refused("accounts are made by the organisers; ask them for one")
    with database.transaction() as session:
        records.check(session)
        doors.count_try(session, f"register:{address}", now)
    clean_name(name, "name")
    hidden = doors.hashed(password)
    if definition.registration == "open":
        with database.transaction() as session:
            return add_account(session, name, hidden, now)
    with doors.counted(database, f"invite:{address}", now), database.transaction() as session:
        invite = use_invite(session, code, now)
        account = add_account(session, name, hidden, now)
        if invite.team_id:
            _join(session, account.id, invite.team_id, now)
        return account


def new_invite(session: Session, by: Actor, team_id: str | None, now: datetime, uses: int = 1) -> str:
    """Make a code to register or to join a team with, and return it, this one time."""
    if not by.organises and not (by.captain and team_id is not None and team_id == by.team_id):
        raise Refused("only a captain invites to the team, and only organisers to the competition")
    code = ids.new_secret()[:22]
    session.add(Invite(code=ids.digest(code), team_id=team_id, expires=now + INVITE_LIFE, uses_left=max(1, uses)))
    log.write(session, now, by.account_id or "", "invite", team=team_id, uses=uses)
    return code


def use_invite(session: Session, code: str, now: datetime) -> Invite:
    """Use a code up once; where strangers try codes, they are counted like passwords (doors.counted)."""
    found = session.get(Invite, ids.digest(code.strip()), with_for_update=True)
    if found is None or found.expires <= now or found.uses_left < 1:
        raise Refused("this invitation is not valid (any more); ask for a new one")
    found.uses_left -= 1
    return found


def found_team(session: Session, by: Actor, name: str, now: datetime) -> Team:
    """Make a team with its founder as captain."""
    if not by.known or by.role != "player":
        raise Refused("only players found teams")
    _check_free(session, by)
    shown = clean_name(name, "team's name")
    key = ids.name_key(shown)
    lock(session, "names")
    if session.scalars(select(Team).where(Team.name_key == key)).first():
        raise Clash("this name is taken; choose another one")
    team = Team(id=ids.new_id(), name=shown, name_key=key, created=now)
    session.add(team)
    session.flush()
    session.add(Membership(account_id=by.account_id, team_id=team.id, captain=True))
    log.write(session, now, by.account_id or "", "team", team=team.id, name=shown)
    return team


def _check_free(session: Session, by: Actor) -> None:
    """Refuse who is in a team, as of this very moment: a form may have been sent twice at once."""
    records.check(session)
    lock(session, f"member {by.account_id}")
    if session.get(Membership, by.account_id):
        raise Clash("you are in a team already; leave it first")


def join_team(session: Session, by: Actor, code: str, now: datetime) -> Team:
    """Join the team a code was made for."""
    if not by.known or by.role != "player":
        raise Refused("only players join teams")
    _check_free(session, by)
    invite = use_invite(session, code, now)
    if invite.team_id is None:
        raise Refused("this invitation is not for a team")
    return _join(session, by.account_id or "", invite.team_id, now)


def _join(session: Session, account_id: str, team_id: str, now: datetime) -> Team:
    team = session.get(Team, team_id)
    if team is None:
        raise Absent
    session.add(Membership(account_id=account_id, team_id=team.id, captain=False))
    log.write(session, now, account_id, "joined", team=team.id)
    return team


def leave_team(session: Session, by: Actor, now: datetime) -> None:
    """Leave the team; what was handed in stays the team's, and its releases stay out of bounds for whoever left."""
    lock(session, f"member {by.account_id}")
    member = session.get(Membership, by.account_id) if by.account_id else None
    if member is None:
        raise Clash("you are in no team")
    others = session.scalars(
        select(Membership).where(Membership.team_id == member.team_id, Membership.account_id != by.account_id)
    ).all()
    if member.captain and others:
        others[0].captain = True
    session.delete(member)
    session.merge(PastMembership(account_id=by.account_id, team_id=member.team_id))
    log.write(session, now, by.account_id or "", "left", team=member.team_id)


def has_played(session: Session, team_id: str) -> bool:
    """Tell whether a team has handed anything in."""
    for table in (Release, Guess):
        if session.scalar(select(func.count()).select_from(table).where(table.team_id == team_id)):
            return True
    return False

"""Many accounts at once, each with a one-time link to set its password; and links for accounts that exist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.admin import people_file
from icefire.arena.admin.accounts import check_rank, managed_account
from icefire.arena.admin.people_file import MOST_PEOPLE, ListedPerson
from icefire.arena.admin.permissions import acting
from icefire.arena.auth import accounts, links, teams
from icefire.arena.auth import actor as actors
from icefire.arena.auth.actor import Actor
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Absent, Refused, WrongInput
from icefire.arena.notify import changes, outbox
from icefire.arena.storage.tables import TeamRow

TERMINAL = "terminal"
"""In the log, whoever works on the server's own terminal."""


@dataclass(frozen=True, slots=True)
class NewLink:
    """The one-time link of an account; its code is shown this one time."""

    account_id: str
    name: str
    team: str
    mail: str
    code: str
    expires: datetime


def make_accounts(arena: Arena, actor: Actor, people: Sequence[ListedPerson], mail_from: str = "") -> list[NewLink]:
    """Make an account for everybody in a list, or for nobody if something is wrong with one of them.

    With `mail_from`, the address of the server, whoever has an address for mail gets the link there too.
    """
    with acting(arena, actor) as session:
        return _make(session, arena, actor.account_id or "", people, mail_from)


def make_accounts_here(arena: Arena, people: Sequence[ListedPerson], mail_from: str = "") -> list[NewLink]:
    """Do the same on the server's own terminal."""
    with arena.database.transaction() as session:
        return _make(session, arena, TERMINAL, people, mail_from)


def new_link(arena: Arena, actor: Actor, account_id: str) -> NewLink:
    """Make a link with which the owner of an account sets a new password; until then the old one stays."""
    with acting(arena, actor) as session:
        account = managed_account(session, account_id)
        check_rank(actor, account.role)
        code = links.new_link(session, actor.account_id or "", account, arena.now())
        return NewLink(account.id, account.name, "", account.mail or "", code, arena.now() + links.LIFE)


def new_link_here(arena: Arena, name: str) -> NewLink:
    """Do the same on the server's own terminal, for an account by its name."""
    with arena.database.transaction() as session:
        account = accounts.account_named(session, name)
        if account is None:
            raise Absent
        code = links.new_link(session, TERMINAL, account, arena.now())
        return NewLink(account.id, account.name, "", account.mail or "", code, arena.now() + links.LIFE)


def _make(session: Session, arena: Arena, by: str, people: Sequence[ListedPerson], mail_from: str) -> list[NewLink]:
    if mail_from and arena.definition.mail is None:
        raise WrongInput("the contest sends no mail; write [mail] in contest.toml, or hand the links out yourself")
    if not 1 <= len(people) <= MOST_PEOPLE:
        raise WrongInput(f"the list has {len(people):,} people; it takes 1 to {MOST_PEOPLE:,}")
    problems = people_file.problems(people, arena.definition.divisions)
    new_links = []
    for one in people:
        try:
            with session.begin_nested():
                new_links.append(_one(session, arena, by, one))
        except Refused as refusal:
            problems.append(f"{one.place}: {refusal}")
    if problems:
        raise WrongInput(f"nothing was made: {len(problems):,} problems in the list of people", tuple(problems[:100]))
    for link in new_links if mail_from else ():
        if link.mail:
            body = changes.link_message(arena.definition, link.name, links.address(mail_from, link.code))
            session.add(outbox.new_message("mail", link.mail, body, arena.now()))
    return new_links


def _one(session: Session, arena: Arena, by: str, one: ListedPerson) -> NewLink:
    now = arena.now()
    account = accounts.add_account(session, one.name, links.NO_PASSWORD, now)
    account.mail = one.mail or None
    if one.team:
        _join(session, arena, actors.actor_of(session, account), one)
    code = links.new_link(session, by, account, now)
    return NewLink(account.id, account.name, one.team, one.mail, code, now + links.LIFE)


def _join(session: Session, arena: Arena, who: Actor, one: ListedPerson) -> None:
    """Put somebody into a team: the first of a new one is its captain."""
    team = session.scalars(select(TeamRow).where(TeamRow.name_key == ids.name_key(one.team))).first()
    if team is None:
        division = teams.checked_division(arena.definition, one.division)
        teams.create_team(session, who, one.team, arena.now(), division)
        return
    if one.division and team.division != one.division:
        raise Refused(f"the team {team.name!r} is in another division")
    teams.join(session, who.account_id or "", team.id, arena.now(), arena.definition.members_per_team)

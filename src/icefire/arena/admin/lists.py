"""Lists for organisers and judges: teams, accounts, submissions, the queue, the log; no scores and no answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from icefire.arena.admin.permissions import looking
from icefire.arena.auth.actor import Actor
from icefire.arena.contest.arena import Arena
from icefire.arena.storage import jobs
from icefire.arena.storage.tables import AccountRow, EventRow, GuessRow, JobRow, MembershipRow, ReleaseRow, TeamRow

PAGE = 50


@dataclass(frozen=True, slots=True)
class TeamLine:
    """A team, its people, and how much it has handed in."""

    id: str
    name: str
    created: datetime
    disqualified: str | None
    members: tuple[str, ...]
    """Names of accounts, the captain first."""
    releases: int
    guesses: int
    division: str | None = None


@dataclass(frozen=True, slots=True)
class AccountLine:
    """An account and where it belongs."""

    id: str
    name: str
    role: str
    team: str | None
    created: datetime
    disabled: bool


@dataclass(frozen=True, slots=True)
class ReleaseLine:
    """A release as it was handed in, with its team's name."""

    release: ReleaseRow
    team: str
    twin: bool
    """Whether another team handed in the same table."""


@dataclass(frozen=True, slots=True)
class GuessLine:
    """A team's answers for one release, as they were handed in."""

    guess: GuessRow
    label: str
    """The release they are about."""
    team: str


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the log, with the name of whoever it was."""

    number: int
    at: datetime
    actor: str
    kind: str
    body: dict[str, Any]


def teams(arena: Arena, actor: Actor) -> list[TeamLine]:
    """Return every team by name."""
    with looking(arena, actor) as session:
        members: dict[str, list[str]] = {}
        joined = select(MembershipRow.team_id, AccountRow.name).join(AccountRow)
        for team_id, name in session.execute(joined.order_by(MembershipRow.captain.desc(), AccountRow.name_key)):
            members.setdefault(team_id, []).append(name)
        handed = Counter(session.scalars(select(ReleaseRow.team_id)))
        guessed = Counter(session.scalars(select(GuessRow.team_id)))
        return [
            TeamLine(
                id=team.id,
                name=team.name,
                created=team.created,
                disqualified=team.disqualified,
                members=tuple(members.get(team.id, ())),
                releases=handed[team.id],
                guesses=guessed[team.id],
                division=team.division,
            )
            for team in session.scalars(select(TeamRow).order_by(TeamRow.name_key))
        ]


def accounts(arena: Arena, actor: Actor) -> list[AccountLine]:
    """Return every account by name, for organisers."""
    with looking(arena, actor, judges=False) as session:
        query = (
            select(AccountRow, TeamRow.name)
            .select_from(AccountRow)
            .outerjoin(MembershipRow)
            .outerjoin(TeamRow, TeamRow.id == MembershipRow.team_id)
            .order_by(AccountRow.name_key)
        )
        return [
            AccountLine(one.id, one.name, one.role, team, one.created, one.disabled)
            for one, team in session.execute(query)
        ]


def releases(arena: Arena, actor: Actor, round_name: str) -> list[ReleaseLine]:
    """Return the releases of a round, newest first."""
    arena.round(round_name)
    with looking(arena, actor) as session:
        query = select(ReleaseRow, TeamRow.name).join(TeamRow).where(ReleaseRow.round == round_name)
        rows = session.execute(query.order_by(ReleaseRow.received.desc(), ReleaseRow.id)).all()
    authors = Counter(content for content, _ in {(one.content, one.team_id) for one, _ in rows})
    return [ReleaseLine(one, team, twin=authors[one.content] > 1) for one, team in rows]


def guesses(arena: Arena, actor: Actor, round_name: str) -> list[GuessLine]:
    """Return the guesses of a round, newest first; never how good they are."""
    arena.round(round_name)
    with looking(arena, actor) as session:
        query = (
            select(GuessRow, ReleaseRow.label, TeamRow.name)
            .select_from(GuessRow)
            .join(ReleaseRow)
            .join(TeamRow, TeamRow.id == GuessRow.team_id)
        )
        query = query.where(ReleaseRow.round == round_name).order_by(GuessRow.received.desc(), GuessRow.id)
        return [GuessLine(one, label, team) for one, label, team in session.execute(query)]


def queue(arena: Arena, actor: Actor) -> list[JobRow]:
    """Return what waits, runs or has failed, in the order it will be done."""
    with looking(arena, actor) as session:
        return jobs.queue(session)


def log_page(arena: Arena, actor: Actor, before: int | None = None, size: int = PAGE) -> list[LogLine]:
    """Return a page of the log, newest first: the lines before a number, or the last ones."""
    with looking(arena, actor) as session:
        query = select(EventRow, AccountRow.name).outerjoin(AccountRow, AccountRow.id == EventRow.actor)
        if before is not None:
            query = query.where(EventRow.number < before)
        query = query.order_by(EventRow.number.desc()).limit(max(1, min(size, 500)))
        return [
            LogLine(one.number, one.at, name or one.actor, one.kind, one.body) for one, name in session.execute(query)
        ]

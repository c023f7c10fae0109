"""What stands around every page: the rounds, the mark of live pages, the team of whoever looks.

It is read before the page itself, in the session that finds out who sent the request. A change that comes between the
two makes the mark an old one, and the page is fetched once more; the other way round the change would be missed.
"""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request
from sqlalchemy.orm import Session

from icefire.arena.auth.actor import Actor
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import RoundNow
from icefire.arena.storage.tables import TeamRow
from icefire.arena.web import live


@dataclass(frozen=True, slots=True)
class PageFrame:
    """What base.html needs of the database."""

    rounds: list[RoundNow]
    mark: str
    """Of pages that show who has attacked what."""
    boards_mark: str
    """Of those that show boards only."""
    is_record: bool
    team: TeamRow | None


def read(session: Session, arena: Arena, actor: Actor, team: TeamRow | None = None) -> PageFrame:
    """Read it in one session; the team is read unless it is known already."""
    rounds, is_record = arena.standing(session)
    mark, boards_mark = live.marks(session, rounds)
    if actor.team_id and (team is None or team.id != actor.team_id):
        team = session.get(TeamRow, actor.team_id)
    return PageFrame(rounds, mark, boards_mark, is_record, team if actor.team_id else None)


def rounds_now(request: Request, session: Session, arena: Arena) -> list[RoundNow]:
    """Return the rounds as they were read for what stands around the page or, for other requests, as they are now."""
    known: PageFrame | None = getattr(request.state, "frame", None)
    return arena.rounds(session) if known is None else known.rounds


def is_wanted(request: Request) -> bool:
    """Tell a request for a page from those of programs, and from forms, after which everything is read again."""
    return request.method == "GET" and not request.url.path.startswith("/api/")

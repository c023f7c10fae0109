"""Lines of the log about phases: when each is planned, and that one has begun by the clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.contest import phases, public_record
from icefire.arena.contest.arena import Arena
from icefire.arena.storage import log
from icefire.arena.storage.database import lock
from icefire.arena.storage.tables import EventRow

BEGUN = "begun"
Begun = tuple[str, str, str]
"""A round, a phase of it, and the instant it began."""


def write_begun(arena: Arena) -> None:
    """Write a line for every phase that has begun since the last look. A look that finds none writes nothing."""
    with arena.database.reading() as session:
        if public_record.is_record(session) or not list(_unwritten(arena, session)):
            return
    with arena.database.transaction() as session:
        lock(session, BEGUN)
        for round_name, phase, at in list(_unwritten(arena, session)):
            log.write(session, arena.now(), log.SERVER, BEGUN, round=round_name, phase=phase, starts=at)


def _unwritten(arena: Arena, session: Session) -> Iterator[Begun]:
    lines = session.scalars(select(EventRow.body).where(EventRow.kind == BEGUN))
    written = {(one["round"], one["phase"], one["starts"]) for one in lines}
    standing = phases.paused_since(session) or arena.now()
    for one in arena.rounds(session):
        for phase, starts in one.starts.items():
            if starts <= standing and (one.name, phase, _at(starts)) not in written:
                yield one.name, phase, _at(starts)


def _at(starts: datetime) -> str:
    return starts.isoformat()

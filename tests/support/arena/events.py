"""The events in the log of a competition."""

from __future__ import annotations

from sqlalchemy import select

from icefire.arena.contest.arena import Arena
from icefire.arena.storage import log
from icefire.arena.storage.tables import EventRow


def events(arena: Arena) -> list[tuple[str, str, dict]]:
    """Return kind, actor and body of every event; the chain of hashes must hold."""
    with arena.database.reading() as session:
        assert log.verify(session) == []
        return [(one.kind, one.actor, one.body) for one in session.scalars(select(EventRow).order_by(EventRow.number))]

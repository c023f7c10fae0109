"""Copies of withdrawn releases: they are removed after the contest's retention; hash, time and log stay."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.contest.arena import Arena
from icefire.arena.storage import log
from icefire.arena.storage.store import Shelf
from icefire.arena.storage.tables import ReleaseRow

SHELVES: tuple[Shelf, ...] = ("handed", "release", "truth")


def remove_old(arena: Arena) -> int:
    """Remove the files of releases that left the competition long enough ago; returns of how many."""
    with arena.database.reading() as session:
        if not _due(arena, session):
            return 0
    with arena.database.transaction() as session:
        due = _due(arena, session)
        for one in due:
            one.removed = arena.now()
            log.write(session, arena.now(), log.SERVER, "removed", release=one.id)
        names = [one.id for one in due]
    for name in names:  # only when it is written down: files without a row are found by the doctor
        for shelf in SHELVES:
            arena.store.remove(shelf, name)
    return len(names)


def _due(arena: Arena, session: Session) -> list[ReleaseRow]:
    before = arena.now() - timedelta(days=arena.definition.keep_withdrawn_days)
    left = (ReleaseRow.in_play.is_(False), ReleaseRow.withdrawn < before, ReleaseRow.removed.is_(None))
    return list(session.scalars(select(ReleaseRow).where(*left).order_by(ReleaseRow.id)))

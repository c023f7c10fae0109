"""Finding a release as far as somebody may know of it."""

from __future__ import annotations

from sqlalchemy.orm import Session

from icefire.arena.boards import reading
from icefire.arena.boards.facts import ReleaseFacts, RoundFacts
from icefire.arena.errors import Absent
from icefire.arena.storage.tables import ReleaseRow
from icefire.arena.web.requester import Requester


def find_release(db: Session, requester: Requester, release_id: str) -> tuple[RoundFacts, ReleaseFacts]:
    """Return a round and a release of it that the requester may know of; for others it is not there."""
    stored = db.get(ReleaseRow, release_id)
    if stored is None:
        raise Absent
    known = reading.round_facts(db, requester.arena, stored.round, requester.actor, release_id=release_id)
    for release in known.releases:
        if release.id == release_id:
            return known, release
    raise Absent

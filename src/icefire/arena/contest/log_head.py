"""The published head of the log: whoever keeps one can tell later whether the log up to it was written anew."""

from __future__ import annotations

from sqlalchemy.orm import Session

from icefire.arena.contest.arena import Arena
from icefire.arena.contest.signing import LogHead
from icefire.arena.storage import log
from icefire.arena.storage.tables import EventRow


def public_head(arena: Arena, session: Session) -> LogHead | None:
    """Return the signed head that everybody may see; None while nothing is written."""
    line = log.newest_public(session)
    return None if line is None else signed_head(arena, line)


def signed_head(arena: Arena, line: EventRow) -> LogHead:
    """Return the signed statement that the log had this line at its end."""
    at = line.at.isoformat(timespec="microseconds")
    return arena.signer.sign(LogHead(log_line=line.number, log_hash=line.hash, at=at, key="", signature=""))

"""The head of the log as the server last saw it, kept in the vault: a log whose last lines are dropped is noticed.

It lies beside the key and not in the database, so that whoever has the database alone cannot take it back. Each server
writes it within a second of a new line. One that no longer fits the log is never replaced: it is the evidence.
"""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec
from sqlalchemy.orm import Session

from icefire.arena.contest import log_head, signing
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.signing import LogHead
from icefire.arena.storage import log
from icefire.arena.storage.tables import EventRow
from icefire.io.writing import whole_file

FILE = "log_head.json"
_logger = logging.getLogger("icefire.arena")


def path(arena: Arena) -> Path:
    """Return where it lies."""
    return arena.store.vault / FILE


def read(arena: Arena) -> LogHead | None:
    """Return the head that was kept; None if there is none that this competition has signed."""
    try:
        kept = msgspec.json.decode(path(arena).read_bytes(), type=LogHead)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
    return kept if signing.verify(kept, arena.signer.public_key) else None


class HeadKeeper:
    """Keeps the head of a competition's log as it grows."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._kept_to = 0
        self._told = False

    def keep_up(self, session: Session) -> None:
        """Keep the newest line that a session sees, unless a later one is kept already."""
        line = log.newest(session)
        if line is None or line.number <= self._kept_to:
            return
        before = read(self._arena)
        if before is None or (before.log_line < line.number and _still_there(session, before)):
            try:
                self._write(line)
            except OSError as error:  # a full disk, which the desk tells of
                if not self._told:
                    _logger.warning("the head of the log cannot be kept in the vault: %s", error.strerror)
                self._told = True
                return
        self._kept_to = line.number

    def _write(self, line: EventRow) -> None:
        with whole_file(path(self._arena), force=True, secret=True) as draft:
            draft.write_bytes(msgspec.json.encode(log_head.signed_head(self._arena, line)))


def _still_there(session: Session, kept: LogHead) -> bool:
    line = session.get(EventRow, kept.log_line)
    return line is not None and line.hash == kept.log_hash

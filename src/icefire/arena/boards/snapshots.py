"""Boards as records, and the stored snapshots of frozen ones, each of which is decoded once."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import msgspec
from sqlalchemy import Connection, Engine, select
from sqlalchemy.orm import Session

from icefire.arena.boards.facts import ReleaseFacts
from icefire.arena.boards.rankings import FireBoard, IceBoard
from icefire.arena.contest.phases import RoundNow
from icefire.arena.storage.tables import SnapshotRow


@dataclass(frozen=True, slots=True)
class RoundBoard:
    """Both rankings of a round."""

    round: str
    frozen: datetime | None
    """Since when it has stood still; None if it is live."""
    ice: IceBoard
    fire: FireBoard | None
    """None while the teams' results are hidden."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A frozen board; `releases` are those on it, by id."""

    taken: datetime
    board: RoundBoard
    releases: Mapping[str, ReleaseFacts]


@dataclass(slots=True)
class _Decoded:
    """The snapshots of one database that were decoded, by round."""

    by_round: dict[str, Snapshot] = field(default_factory=dict)


_LOCK = threading.Lock()
_KEPT: weakref.WeakKeyDictionary[Engine | Connection, _Decoded] = weakref.WeakKeyDictionary()


def taken_at(session: Session, now: RoundNow) -> datetime | None:
    """Return when the board of a round was frozen; a snapshot from before the phase was put off counts no more."""
    if not now.frozen:
        return None
    taken = session.scalar(select(SnapshotRow.taken).where(SnapshotRow.round == now.name))
    return taken if taken is not None and taken >= now.starts["freeze"] else None


def snapshot(session: Session, now: RoundNow) -> Snapshot | None:
    """Return the frozen board of a round, if it is frozen. A stored one never changes; a later one has another time."""
    taken = taken_at(session, now)
    if taken is None:
        return None
    with _LOCK:
        kept = _KEPT.setdefault(session.get_bind(), _Decoded()).by_round
        known = kept.get(now.name)
        if known is None or known.taken != taken:
            known = kept[now.name] = _decode(session.get_one(SnapshotRow, now.name))
        return known


def _decode(stored: SnapshotRow) -> Snapshot:
    board = msgspec.convert({**stored.body, "frozen": stored.taken}, RoundBoard)
    return Snapshot(stored.taken, board, {row.release.id: row.release for row in board.ice.rows})

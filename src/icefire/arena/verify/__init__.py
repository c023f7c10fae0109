"""Verification of a competition: the chain of its log, its tables against the log, both against what was published."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy.orm import Session

from icefire.arena.contest import public_record
from icefire.arena.contest.arena import Arena
from icefire.arena.storage import log
from icefire.arena.verify import published, tables

__all__ = ["problems"]


def problems(arena: Arena, session: Session, against: Sequence[Path] = ()) -> list[str]:
    """Return what is wrong, in words; `against` are receipts, heads and bundles that somebody has kept.

    Raises:
        InputError: If a file of `against` is none of these.
    """
    wrong = log.verify(session)
    if not public_record.is_record(session):  # which has facts and no log
        wrong += tables.differences(session)
        wrong += published.differences_from_kept(arena, session)
    for path in against:
        wrong += published.differences(arena, session, path)
    return wrong

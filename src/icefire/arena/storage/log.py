"""The append-only log: each line is chained to the one before by its hash, so that a changed line is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.storage.database import lock
from icefire.arena.storage.tables import EventRow

FIRST = "0" * 64


def write(session: Session, at: datetime, actor: str, kind: str, **body: Any) -> EventRow:
    """Add a line in the transaction of what it tells about."""
    lock(session, "log")
    last = session.scalars(select(EventRow).order_by(EventRow.number.desc()).limit(1)).first()
    number, before = (last.number + 1, last.hash) if last else (1, FIRST)
    plain = json.loads(json.dumps(body))
    event = EventRow(
        number=number,
        at=at,
        actor=actor,
        kind=kind,
        body=plain,
        before=before,
        hash=line_hash(number, at, actor, kind, plain, before),
    )
    session.add(event)
    session.flush()
    return event


def line_hash(number: int, at: datetime, actor: str, kind: str, body: Mapping[str, Any], before: str) -> str:
    """Return the hash of one line."""
    line = [number, at.isoformat(timespec="microseconds"), actor, kind, body, before]
    packed = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(packed.encode("utf-8", "surrogatepass")).hexdigest()


def verify(session: Session) -> list[str]:
    """Check the whole chain; returns what is wrong, line by line."""
    problems = []
    before, expected = FIRST, 1
    for event in session.scalars(select(EventRow).order_by(EventRow.number)).yield_per(1000):
        if event.number != expected:
            problems.append(f"line {expected} is missing; the next one is {event.number}")
        if event.before != before:
            problems.append(f"line {event.number} does not follow from the line before it")
        own = line_hash(event.number, event.at, event.actor, event.kind, event.body, event.before)
        if own != event.hash:
            problems.append(f"line {event.number} was changed: {event.kind} by {event.actor} at {event.at.isoformat()}")
        before, expected = event.hash, event.number + 1
    return problems

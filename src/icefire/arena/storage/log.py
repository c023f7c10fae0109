"""The append-only log: each line is chained to the one before by a hash made with the competition's key.

A changed line is noticed by whoever has the key. Somebody who has the key too, and the database, could write the whole
chain anew; the heads that were published (receipts, the page of the log, the event stream, bundles) then differ.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Collection, Mapping
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from icefire.arena.storage.database import LOG_KEY, lock
from icefire.arena.storage.tables import EventRow

FIRST = "0" * 64
KEYED = "keyed"
"""The line that closes a log of plain hashes, as older versions wrote it: it is the first one made with the key."""
PUBLIC = (
    "team",
    "renamed",
    "division",
    "release",
    "withdrawn",
    "guess",
    "judged",
    "announcement",
    "phase",
    "begun",
    "frozen",
    "pause",
    "resume",
    "disqualified",
    "reveal",
)
"""Kinds of lines that everybody may know to have been written. That a guess was scored is not among them."""
SERVER = "server"
"""In the log, what happens by the clock alone."""


def write(session: Session, at: datetime, actor: str, kind: str, **body: Any) -> EventRow:
    """Add a line in the transaction of what it tells about."""
    lock(session, "log")
    last = newest(session)
    number, before = (last.number + 1, last.hash) if last else (1, FIRST)
    plain = json.loads(json.dumps(body))
    event = EventRow(
        number=number,
        at=at,
        actor=actor,
        kind=kind,
        body=plain,
        before=before,
        hash=line_hash(_key(session), number, at, actor, kind, plain, before),
    )
    session.add(event)
    session.flush()
    return event


def close_plain_lines(session: Session, at: datetime) -> EventRow:
    """Write the line that closes a log of plain hashes, such as one from an older bundle."""
    last = newest(session)
    return write(session, at, SERVER, KEYED, lines=last.number if last else 0)


def newest(session: Session) -> EventRow | None:
    """Return the last line."""
    return session.scalars(select(EventRow).order_by(EventRow.number.desc()).limit(1)).first()


def newest_public(session: Session, without: Collection[str] = ()) -> EventRow | None:
    """Return the last line that everybody may know to have been written; its hash stands for all lines before it."""
    public = select(EventRow).where(EventRow.kind.in_([kind for kind in PUBLIC if kind not in without]))
    return session.scalars(public.order_by(EventRow.number.desc()).limit(1)).first()


def newest_public_numbers(session: Session, without: Collection[str]) -> tuple[int, int]:
    """Return the number of the last public line, and of the last one of other kinds; 0 where there is none.

    Every page asks for both, so they are one question to the database.
    """
    every, other = session.execute(_newest_of(tuple(without))).one()
    return every or 0, other or 0


@cache
def _newest_of(without: tuple[str, ...]) -> Select[int | None, int | None]:
    others = [kind for kind in PUBLIC if kind not in without]
    newest = [
        select(EventRow.number).where(EventRow.kind.in_(kinds)).order_by(EventRow.number.desc()).limit(1)
        for kinds in (PUBLIC, others)
    ]
    return select(newest[0].scalar_subquery(), newest[1].scalar_subquery())


def _key(session: Session) -> bytes:
    key: bytes | None = session.info.get(LOG_KEY)
    if key is None:
        raise RuntimeError("the database was opened without the key of its log; open the competition as a whole")
    return key


def line_hash(
    key: bytes | None, number: int, at: datetime, actor: str, kind: str, body: Mapping[str, Any], before: str
) -> str:
    """Return the hash of one line; without a key it is the plain one of older versions."""
    line = [number, at.isoformat(timespec="microseconds"), actor, kind, body, before]
    packed = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    data = packed.encode("utf-8", "surrogatepass")
    return hmac.digest(key, data, hashlib.sha256).hex() if key is not None else hashlib.sha256(data).hexdigest()


def verify(session: Session) -> list[str]:
    """Check the whole chain; returns what is wrong, line by line."""
    problems = []
    before, expected, first_keyed = FIRST, 1, _first_keyed(session)
    for event in session.scalars(select(EventRow).order_by(EventRow.number)).yield_per(1000):
        if event.number != expected:
            problems.append(f"line {expected} is missing; the next one is {event.number}")
        if event.before != before:
            problems.append(f"line {event.number} does not follow from the line before it")
        key = _key(session) if event.number >= first_keyed else None
        own = line_hash(key, event.number, event.at, event.actor, event.kind, event.body, event.before)
        if own != event.hash:
            problems.append(f"line {event.number} was changed: {event.kind} by {event.actor} at {event.at.isoformat()}")
        before, expected = event.hash, event.number + 1
    return problems


def _first_keyed(session: Session) -> int:
    """Return the number of the first line whose hash is made with the key: in most logs the very first."""
    number = select(EventRow.number).where(EventRow.kind == KEYED).order_by(EventRow.number).limit(1)
    return session.scalar(number) or 1

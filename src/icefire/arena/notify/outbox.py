"""The messages that wait to be sent, as rows of the database: each is tried until it is sent or given up."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.contest import public_record
from icefire.arena.contest.arena import Arena
from icefire.arena.notify import changes
from icefire.arena.storage import log
from icefire.arena.storage.database import lock
from icefire.arena.storage.tables import AccountRow, DeliveryRow, EventRow, SettingRow

CURSOR = "notified"
"""The setting with the number of the last line of the log that was looked at."""
OLDEST = timedelta(days=1)
"""Lines older than this are not told any more, as after a long time without mail or webhook."""
LEASE = timedelta(minutes=2)
"""For so long nobody else tries a message that is being sent."""
DELAYS = (10, 60, 300, 1800, 7200, 21600, 43200)
"""Seconds after each failure; after the last one a message is given up."""
AT_ONCE = 20


def follow(arena: Arena) -> int:
    """Write messages for the lines of the log since the last look; returns how many."""
    if arena.definition.mail is None and arena.definition.webhook is None:
        return 0
    with arena.database.reading() as session:
        newest = log.newest(session)
        if newest is None or public_record.is_record(session) or _cursor(session) == newest.number:
            return 0
    with arena.database.transaction() as session:
        lock(session, CURSOR)
        return _follow(session, arena)


def _follow(session: Session, arena: Arena) -> int:
    newest = log.newest(session)
    end, start = newest.number if newest else 0, _cursor(session)
    session.merge(SettingRow(name=CURSOR, value=end))
    if start is None:  # mail or webhook are new here: what was before is old news
        return 0
    lines = select(EventRow).where(EventRow.number > start, EventRow.number <= end, EventRow.kind.in_(changes.TOLD))
    messages = 0
    for line in session.scalars(lines.order_by(EventRow.number)):
        change = changes.change_of(line)
        if change is not None and line.at > arena.now() - OLDEST:
            for message in _messages(session, arena, change):
                session.add(message)
                messages += 1
    return messages


def _cursor(session: Session) -> int | None:
    setting = session.get(SettingRow, CURSOR)
    return None if setting is None else int(setting.value)


def _messages(session: Session, arena: Arena, change: changes.PhaseChange) -> Iterator[DeliveryRow]:
    definition = arena.definition
    if definition.webhook is not None:
        yield new_message("webhook", definition.webhook.url, change.as_json(definition), arena.now())
    if definition.mail is not None:
        body = {"subject": changes.subject(definition, change), "text": changes.text(definition, change)}
        people = select(AccountRow.mail).where(AccountRow.mail.is_not(None), AccountRow.disabled.is_(False))
        for address in sorted({str(one) for one in session.scalars(people)}):
            yield new_message("mail", address, body, arena.now())


def new_message(kind: str, target: str, body: dict[str, Any], now: datetime) -> DeliveryRow:
    """Return a message to be sent as soon as possible; whoever makes it adds it to the transaction it belongs to."""
    return DeliveryRow(
        id=ids.new_id(), kind=kind, target=target, body=body, created=now, not_before=now, state="waiting", tries=0
    )


def take_due(arena: Arena) -> list[DeliveryRow]:
    """Take messages whose time has come; for a while nobody else takes them."""
    taken = []
    now = arena.now()
    with arena.database.transaction() as session:
        due = select(DeliveryRow).where(DeliveryRow.state == "waiting", DeliveryRow.not_before <= now)
        for one in session.scalars(due.order_by(DeliveryRow.not_before, DeliveryRow.id).limit(AT_ONCE)):
            mine = (
                update(DeliveryRow)
                .where(DeliveryRow.id == one.id, DeliveryRow.state == "waiting", DeliveryRow.not_before <= now)
                .values(not_before=now + LEASE, tries=DeliveryRow.tries + 1)
                .returning(DeliveryRow.id)
                .execution_options(synchronize_session=False)
            )
            if session.scalar(mine) is not None:
                taken.append(one)
    return taken


def sent(arena: Arena, message_id: str) -> None:
    """Write down that a message was sent; what it said is not kept, as it may hold a link."""
    with arena.database.transaction() as session:
        one = session.get_one(DeliveryRow, message_id)
        one.state, one.body, one.error = "sent", {}, ""


def failed(arena: Arena, message_id: str, error: str) -> None:
    """Write down that a message could not be sent, and when it is tried again."""
    with arena.database.transaction() as session:
        one = session.get_one(DeliveryRow, message_id)
        one.error = error[:500]
        if one.tries > len(DELAYS):
            one.state = "given_up"
        else:
            one.not_before = arena.now() + timedelta(seconds=DELAYS[one.tries - 1])

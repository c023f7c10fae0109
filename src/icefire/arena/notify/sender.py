"""The thread that sends messages while the server runs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import SQLAlchemyError

from icefire.arena.contest.arena import Arena
from icefire.arena.notify import outbox, sending
from icefire.arena.notify.sending import NotSent
from icefire.arena.storage import outages

EVERY_SECONDS = 1.0
TROUBLE_SECONDS = 10.0
_logger = logging.getLogger("icefire.arena")


def step(arena: Arena) -> int:
    """Follow the log and send what is due; returns how many messages were tried."""
    outbox.follow(arena)
    taken = outbox.take_due(arena)
    for message in taken:
        try:
            sending.send(arena, message)
        except NotSent as error:
            outbox.failed(arena, message.id, str(error))
        except Exception as error:
            _logger.exception("a message could not be sent")
            outbox.failed(arena, message.id, type(error).__name__)
        else:
            outbox.sent(arena, message.id)
    return len(taken)


@contextmanager
def delivering(arena: Arena) -> Iterator[None]:
    """Send messages as long as the block lasts, in a thread of its own; nothing waits for it."""
    if arena.definition.mail is None and arena.definition.webhook is None:
        yield
        return
    sending.check(arena)
    stop = threading.Event()
    thread = threading.Thread(target=_run, args=(arena, stop), name="icefire-notify", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()


def _run(arena: Arena, stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            busy = step(arena) > 0
        except Exception as error:
            if isinstance(error, SQLAlchemyError) and outages.is_outage(error):
                outages.tell(error)
            else:
                _logger.exception("messages could not be sent; trying again")
            stop.wait(TROUBLE_SECONDS)
            continue
        if not busy:
            stop.wait(EVERY_SECONDS)

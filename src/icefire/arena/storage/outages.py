"""A database that cannot be used now: away, full, locked for long, or with tables of another version."""

from __future__ import annotations

import logging
import threading
import time

from sqlalchemy.exc import InterfaceError, OperationalError, ProgrammingError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoFreeConnection

TEXT = "the database cannot be reached at the moment; nothing was taken, try again in a minute"
EVERY_SECONDS = 30.0
"""An outage is told once in so many seconds, not once for each request that meets it."""
OTHER_TABLES = ("UndefinedTable", "UndefinedColumn")
logger = logging.getLogger("icefire.arena")
_lock = threading.Lock()
_told_at = float("-inf")


def is_outage(error: BaseException) -> bool:
    """Tell an error that says nothing about the request or the program."""
    if isinstance(error, ProgrammingError):
        return type(error.orig).__name__ in OTHER_TABLES
    return isinstance(error, OperationalError | InterfaceError | NoFreeConnection)


def tell(error: BaseException) -> None:
    """Write one line about an outage to the server's log, with the reason in the database's own words."""
    global _told_at
    with _lock:
        if time.monotonic() < _told_at + EVERY_SECONDS:
            return
        _told_at = time.monotonic()
    logger.error("the database cannot be used: %s", reason(error))


def reason(error: BaseException) -> str:
    """Return the first line of what the database said; statements and values are no part of it."""
    said = (
        str(getattr(error, "orig", None) or "no free connection") if isinstance(error, SQLAlchemyError) else str(error)
    )
    return said.strip().partition("\n")[0][:300]

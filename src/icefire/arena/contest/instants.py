"""Instants that a competition can have: in UTC, in years that every calendar and database can hold."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from icefire.core.errors import InputError

FIRST, LAST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def in_utc(at: datetime, zone: ZoneInfo) -> datetime:
    """Read a time without offset as one of the organiser's zone."""
    try:
        instant = (at.replace(tzinfo=zone) if at.tzinfo is None else at).astimezone(UTC)
    except OverflowError:
        instant = datetime.max.replace(tzinfo=UTC)
    if not can_be(instant):
        raise InputError(f"the time {at.isoformat()} is out of range; it takes a year from 2000 to 2199")
    return instant


def can_be(instant: datetime) -> bool:
    """Tell whether a competition can have this instant."""
    return FIRST <= instant < LAST


def in_zone(instant: datetime, zone: ZoneInfo) -> datetime:
    """Return an instant as clocks of a zone show it; one at the very end of the calendar stays in UTC."""
    try:
        return instant.astimezone(zone)
    except OverflowError:
        return instant

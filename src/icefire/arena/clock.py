"""The clock that every deadline is compared with; tests may set it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """The time in UTC."""

    def now(self) -> datetime:
        """Return the present instant."""
        return datetime.now(UTC)


class SetClock(Clock):
    """A clock that stands still until it is moved."""

    def __init__(self, at: datetime) -> None:
        self._at = at.astimezone(UTC)

    def now(self) -> datetime:
        """Return the instant it was set to."""
        return self._at

    def set(self, at: datetime) -> None:
        """Set it to an instant."""
        self._at = at.astimezone(UTC)

    def move(self, by: timedelta) -> None:
        """Move it on."""
        self._at += by

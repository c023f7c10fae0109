"""Public records: contests restored from a public bundle, to be looked at and not changed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from icefire.arena.contest import phases
from icefire.arena.errors import Refused
from icefire.arena.storage.tables import SettingRow

RECORD = phases.RECORD


def rows(at: datetime) -> list[SettingRow]:
    """Return the settings that make a competition a record: its clock stands still at the moment of the bundle."""
    return [
        SettingRow(name=RECORD, value={"made": at.isoformat()}),
        SettingRow(name=phases.PAUSED, value=at.isoformat()),
    ]


def is_record(session: Session) -> bool:
    """Tell a record from a competition."""
    return session.get(SettingRow, RECORD) is not None


def check(session: Session) -> None:
    """Refuse whatever would change a record."""
    if is_record(session):
        raise Refused("this is the public record of a competition; it can be looked at, not changed")

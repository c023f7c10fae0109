"""A record: a competition restored from a public bundle. There is everything to see and nothing to play."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from icefire.arena.contest import phases
from icefire.arena.errors import Refused
from icefire.arena.storage.tables import SettingRow

RECORD = "record"


def rows(made: datetime) -> list[SettingRow]:
    """Return the settings that make a competition a record: its clock stands still at the moment of the bundle."""
    return [
        SettingRow(name=RECORD, value={"made": made.isoformat()}),
        SettingRow(name=phases.PAUSED, value=made.isoformat()),
    ]


def is_record(session: Session) -> bool:
    """Tell a record from a competition."""
    return session.get(SettingRow, RECORD) is not None


def check(session: Session) -> None:
    """Refuse whatever would change a record."""
    if is_record(session):
        raise Refused("this is the public record of a competition; it can be looked at, not changed")

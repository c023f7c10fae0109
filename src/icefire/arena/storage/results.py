"""The results of the judge as the log tells them: what is logged is what the tables hold, to the last digit."""

from __future__ import annotations

import math
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.storage.tables import GuessRow, IdentifiedRow, MeasuredRow

TEAM, LEVEL = "team", "level"
"""Sources of guesses: their score, and that on one level of knowledge, named by level and team."""
JUDGE = ("sample", "aya")
"""Sources of what the judge itself achieved."""
PLACE_TAKEN = "judged after a failure; another release has taken its place meanwhile"
"""Note on a release that an older version took out of play when its judge failed, and that could not come back."""


def release_results(session: Session, release_id: str) -> dict[str, Any]:
    """Return the measures of a release and what the judge's own attacks achieved on it."""
    measured = session.scalars(select(MeasuredRow).where(MeasuredRow.release_id == release_id))
    attacks = session.scalars(
        select(IdentifiedRow).where(IdentifiedRow.release_id == release_id, IdentifiedRow.source.in_(JUDGE))
    )
    return {
        "measures": {one.name: _number(one.value) for one in measured},
        "attacks": {f"{one.source} {one.name}": _achieved(one) for one in attacks},
    }


def guess_results(session: Session, guess: GuessRow) -> list[Any] | None:
    """Return what a team's answers achieved, if they are scored."""
    row = session.get(IdentifiedRow, (guess.release_id, TEAM, guess.team_id))
    if row is None:
        return None
    levels = session.scalars(
        select(IdentifiedRow)
        .where(IdentifiedRow.release_id == guess.release_id, IdentifiedRow.source == LEVEL)
        .order_by(IdentifiedRow.name)
    )
    rates = {level_of(one.name): _number(one.rate) for one in levels if one.name.endswith(guess.team_id)}
    return [*_achieved(row), rates] if rates else _achieved(row)


def level_name(level: str, team_id: str) -> str:
    """Return under which name a team's result on one level of knowledge is kept."""
    return f"{level}:{team_id}"


def level_of(name: str) -> str:
    """Return the level of such a name."""
    return name.partition(":")[0]


def _achieved(row: IdentifiedRow) -> list[Any]:
    return [row.hits, row.targets, _number(row.rate)]


def _number(value: float | None) -> float | str | None:
    """Return a number as JSON takes it; PostgreSQL takes no other."""
    return value if value is None or math.isfinite(value) else str(value)

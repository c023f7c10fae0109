"""The rounds of a contest at an instant: the phase of each, and when the next one begins."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.contest.definition import PHASES, Definition
from icefire.arena.storage.tables import PhaseRow, SettingRow

Name = Literal["before", "anonymise", "freeze", "attack", "reveal"]
PAUSED = "paused_since"


@dataclass(frozen=True, slots=True)
class RoundNow:
    """One round at one instant."""

    name: str
    phase: Name
    starts: dict[str, datetime]
    paused: bool
    ceremony_over: bool = True
    """False while a ceremony is still to tell the ranking."""

    @property
    def next(self) -> tuple[str, datetime] | None:
        """The phase that comes next, and when; None after the last."""
        place = -1 if self.phase == "before" else PHASES.index(self.phase)
        return None if place + 1 == len(PHASES) else (PHASES[place + 1], self.starts[PHASES[place + 1]])

    def allows(self, phase: Name) -> bool:
        """Tell whether what belongs to a phase may be done now."""
        return self.phase == phase and not self.paused

    @property
    def revealed(self) -> bool:
        """Tell whether scores are public."""
        return self.phase == "reveal" and self.ceremony_over

    @property
    def frozen(self) -> bool:
        """Tell whether the public board stands still: releases are no longer taken, and scores not yet public."""
        return self.phase in ("freeze", "attack", "reveal") and not self.revealed


def rounds(session: Session, definition: Definition, now: datetime) -> list[RoundNow]:
    """Return every round as it stands; while paused, time stands still."""
    since = paused_since(session)
    at = min(now, since) if since else now
    starts: dict[str, dict[str, datetime]] = {}
    for phase in session.scalars(select(PhaseRow)):
        starts.setdefault(phase.round, {})[phase.name] = phase.starts
    over = _told(session, definition)
    return [
        RoundNow(r.name, _phase(starts[r.name], at), starts[r.name], since is not None, r.name in over)
        for r in definition.rounds
    ]


def ceremony(round_name: str) -> str:
    """Return the name of the setting that holds how far the ceremony of a round has come."""
    return f"reveal:{round_name}"


def _told(session: Session, definition: Definition) -> set[str]:
    """Rounds whose ceremony is over, or that have none."""
    names = {ceremony(one.name): one.name for one in definition.rounds}
    if not definition.ceremony:
        return set(names.values())
    settings = session.scalars(select(SettingRow).where(SettingRow.name.in_(names)))
    return {names[one.name] for one in settings if one.value["done"]}


def _phase(starts: dict[str, datetime], at: datetime) -> Name:
    """The last phase that has begun; an instant belongs to the phase that begins with it."""
    latest: Name = "before"
    for name in PHASES:
        if starts[name] <= at:
            latest = name  # type: ignore[assignment]
    return latest


def current(every: list[RoundNow]) -> RoundNow:
    """The round people are busy with: the first that is not revealed yet, or the last."""
    return next((one for one in every if not one.revealed), every[-1])


def paused_since(session: Session) -> datetime | None:
    """Since when the competition has been paused; None while it runs."""
    setting = session.get(SettingRow, PAUSED)
    return None if setting is None or setting.value is None else datetime.fromisoformat(setting.value)


def pause(session: Session, now: datetime) -> None:
    """Stop the clock of every phase."""
    if paused_since(session) is None:
        session.merge(SettingRow(name=PAUSED, value=now.isoformat()))


def resume(session: Session, now: datetime) -> timedelta:
    """Go on: whatever had not begun when the pause did begins later by the length of the pause."""
    since = paused_since(session)
    if since is None:
        return timedelta(0)
    for phase in session.scalars(select(PhaseRow).where(PhaseRow.starts > since)):
        phase.starts += now - since
    session.merge(SettingRow(name=PAUSED, value=None))
    return now - since

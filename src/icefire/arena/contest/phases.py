"""The rounds of a contest at an instant: the phase of each, and when the next one begins."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from icefire.arena.contest.definition import PHASES, Definition
from icefire.arena.storage.tables import GuessRow, PhaseRow, ReleaseRow, SettingRow

_STARTS = select(PhaseRow.round, PhaseRow.name, PhaseRow.starts)
_SETTINGS = select(SettingRow.name, SettingRow.value).where(SettingRow.name.in_(bindparam("names", expanding=True)))
Name = Literal["before", "anonymise", "freeze", "attack", "reveal"]
WAITING = "waiting"
PAUSED = "paused_since"
RECORD = "record"
"""The setting of a competition that was restored from a public bundle."""


@dataclass(frozen=True, slots=True)
class RoundNow:
    """One round at one instant."""

    name: str
    phase: Name
    starts: dict[str, datetime]
    paused: bool
    ceremony_over: bool = True
    """False while a ceremony is still to tell the ranking, or the reveal waits for the judge."""

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
    return standing(session, definition, now)[0]


def standing(session: Session, definition: Definition, now: datetime) -> tuple[list[RoundNow], bool]:
    """Return every round as it stands, and whether the competition is a public record, with as few questions."""
    settings = _settings(session, definition)
    since = _since(settings.get(PAUSED))
    at = min(now, since) if since else now
    starts: dict[str, dict[str, datetime]] = {}
    for round_name, phase_name, begins in session.execute(_STARTS):
        starts.setdefault(round_name, {})[phase_name] = begins
    phases = {r.name: _phase(starts[r.name], at) for r in definition.rounds}
    begun = [name for name, phase in phases.items() if phase == "reveal"]
    over = _revealed(session, definition, settings, begun)
    every = [
        RoundNow(name, phase, starts[name], since is not None, phase != "reveal" or name in over)
        for name, phase in phases.items()
    ]
    return every, RECORD in settings


def ceremony(round_name: str) -> str:
    """Return the name of the setting that holds how far the ceremony of a round has come."""
    return f"reveal:{round_name}"


def _settings(session: Session, definition: Definition) -> dict[str, Any]:
    """Return the settings on which the rounds depend, in one query, because every page asks for them."""
    names = [PAUSED, RECORD, *(ceremony(one.name) for one in definition.rounds)]
    wanted = session.execute(_SETTINGS, {"names": names})
    return {name: value for name, value in wanted}  # noqa: C416 - rows are no pairs to a type checker


def _revealed(session: Session, definition: Definition, settings: dict[str, Any], begun: list[str]) -> set[str]:
    """Rounds that are public, of those whose reveal has begun: the ceremony is over or, without one, all is scored.

    Once a round is public it stays so, also while something is judged again.
    """
    over = {name for name in begun if settings.get(ceremony(name), {}).get("done", False)}
    if definition.ceremony:
        return over
    if settings.get(RECORD) is not None:
        return set(begun)
    return over | {name for name in begun if name not in over and not unscored(session, name)}


def unscored(session: Session, round_name: str) -> list[ReleaseRow | GuessRow]:
    """Return the releases and guesses of a round that would be missing in its results: the judge has them still."""
    here = (ReleaseRow.round == round_name, ReleaseRow.in_play.is_(True))
    releases = select(ReleaseRow).where(*here, ReleaseRow.state == WAITING).order_by(ReleaseRow.label)
    guesses = select(GuessRow).join(ReleaseRow).where(*here, GuessRow.state == WAITING).order_by(GuessRow.id)
    return [*session.scalars(releases), *session.scalars(guesses)]


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
    return _since(None if setting is None else setting.value)


def _since(value: str | None) -> datetime | None:
    return None if value is None else datetime.fromisoformat(value)


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

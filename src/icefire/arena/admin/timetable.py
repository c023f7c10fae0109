"""Moving and extending phases. Their order is kept, every change is announced, and nothing shown is hidden again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.admin.contest import tell
from icefire.arena.admin.permissions import acting
from icefire.arena.auth.actor import Actor
from icefire.arena.contest import phases
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.definition import PHASES
from icefire.arena.contest.instants import can_be, in_utc, in_zone
from icefire.arena.contest.phases import RoundNow
from icefire.arena.errors import Clash, Refused, WrongInput
from icefire.arena.storage import log
from icefire.arena.storage.tables import EventRow, PhaseRow, ReleaseRow, SettingRow
from icefire.core.errors import InputError

IRREVERSIBLE = ("attack", "reveal")
"""Phases in which files or scores are handed out: nobody can take those back."""
UNDO = "undo_begin"
NO_EVENT = ("begun", "frozen", "announcement", "judged", "scored", "judge_failed", "login", "token", "export")
"""Lines after which a phase begun at once can still be taken back: by the server, or about nothing of the phase."""
MOST_MINUTES = 60 * 24 * 366


class Unconfirmed(Clash):
    """Beginning a phase that cannot be taken back for long, without having said so."""


def move_phase(
    arena: Arena, actor: Actor, round_name: str, phase: str, at: datetime | None = None, *, confirmed: bool = False
) -> datetime:
    """Have a phase begin at another time, or now if none is given; returns when it begins.

    What cannot be taken back, once anybody has acted on it, begins at once only if it is `confirmed`.
    """
    with acting(arena, actor) as session:
        here = _movable(session, arena, round_name, phase)
        if here.paused:
            raise Refused("the competition is paused; let it go on first, then move the phase")
        starts = _instant(at, arena.now())
        _check_order(here, phase, starts)
        at_once = phase in IRREVERSIBLE and starts <= arena.now()
        if at_once and not confirmed:
            raise Unconfirmed(f"{phase!r} would begin at once for everybody; confirm that you want this")
        _store(session, arena, actor, round_name, {phase: starts})
        if at_once:
            _keep_way_back(session, round_name, phase, here.starts[phase])
        return starts


def undo_begin(arena: Arena, actor: Actor, round_name: str) -> None:
    """Take back that a phase was begun at once, as long as nobody has acted on it."""
    with acting(arena, actor) as session:
        back = way_back(session, arena, round_name)
        if back is None:
            raise Clash("there is nothing to take back, or somebody has acted on it already")
        session.delete(session.get_one(SettingRow, UNDO))
        if back.phase == "reveal" and (done := session.get(SettingRow, phases.ceremony(round_name))) is not None:
            session.delete(done)
        _store(session, arena, actor, round_name, {back.phase: back.planned})


@dataclass(frozen=True, slots=True)
class WayBack:
    """A phase that was begun at once, and when it was to begin."""

    phase: str
    planned: datetime


def way_back(session: Session, arena: Arena, round_name: str) -> WayBack | None:
    """Return what can be taken back in a round: until the next event, and until the phase would begin anyway."""
    setting = session.get(SettingRow, UNDO)
    if setting is None or setting.value["round"] != round_name:
        return None
    since = select(EventRow).where(EventRow.number > setting.value["line"], EventRow.kind.not_in(NO_EVENT))
    planned = datetime.fromisoformat(setting.value["planned"])
    acted = any(one.kind != "reveal" or one.actor != log.SERVER for one in session.scalars(since))
    return None if acted or planned <= arena.now() else WayBack(setting.value["phase"], planned)


def _keep_way_back(session: Session, round_name: str, phase: str, planned: datetime) -> None:
    line = log.newest(session)
    value = {"round": round_name, "phase": phase, "planned": planned.isoformat(), "line": line.number if line else 0}
    session.merge(SettingRow(name=UNDO, value=value))


def extend(arena: Arena, actor: Actor, round_name: str, phase: str, minutes: int) -> None:
    """Have a phase, and every later one of the round, begin some minutes later than planned."""
    if not 1 <= minutes <= MOST_MINUTES:
        raise WrongInput(f"minutes is {minutes}; it takes 1 to {MOST_MINUTES:,}")
    with acting(arena, actor) as session:
        here = _movable(session, arena, round_name, phase)
        later = PHASES[PHASES.index(phase) :]
        moved = {name: here.starts[name] + timedelta(minutes=minutes) for name in later}
        if not all(map(can_be, moved.values())):
            raise WrongInput("phases would begin after the year 2199; give fewer minutes")
        if moved[phase] <= _standing(session, arena):
            raise WrongInput(f"{minutes} minutes are too few: {phase!r} would still have begun; give more")
        _store(session, arena, actor, round_name, moved)


def _movable(session: Session, arena: Arena, round_name: str, phase: str) -> RoundNow:
    """Return the round as it stands if this phase of it can still be moved."""
    arena.round(round_name)
    if phase not in PHASES:
        raise WrongInput(f"phase is {phase!r}; it takes one of {', '.join(PHASES)}")
    session.scalars(select(PhaseRow).where(PhaseRow.round == round_name).with_for_update()).all()
    here = arena.round_now(session, round_name)
    if here.starts[phase] > _standing(session, arena):
        return here
    if here.phase != phase or phase in ("attack", "reveal"):
        raise Refused(f"{phase!r} has begun and others have acted on it; it cannot be moved any more")
    if phase == "anonymise" and session.scalars(select(ReleaseRow.id).where(ReleaseRow.round == round_name)).first():
        raise Refused("'anonymise' has begun and releases were handed in; extend 'freeze' instead")
    return here


def _standing(session: Session, arena: Arena) -> datetime:
    """The instant the phases are compared with: now, or when the pause began."""
    return phases.paused_since(session) or arena.now()


def _instant(at: datetime | None, now: datetime) -> datetime:
    """Return a time that is not past; one that is means: at once."""
    if at is not None and at.tzinfo is None:
        raise WrongInput(f"the time {at.isoformat()} has no zone; give it with an offset, such as +00:00")
    if at is None:
        return now
    try:
        return max(in_utc(at, ZoneInfo("UTC")), now)
    except InputError as error:
        raise WrongInput(str(error)) from None


def _check_order(here: RoundNow, phase: str, starts: datetime) -> None:
    place = PHASES.index(phase)
    for other in PHASES[:place]:
        if here.starts[other] > starts:
            raise WrongInput(f"{phase!r} would begin before {other!r} ({here.starts[other]:%Y-%m-%d %H:%M} UTC)")
    for other in PHASES[place + 1 :]:
        if here.starts[other] < starts:
            raise WrongInput(
                f"{phase!r} would begin after {other!r} ({here.starts[other]:%Y-%m-%d %H:%M} UTC); "
                "move that one first, or extend to move all later ones with it"
            )


def _store(session: Session, arena: Arena, actor: Actor, round_name: str, moved: dict[str, datetime]) -> None:
    for name, starts in moved.items():
        session.merge(PhaseRow(round=round_name, name=name, starts=starts))
    logged = {name: starts.isoformat() for name, starts in moved.items()}
    log.write(session, arena.now(), actor.account_id or "", "phase", round=round_name, starts=logged)
    zone = ZoneInfo(arena.definition.zone)
    lines = [f"{name}: {_told(starts, zone)}" for name, starts in moved.items()]
    tell(session, arena, actor, "\n".join([f"New times in the round {round_name!r}:", *lines]))


def _told(starts: datetime, zone: ZoneInfo) -> str:
    return f"{starts:%Y-%m-%d %H:%M:%S} UTC ({in_zone(starts, zone):%Y-%m-%d %H:%M:%S} {zone.key})"

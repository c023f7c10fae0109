"""The ceremony: the organiser reveals the ranking place by place, from the last to the first, ice and then fire.

Until it is over the round does not count as revealed: pages show what they showed before, and only the ceremony's own
page shows the places revealed so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy.orm import Session

from icefire.arena.auth.actor import Actor
from icefire.arena.boards import overall, rankings, reading, revealing
from icefire.arena.contest import phases
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Clash, Refused
from icefire.arena.storage import log
from icefire.arena.storage.database import lock
from icefire.arena.storage.tables import SettingRow

CeremonyBoard = Literal["ice", "fire"]
JUDGE = Actor(name="judge", role="judge")
"""The actor as whom all places are computed; only the places already revealed are returned by this module."""


@dataclass(frozen=True, slots=True)
class RevealedPlace:
    """One place of a ranking."""

    rank: int
    team: str
    label: str | None
    """The team's best release; fire has none."""
    score: float
    """What the rank is by."""
    rate: float
    """Share of records identified: in that release, or by this attacker."""


@dataclass(frozen=True, slots=True)
class CeremonyStage:
    """What the projector shows."""

    round: str
    board: CeremonyBoard
    """The ranking that is being told."""
    ice: tuple[RevealedPlace, ...]
    """Places told so far, the last place first."""
    fire: tuple[RevealedPlace, ...]
    ice_places: int
    """How many there are altogether."""
    fire_places: int
    done: bool

    @property
    def places_shown(self) -> int:
        """How many places have been told; it tells one click of the organiser from the next."""
        return len(self.ice) + len(self.fire)


def stage(arena: Arena, session: Session, round_name: str) -> CeremonyStage:
    """Return what everybody may see of the ceremony now; where there is none, all is shown from the reveal on."""
    now = arena.round_now(session, round_name)
    side, shown = _state(session, round_name)
    ice, fire = _places(arena, session, round_name)
    if now.revealed:
        ice_told, fire_told = len(ice), len(fire)
    elif now.phase != "reveal":
        ice_told, fire_told = 0, 0
    else:
        ice_told, fire_told = (shown, 0) if side == "ice" else (len(ice), shown)
    return CeremonyStage(round_name, side, ice[:ice_told], fire[:fire_told], len(ice), len(fire), now.revealed)


def step(arena: Arena, actor: Actor, round_name: str, seen: int | None = None) -> CeremonyStage:
    """Tell one place more; after the last one the ceremony is over.

    `seen` is the number of places that were told when the organiser clicked: a second click on the same page does
    nothing.
    """
    return _move(arena, actor, round_name, 1, seen)


def back(arena: Arena, actor: Actor, round_name: str, seen: int | None = None) -> CeremonyStage:
    """Take the latest place back."""
    return _move(arena, actor, round_name, -1, seen)


def finish(arena: Arena, actor: Actor, round_name: str) -> CeremonyStage:
    """Tell all that is left; the round is revealed, and that is not taken back."""
    with arena.database.transaction() as session:
        now = _begun(arena, session, actor, round_name)
        _write(arena, session, actor, now, now.ice_places + now.fire_places + 1)
        return stage(arena, session, round_name)


def _move(arena: Arena, actor: Actor, round_name: str, by: int, seen: int | None) -> CeremonyStage:
    with arena.database.transaction() as session:
        now = _begun(arena, session, actor, round_name)
        if seen is not None and seen != now.places_shown:
            return now
        if now.places_shown + by < 0:
            raise Clash("no place has been told yet; there is nothing to take back")
        _write(arena, session, actor, now, now.places_shown + by)
        return stage(arena, session, round_name)


def _begun(arena: Arena, session: Session, actor: Actor, round_name: str) -> CeremonyStage:
    """Return the stage, if this actor may change it now; one at a time."""
    if not actor.organises:
        raise Refused("only organisers lead the ceremony")
    if not arena.definition.ceremony:
        raise Refused("this competition has no ceremony; say ceremony = true in its definition to have one")
    lock(session, "reveal")
    now = arena.round_now(session, round_name)
    if now.phase != "reveal":
        begins = now.starts["reveal"].isoformat(sep=" ", timespec="minutes")
        raise Refused(f"the ceremony of {round_name!r} cannot begin before its reveal, at {begins}")
    if now.revealed:
        raise Clash(f"the ceremony of {round_name!r} is over; everything is public")
    lacking = revealing.missing(session, round_name)
    if lacking.waits:
        n = len(lacking.results)
        raise Clash(f"the ceremony waits for the judge: {n} results are missing; wait, or confirm the list of them")
    return stage(arena, session, round_name)


def _write(arena: Arena, session: Session, actor: Actor, now: CeremonyStage, shown: int) -> None:
    """Store how far the ceremony has come; a step beyond the last place ends it."""
    done = shown > now.ice_places + now.fire_places
    shown = min(shown, now.ice_places + now.fire_places)
    fire = shown > now.ice_places
    value = {"board": "fire" if fire else "ice", "shown": shown - now.ice_places if fire else shown, "done": done}
    session.merge(SettingRow(name=phases.ceremony(now.round), value=value))
    session.flush()
    log.write(session, arena.now(), actor.account_id or "", "reveal", round=now.round, **value)


def _state(session: Session, round_name: str) -> tuple[CeremonyBoard, int]:
    setting = session.get(SettingRow, phases.ceremony(round_name))
    value: dict[str, Any] = setting.value if setting is not None else {}
    return value.get("board", "ice"), value.get("shown", 0)


def _places(
    arena: Arena, session: Session, round_name: str
) -> tuple[tuple[RevealedPlace, ...], tuple[RevealedPlace, ...]]:
    """All places of both rankings, the last one first."""
    known = reading.round_facts(session, arena, round_name, JUDGE)
    releases = rankings.ice(known, arena.ranking, arena.game.score_parts)
    best = overall.teams(releases)
    ice = [
        RevealedPlace(row.rank, row.team, row.best.release.label, row.best.total or 0.0, row.best.security or 0.0)
        for row in best
    ]
    board = rankings.fire(known, arena.game.fire_rule, releases)
    fire = [
        RevealedPlace(row.rank, row.team, None, row.score, row.ratio / 100)
        for row in (board.rows if board else ())
        if row.rank is not None
    ]
    return tuple(reversed(ice)), tuple(reversed(fire))

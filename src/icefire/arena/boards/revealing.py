"""The reveal waits for the judge: what is not scored yet, and the organiser's consent to reveal without it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.auth.actor import Actor
from icefire.arena.contest import phases
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Clash, Refused
from icefire.arena.storage import log
from icefire.arena.storage.database import lock
from icefire.arena.storage.tables import ReleaseRow, SettingRow, TeamRow

DONE = {"board": "fire", "shown": 0, "done": True}


@dataclass(frozen=True, slots=True)
class MissingResult:
    """A release or guess that the judge has not scored."""

    id: str
    kind: str
    """release or guess."""
    label: str
    """The release it is, or is about."""
    team: str


@dataclass(frozen=True, slots=True)
class Missing:
    """All that would be missing if a round were revealed now."""

    results: tuple[MissingResult, ...]
    confirmed: bool
    """Whether an organiser has agreed to reveal without them."""

    @property
    def waits(self) -> bool:
        """Tell whether the reveal waits."""
        return bool(self.results) and not self.confirmed

    @property
    def mark(self) -> str:
        """What an organiser sends back, so that exactly the list shown is agreed to."""
        return hashlib.sha256(" ".join(one.id for one in self.results).encode()).hexdigest()[:16]


def missing(session: Session, round_name: str) -> Missing:
    """Return what the judge has not scored of a round."""
    teams = {one.id: one.name for one in session.scalars(select(TeamRow))}
    results = []
    for one in phases.unscored(session, round_name):
        if isinstance(one, ReleaseRow):
            results.append(MissingResult(one.id, "release", one.label, teams[one.team_id]))
        else:
            label = session.get_one(ReleaseRow, one.release_id).label
            results.append(MissingResult(one.id, "guess", label, teams[one.team_id]))
    agreed = session.get(SettingRow, _setting(round_name))
    ids = {one.id for one in results}
    return Missing(tuple(results), agreed is not None and ids <= set(agreed.value))


def _setting(round_name: str) -> str:
    return f"reveal_without:{round_name}"


def reveal_without(arena: Arena, actor: Actor, round_name: str, mark: str) -> None:
    """Agree that a round is revealed without what is missing; `mark` is that of the list that was shown."""
    if not actor.organises:
        raise Refused("only organisers decide to reveal without results")
    with arena.database.transaction() as session:
        lock(session, "reveal")
        now = arena.round_now(session, round_name)
        if now.phase != "reveal" or now.revealed:
            raise Clash(f"the round {round_name!r} is not waiting to be revealed")
        lacking = missing(session, round_name)
        if mark != lacking.mark:
            raise Clash("the list of what is missing has changed; look at it again")
        ids = [one.id for one in lacking.results]
        session.merge(SettingRow(name=_setting(round_name), value=ids))
        log.write(session, arena.now(), actor.account_id or "", "reveal_without", round=round_name, missing=ids)
        if not arena.definition.ceremony:
            _finish(arena, session, actor.account_id or "", round_name)


def settle(arena: Arena) -> None:
    """Write down that a round without a ceremony is public, once it is: what is judged again later hides nothing."""
    if arena.definition.ceremony:
        return
    with arena.database.reading() as session:
        due = _due(arena, session)
    if not due:
        return
    with arena.database.transaction() as session:
        lock(session, "reveal")
        for name in _due(arena, session):
            _finish(arena, session, log.SERVER, name)


def _due(arena: Arena, session: Session) -> list[str]:
    if session.get(SettingRow, phases.RECORD) is not None:
        return []
    revealed = [one.name for one in arena.rounds(session) if one.phase == "reveal" and one.revealed]
    return [name for name in revealed if not _written(session, name)]


def _written(session: Session, round_name: str) -> bool:
    setting = session.get(SettingRow, phases.ceremony(round_name))
    return setting is not None and bool(setting.value["done"])


def _finish(arena: Arena, session: Session, by: str, round_name: str) -> None:
    session.merge(SettingRow(name=phases.ceremony(round_name), value=DONE))
    log.write(session, arena.now(), by, "reveal", round=round_name, **DONE)

"""One competition, opened: its definition, game, database, files, clock and key."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from icefire import contests
from icefire.arena.clock import Clock
from icefire.arena.contest import definition as definitions
from icefire.arena.contest import phases, signing
from icefire.arena.contest.definition import Definition, Round
from icefire.arena.contest.signing import Signer
from icefire.arena.errors import Absent
from icefire.arena.storage import jobs, log
from icefire.arena.storage.database import Database, at, lock
from icefire.arena.storage.store import Store
from icefire.arena.storage.tables import PhaseRow
from icefire.contests.common.game import ORIGINAL, ORIGINAL_CUSTOMERS, Game
from icefire.io.writing import whole_file

Ranking = Literal["normalised", "rank_sum", "score"]


@dataclass(frozen=True, slots=True)
class Arena:
    """What every action needs."""

    folder: Path
    definition: Definition
    game: Game
    database: Database
    store: Store
    clock: Clock
    signer: Signer

    @property
    def ranking(self) -> Ranking:
        """How releases are ranked: by the contest's own score if it has one, or as the organiser chose."""
        return "score" if self.game.score_parts else self.definition.ranking

    def now(self) -> datetime:
        """Return the server's time; no other counts."""
        return self.clock.now()

    def round(self, name: str) -> Round:
        """Return a round as it was defined."""
        for one in self.definition.rounds:
            if one.name == name:
                return one
        raise Absent

    def rounds(self, session: Session) -> list[phases.RoundNow]:
        """Return every round as it stands now."""
        return phases.rounds(session, self.definition, self.now())

    def standing(self, session: Session) -> tuple[list[phases.RoundNow], bool]:
        """Return every round as it stands now, and whether the competition is a public record."""
        return phases.standing(session, self.definition, self.now())

    def round_now(self, session: Session, name: str) -> phases.RoundNow:
        """Return one round as it stands now."""
        for one in self.rounds(session):
            if one.name == name:
                return one
        raise Absent

    def originals(self, round_name: str) -> dict[str, Path]:
        """Return the files everybody may download, by the name they have in the game."""
        one = self.round(round_name)
        paths = {ORIGINAL: self.folder / one.data}
        return paths if one.customers is None else {**paths, ORIGINAL_CUSTOMERS: self.folder / one.customers}


def open_arena(folder: Path, url: str | None = None, clock: Clock | None = None) -> Arena:
    """Open the competition in a folder; its tables are brought to the newest version first."""
    definition = definitions.load(folder)
    store = Store(folder)
    signer = signing.signer(store.vault)
    database = at(folder, url, signer.log_key, definition.server.failures)
    database.upgrade()
    arena = Arena(
        folder=folder,
        definition=definition,
        game=contests.get_or_build(definition.rules, definition.custom).play(
            definition.limits, joint_attacks=definition.joint_attacks
        ),
        database=database,
        store=store,
        clock=clock or Clock(),
        signer=signer,
    )
    with contextlib.suppress(IntegrityError):  # somebody else opened it in the same moment and did the same
        _begin(arena)
    return arena


def _begin(arena: Arena) -> None:
    """Write down the phases that are not in the database yet, and have each round's original judged for reference."""
    with arena.database.transaction() as session:
        lock(session, "begin")
        for one in arena.definition.rounds:
            new = {n: at for n, at in one.starts().items() if session.get(PhaseRow, (one.name, n)) is None}
            session.add_all(PhaseRow(round=one.name, name=name, starts=starts) for name, starts in new.items())
            if new:
                details = {name: starts.isoformat() for name, starts in new.items()}
                log.write(session, arena.now(), log.SERVER, "phase", round=one.name, starts=details)
            jobs.add(session, "reference", jobs.reference_of(one.name), arena.now())


def write_definition(folder: Path, text: str) -> Definition:
    """Write a definition into a folder that has its data already, if it can be played."""
    definition = definitions.checked(definitions.parse(text), folder)
    with whole_file(folder / definitions.FILE, force=True) as draft:
        draft.write_text(text, encoding="utf-8")
    return definition

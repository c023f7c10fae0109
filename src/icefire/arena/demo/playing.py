"""The actions of a team in the demo, by the same services as everywhere: hand in, withdraw, download, attack."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from random import Random

import polars as pl
from sqlalchemy import select

import icefire
from icefire import contests
from icefire.arena import ids
from icefire.arena.auth.actor import Actor
from icefire.arena.clock import SetClock
from icefire.arena.contest.arena import Arena
from icefire.arena.demo.story import Attack, TeamSteps
from icefire.arena.storage.tables import ReleaseRow
from icefire.arena.submit import fire, ice
from icefire.contests.common.game import CORRESPONDENCE, ORIGINAL, RELEASED
from icefire.core.dataset import Dataset
from icefire.core.release import Release
from icefire.io.read import read_table
from icefire.kernels.types import Int


@dataclass(frozen=True, slots=True)
class DemoStage:
    """The competition while the demo is played, with the clock it goes by."""

    arena: Arena
    clock: SetClock
    seed: int

    def original(self, round_name: str) -> Dataset:
        """Read a round's data as its players do."""
        reading = contests.get(self.arena.definition.rules).reading
        return read_table(self.arena.originals(round_name)[ORIGINAL], **reading)


@contextmanager
def drawn(seed: int) -> Iterator[None]:
    """Draw identifiers and labels from a seed, for a demo that is the same every time; nobody plays for real in it."""
    before, source = (ids.new_id, ids.new_label), Random(seed)
    letters = "BCDFGHJKLMNPQRSTVWXYZ23456789"
    new = (lambda: f"{source.getrandbits(128):032x}", lambda: "".join(source.choices(letters, k=5)))
    for name, function in zip(("new_id", "new_label"), new, strict=True):
        setattr(ids, name, function)
    try:
        yield
    finally:
        ids.new_id, ids.new_label = before


def moments(begin: datetime, end: datetime, many: int) -> list[datetime]:
    """Spread so many instants evenly between two, the ends left out."""
    return [begin + (end - begin) * (place + 1) / (many + 1) for place in range(many)]


def hand_in(stage: DemoStage, by: Actor, round_name: str, original: Dataset, steps: TeamSteps, number: int) -> str:
    """Anonymise by a recipe and hand the release in; returns its id."""
    release = icefire.anonymize(original, {"step": list(steps)}, seed=stage.seed + number)
    assert isinstance(release, Release)
    handed = {RELEASED: release.released.frame.write_csv().encode(), CORRESPONDENCE: _lines(release.truth.rows)}
    return ice.submit(stage.arena, by, round_name, handed).id


def targets(stage: DemoStage, by: Actor, round_name: str, most: int) -> list[str]:
    """The releases a team attacks: others', drawn at random."""
    with stage.arena.database.reading() as session:
        release_ids = session.scalars(
            select(ReleaseRow.id)
            .where(ReleaseRow.round == round_name, ReleaseRow.in_play, ReleaseRow.team_id != by.team_id)
            .order_by(ReleaseRow.label)
        ).all()
    return Random(f"{stage.seed} {round_name} {by.name}").sample(release_ids, min(most, len(release_ids)))


def attack(stage: DemoStage, by: Actor, original: Dataset, release_id: str, how: Attack) -> None:
    """Download a release, attack it, and hand the answers in."""
    files = fire.download(stage.arena, by, release_id)
    shown = pl.read_csv(io.BytesIO(files[RELEASED]), infer_schema_length=None)
    guess = icefire.attack(how.name, original, shown, parameters=how.parameters, seed=stage.seed)
    fire.submit(stage.arena, by, release_id, _lines(guess.first))


def _lines(rows: Int) -> bytes:
    return pl.DataFrame({"row": rows}).write_csv(include_header=False).encode()

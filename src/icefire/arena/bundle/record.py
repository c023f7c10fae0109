"""The database rows of a public record, built from what a visitor sees of revealed rounds."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from icefire.arena import ids
from icefire.arena.boards.facts import AttackFacts, GuessFacts, ReleaseFacts, RoundFacts
from icefire.arena.bundle.rows import TABLES, DatabaseRow
from icefire.arena.contest import public_record
from icefire.arena.storage import jobs, results
from icefire.arena.storage.tables import (
    AccountRow,
    Base,
    GuessRow,
    IdentifiedRow,
    JobRow,
    MeasuredRow,
    PhaseRow,
    ReleaseRow,
    SettingRow,
    TeamRow,
)

NOBODY = "0" * 32
"""The account everything is said to be handed in by: whose it really was is nobody's business."""
UNKNOWN = ""
"""In place of hashes of what stays secret."""


class Record:
    """Gathers rows."""

    def __init__(self, at: datetime) -> None:
        self._made = at
        self._rows: list[Base] = [_nobody(at), *public_record.rows(at)]
        self._teams: set[str] = set()

    def add(self, row: Base) -> None:
        """Take a row as it is."""
        self._rows.append(row)

    def tables(self) -> dict[str, list[DatabaseRow]]:
        """Return the rows by table."""
        tables: dict[str, list[DatabaseRow]] = {}
        for one in self._rows:
            columns = TABLES[one.__tablename__].columns
            tables.setdefault(one.__tablename__, []).append(
                {column.name: value for column in columns if (value := getattr(one, column.name)) is not None}
            )
        return tables

    def add_round(self, seen: RoundFacts) -> None:
        """Take all that is known of a round."""
        self._rows += [PhaseRow(round=seen.now.name, name=name, starts=at) for name, at in seen.now.starts.items()]
        for team in seen.teams:
            if team.id not in self._teams:
                self._teams.add(team.id)
                key = ids.name_key(team.name)
                self.add(
                    TeamRow(
                        id=team.id,
                        name=team.name,
                        name_key=key,
                        created=self._made,
                        disqualified=team.disqualified,
                        division=team.division,
                    )
                )
        self._rows += self._reference(seen)
        for release in seen.releases:
            self._rows += _release(release)
        listed = {release.id for release in seen.releases}
        for number, guess in enumerate(seen.guesses, start=1):
            self._rows += _guess(guess) if guess.release_id in listed else _guess_at_unlisted(seen, guess, number)

    def _reference(self, seen: RoundFacts) -> Iterator[Base]:
        """What the judge found about the original, and that it need not be done again."""
        about = jobs.reference_of(seen.now.name)
        yield JobRow(id=ids.new_id(), kind="reference", about=about, state="done", created=self._made)
        if seen.reference is not None:
            yield SettingRow(name=f"reference:{seen.now.name}", value=_judged(seen.reference))


def _nobody(at: datetime) -> AccountRow:
    return AccountRow(
        id=NOBODY,
        name="participants",
        name_key="participants",
        password="!",
        role="player",
        created=at,
        disabled=True,
    )


def _release(one: ReleaseFacts) -> Iterator[Base]:
    yield ReleaseRow(
        id=one.id,
        round=one.round,
        team_id=one.team_id,
        account_id=NOBODY,
        number=one.number,
        label=one.label,
        sha256=UNKNOWN,
        content=ids.digest(one.id),
        rows=one.rows,
        received=one.received,
        withdrawn=one.withdrawn,
        in_play=one.in_play,
        state=one.state,
        note=one.note,
    )
    for name, value in (one.measures or {}).items():
        yield MeasuredRow(release_id=one.id, name=name, value=value)
    for attack in one.found or ():
        yield from _identified(one.id, attack)


def _identified(release_id: str, attack: AttackFacts) -> Iterator[IdentifiedRow]:
    yield IdentifiedRow(
        release_id=release_id,
        source=attack.source,
        name=attack.name,
        hits=attack.hits,
        targets=attack.targets,
        rate=attack.rate,
    )
    for level, rate in attack.levels.items():
        targets = attack.targets // len(attack.levels)
        name = results.level_name(level, attack.name)
        row = IdentifiedRow(release_id=release_id, source=results.LEVEL, name=name, targets=targets, rate=rate)
        row.hits = round(rate * targets)
        yield row


def _guess(one: GuessFacts) -> Iterator[Base]:
    yield GuessRow(
        id=ids.digest(f"{one.release_id} {one.team_id}")[:32],
        release_id=one.release_id,
        team_id=one.team_id,
        account_id=NOBODY,
        sha256=UNKNOWN,
        received=one.received,
        state=one.state,
    )


def _guess_at_unlisted(seen: RoundFacts, one: GuessFacts, number: int) -> Iterator[Base]:
    """A guess counts for its team also where the release it is about has left the competition and is not listed.

    A release out of play stands for that one, under another team's name, with nothing in it but this guess.
    """
    if one.found is None:
        return
    stand_in = ids.digest(f"{one.release_id} {one.team_id} stand-in")[:32]
    yield ReleaseRow(
        id=stand_in,
        round=seen.now.name,
        team_id=next(team.id for team in seen.teams if team.id != one.team_id),
        account_id=NOBODY,
        number=-number,
        label=f"-{number}",
        sha256=UNKNOWN,
        content=ids.digest(stand_in),
        rows=one.found.targets,
        received=seen.now.starts["anonymise"],
        in_play=False,
        state="failed",
    )
    yield from _guess(GuessFacts(one.id, stand_in, one.team_id, one.team, one.received, one.state, one.found))
    yield from _identified(stand_in, one.found)


def _judged(one: ReleaseFacts) -> dict[str, Any]:
    """The original's results in the shape in which the judge stores them."""
    scores = {
        attack.name: {"hits": attack.hits, "targets": attack.targets, "rate": attack.rate} for attack in one.found or ()
    }
    return {
        "measures": {name: {"value": value, "note": ""} for name, value in (one.measures or {}).items()},
        "attacks": {name: score for name, score in scores.items() if name != "aya"},
        "aya": scores.get("aya"),
    }

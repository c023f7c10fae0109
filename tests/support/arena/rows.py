"""A competition written straight into its tables: no files, no judge, every figure chosen by the test."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import msgspec

from icefire.arena import ids
from icefire.arena.auth.actor import Actor
from icefire.arena.clock import SetClock
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.definition import Definition, Round
from icefire.arena.storage import jobs
from icefire.arena.storage.database import Database
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

BEGIN = datetime(2026, 5, 1, tzinfo=UTC)
DAY = timedelta(days=1)
DAYS = {"before": -1, "anonymise": 0, "freeze": 1, "attack": 2, "reveal": 3}
GAME = SimpleNamespace(
    measures=("S1", "U1", "U2"), utilities=("U1", "U2"), attacks=("E1", "E2"), fire_rule="total", score_parts=None
)
ORGANISER = Actor(account_id="organiser", name="organiser", role="organiser")
JUDGE = Actor(account_id="judge", name="judge", role="judge")


def round_of(name: str, begin: datetime = BEGIN, weight: float = 1.0) -> Round:
    starts = {phase: begin + day * DAY for phase, day in DAYS.items() if phase != "before"}
    return Round(name=name, data="original.csv", weight=weight, **starts)


class Rows:
    """A competition and its clock."""

    def __init__(self, folder: Any, *rounds: Round, url: str | None = None, **options: Any) -> None:
        self.database = Database(url or f"sqlite:///{folder / 'arena.db'}", b"key of the log")
        Base.metadata.create_all(self.database.engine)
        self.clock = SetClock(BEGIN)
        options = {"show_sample_attacks": False, **options}
        definition = Definition(title="Test", rules="pwscup2015", round=rounds or (round_of("final"),), **options)
        self.arena = self.with_options(definition)
        self.add(
            *(PhaseRow(round=r.name, name=n, starts=at) for r in definition.rounds for n, at in r.starts().items())
        )
        self.add(AccountRow(id="somebody", name="somebody", name_key="somebody", password="", created=BEGIN))

    def with_options(self, definition: Definition, **options: Any) -> Arena:
        """The same tables under another definition."""
        changed = msgspec.structs.replace(definition, **options)
        nowhere: Any = None
        return Arena(nowhere, changed, GAME, self.database, nowhere, self.clock, nowhere)  # type: ignore[arg-type]

    def add(self, *rows: Any) -> None:
        with self.database.transaction() as session:
            for row in rows:
                session.merge(row)

    def go(self, phase: str) -> None:
        """Move the clock an hour into a phase of the first round."""
        self.clock.set(self.arena.definition.rounds[0].anonymise + DAYS[phase] * DAY + timedelta(hours=1))

    def reveal(self, round: str = "final") -> None:  # noqa: A002
        """Make a round public for good, whatever is not scored."""
        self.add(SettingRow(name=f"reveal:{round}", value={"board": "fire", "shown": 0, "done": True}))

    def teams(self, *names: str, disqualified: str | None = None) -> None:
        self.add(*(TeamRow(id=n, name=n, name_key=n.lower(), created=BEGIN, disqualified=disqualified) for n in names))

    def release(self, team: str, label: str, round: str = "final", **more: Any) -> None:  # noqa: A002
        """A release whose id is its label."""
        values = {
            "number": int(ids.digest(label)[:6], 16),
            "sha256": ids.digest(label),
            "content": ids.digest(label),
            "rows": 100,
            "received": BEGIN,
            "state": "judged",
            **more,
        }
        self.add(ReleaseRow(id=label, label=label, round=round, team_id=team, account_id="somebody", **values))

    def judged(self, label: str, measures: dict[str, float | None], samples: dict[str, int], aya: int = 0) -> None:
        """What the judge found: measures, and hits of 100."""
        self.add(*(MeasuredRow(release_id=label, name=name, value=value, note="") for name, value in measures.items()))
        self.add(*(self.found(label, "sample", name, hits) for name, hits in samples.items()))
        self.add(self.found(label, "aya", "aya", aya))

    def guess(self, team: str, label: str, hits: int | None = None, targets: int = 100, state: str = "scored") -> None:
        """A team's answers, scored if hits are given."""
        self.add(
            GuessRow(
                id=f"{team}-{label}",
                release_id=label,
                team_id=team,
                account_id="somebody",
                sha256="",
                received=BEGIN + 2 * DAY,
                state="waiting" if hits is None else state,
            )
        )
        if hits is not None:
            self.add(self.found(label, "team", team, hits, targets))

    @staticmethod
    def found(label: str, source: str, name: str, hits: int, targets: int = 100) -> IdentifiedRow:
        return IdentifiedRow(
            release_id=label, source=source, name=name, hits=hits, targets=targets, rate=hits / targets
        )

    def job(self, kind: str, about: str, state: str = "waiting") -> None:
        self.add(JobRow(id=ids.digest(f"{kind}{about}")[:32], kind=kind, about=about, state=state, created=BEGIN))

    def reference(self, round: str = "final") -> None:  # noqa: A002
        """P2 Table 6, in short: the original has no error, and everybody in it is identified."""
        score = {"hits": 65, "targets": 100, "rate": 0.65}
        value = {
            "measures": {name: {"value": at, "note": ""} for name, at in (("S1", 1.0), ("U1", 0.0), ("U2", 0.0))},
            "attacks": {"E1": score, "E2": {**score, "hits": 100, "rate": 1.0}},
            "aya": None,
        }
        self.add(SettingRow(name=f"reference:{round}", value=value))
        self.job("reference", jobs.reference_of(round), "done")


def player(team: str | None, *past: str) -> Actor:
    return Actor(account_id=f"of {team}", name="player", role="player", team_id=team, past_teams=frozenset(past))

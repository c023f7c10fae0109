"""The tables compared with the log: submissions, arrivals, results, boards, phases, reveals, teams, roles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.boards.freezing import snapshot_hash
from icefire.arena.contest import phases
from icefire.arena.storage import results
from icefire.arena.storage.tables import (
    AccountRow,
    EventRow,
    GuessRow,
    PhaseRow,
    ReleaseRow,
    SettingRow,
    SnapshotRow,
    TeamRow,
)

Body = dict[str, Any]


@dataclass
class LoggedFacts:
    """What the log says, the newest line of each thing."""

    releases: dict[str, tuple[datetime, Body]] = field(default_factory=dict)
    guesses: dict[str, tuple[datetime, Body]] = field(default_factory=dict)
    withdrawn: dict[str, datetime] = field(default_factory=dict)
    judged: dict[str, Body] = field(default_factory=dict)
    scored: dict[str, Body] = field(default_factory=dict)
    boards: dict[str, str] = field(default_factory=dict)
    starts: dict[tuple[str, str], str] = field(default_factory=dict)
    disqualified: dict[str, str | None] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    left_play: set[str] = field(default_factory=set)
    """Releases that were withdrawn in time, and so left the competition."""
    revealed: set[str] = field(default_factory=set)
    """Rounds of which a line says that their results are public."""
    divisions: dict[str, str | None] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)

    def read(self, line: EventRow) -> None:
        """Take in one line."""
        body = line.body
        if line.kind == "release":
            self.releases[body["release"]] = (line.at, body)
        elif line.kind == "guess":
            self.guesses[body["guess"]] = (line.at, body)
        elif line.kind == "withdrawn":
            self.withdrawn[body["release"]] = line.at
            self.left_play |= set() if body.get("in_play", True) else {body["release"]}
        elif line.kind == "judged":
            self.judged[body["release"]] = body
        elif line.kind == "scored":
            self.scored[body["guess"]] = body
        elif line.kind == "frozen":
            self.boards[body["round"]] = body["sha256"]
        elif line.kind == "disqualified":
            self.disqualified[body["team"]] = body.get("reason")
        elif line.kind in ("team", "renamed"):
            self.names[body["team"]] = body["name"]
            self.divisions.setdefault(body["team"], body.get("division"))
        elif line.kind == "division":
            self.divisions[body["team"]] = body["division"]
        elif line.kind == "reveal" and body.get("done"):
            self.revealed.add(body["round"])
        elif line.kind in ("account", "role") and "role" in body:
            self.roles[body.get("account", line.actor)] = body["role"]
        elif line.kind == "phase":
            self._plan(body["round"], body["starts"])
        elif line.kind == "resume":
            for name, starts in body.get("starts", {}).items():
                self._plan(name, starts)

    def _plan(self, round_name: str, starts: dict[str, str]) -> None:
        self.starts.update({(round_name, name): at for name, at in starts.items()})


def differences(session: Session) -> list[str]:
    """Return where the tables say something else than the log."""
    logged = LoggedFacts()
    for line in session.scalars(select(EventRow).order_by(EventRow.number)).yield_per(1000):
        logged.read(line)
    return [
        *_releases(session, logged),
        *_guesses(session, logged),
        *_boards(session, logged),
        *_phases(session, logged),
        *_reveals(session, logged),
        *_teams(session, logged),
        *_roles(session, logged),
    ]


def _releases(session: Session, logged: LoggedFacts) -> Iterator[str]:
    stored = {one.id: one for one in session.scalars(select(ReleaseRow))}
    for missing in sorted(logged.releases.keys() - stored.keys()):
        yield f"release {missing} is in the log and not in the database"
    for one in stored.values():
        name = f"release {one.label} ({one.id})"
        if one.id not in logged.releases:
            yield f"{name} is in the database and not in the log"
            continue
        at, body = logged.releases[one.id]
        here = {"round": one.round, "label": one.label, "sha256": one.sha256, "team": one.team_id}
        yield from _compared(
            name, {"arrived": at, **{key: body[key] for key in here}}, {"arrived": one.received, **here}
        )
        yield from _compared(name, {"withdrawn": logged.withdrawn.get(one.id)}, {"withdrawn": one.withdrawn})
        if not one.in_play and one.id not in logged.left_play and not _left_by_the_judge(one, logged):
            yield f"{name} is out of play in the database; no line of the log takes it out"
        if one.in_play and one.id in logged.left_play:
            yield f"{name} is in play in the database; the log says that it was withdrawn in time"
        yield from _results(name, logged.judged.get(one.id), one.state, results.release_results(session, one.id))


def _left_by_the_judge(one: ReleaseRow, logged: LoggedFacts) -> bool:
    """Tell a release that an older version took out when its judge failed, and whose place was used since."""
    judged = logged.judged.get(one.id)
    return one.state == "failed" or (judged is not None and judged.get("note") == results.PLACE_TAKEN)


def _guesses(session: Session, logged: LoggedFacts) -> Iterator[str]:
    stored = {one.id: one for one in session.scalars(select(GuessRow))}
    standing = {(one.release_id, one.team_id) for one in stored.values()}
    for missing in sorted(logged.guesses.keys() - stored.keys()):
        body = logged.guesses[missing][1]
        failed = logged.scored.get(missing, {}).get("state") == "failed"  # and another one took its place
        if not (failed and (body["release"], body["team"]) in standing):
            yield f"guess {missing} is in the log and not in the database"
    for one in stored.values():
        name = f"guess {one.id}"
        if one.id not in logged.guesses:
            yield f"{name} is in the database and not in the log"
            continue
        at, body = logged.guesses[one.id]
        here = {"release": one.release_id, "team": one.team_id, "sha256": one.sha256}
        yield from _compared(
            name, {"arrived": at, **{key: body[key] for key in here}}, {"arrived": one.received, **here}
        )
        yield from _results(name, logged.scored.get(one.id), one.state, results.guess_results(session, one))


def _results(name: str, judged: Body | None, state: str, stored: Any) -> Iterator[str]:
    """Compare results; lines of older versions tell only the state."""
    if judged is None:
        if state != "waiting":
            yield f"{name} is {state!r} in the database; the log has no line of the judge about it"
        return
    if state not in ("waiting", judged["state"]):  # what waits will be judged again
        yield f"{name}: the log says {judged['state']!r}, the database {state!r}"
    if "results" in judged and judged["results"] != stored:
        yield from _compared_results(name, judged["results"], stored)


def _compared_results(name: str, logged: Any, stored: Any) -> Iterator[str]:
    if not isinstance(logged, dict) or not isinstance(stored, dict):
        yield f"{name}: the score is {stored} in the database, {logged} in the log"
        return
    for part in ("measures", "attacks"):
        yield from _compared(name, logged[part], stored[part])


def _compared(name: str, logged: dict[str, Any], stored: dict[str, Any]) -> Iterator[str]:
    for key in sorted(logged.keys() | stored.keys()):
        if logged.get(key) != stored.get(key):
            yield f"{name}: {key} is {_shown(stored.get(key))} in the database, {_shown(logged.get(key))} in the log"


def _shown(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _boards(session: Session, logged: LoggedFacts) -> Iterator[str]:
    stored = {one.round: snapshot_hash(one.body) for one in session.scalars(select(SnapshotRow))}
    for name in sorted(logged.boards.keys() | stored.keys()):
        if logged.boards.get(name) != stored.get(name):
            yield f"the frozen board of round {name!r} is not the one whose hash is in the log"


def _phases(session: Session, logged: LoggedFacts) -> Iterator[str]:
    """Compare the beginnings of phases; those that an older version planned are not in the log."""
    for one in session.scalars(select(PhaseRow)):
        planned = logged.starts.get((one.round, one.name))
        if planned is not None and datetime.fromisoformat(planned) != one.starts:
            yield f"round {one.round!r}: {one.name} begins at {one.starts.isoformat()}; the log says {planned}"


def _reveals(session: Session, logged: LoggedFacts) -> Iterator[str]:
    """Name rounds whose results were made public without a line."""
    rounds = set(session.scalars(select(PhaseRow.round)))
    for name in sorted(rounds - logged.revealed):
        stored = session.get(SettingRow, phases.ceremony(name))
        if stored is not None and stored.value and stored.value.get("done"):
            yield f"round {name!r} is revealed in the database; no line of the log reveals it"


def _roles(session: Session, logged: LoggedFacts) -> Iterator[str]:
    """Compare the roles of accounts that the log tells of."""
    for one in session.scalars(select(AccountRow).order_by(AccountRow.name_key)):
        role = logged.roles.get(one.id, one.role)
        if role != one.role:
            yield f"account {one.name!r}: its role is {one.role!r} in the database, {role!r} in the log"


def _teams(session: Session, logged: LoggedFacts) -> Iterator[str]:
    for one in session.scalars(select(TeamRow)):
        name, reason = logged.names.get(one.id, one.name), logged.disqualified.get(one.id)
        if name != one.name:
            yield f"team {one.name!r}: the log says that its name is {name!r}"
        division = logged.divisions.get(one.id, one.division)
        if (division or None) != (one.division or None):
            yield f"team {one.name!r}: its division is {one.division!r} in the database, {division!r} in the log"
        if reason != one.disqualified:
            yield f"team {one.name!r}: disqualified is {one.disqualified!r} in the database, {reason!r} in the log"

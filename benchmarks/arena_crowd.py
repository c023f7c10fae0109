"""A competition of many teams, as it stands in the middle of the attacks: releases judged, guesses scored.

Its rows are written straight to the database; judging 600 releases of 8,333 rows would take hours.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert, update

import icefire
from icefire.arena import ids
from icefire.arena.auth import actor as actors
from icefire.arena.auth import sessions, tokens
from icefire.arena.auth import teams as teams_module
from icefire.arena.contest.arena import Arena
from icefire.arena.storage import log
from icefire.arena.storage.tables import (
    AccountRow,
    EventRow,
    GuessRow,
    IdentifiedRow,
    JobRow,
    MeasuredRow,
    QuotaRow,
    ReleaseRow,
)

ORDER = ("anonymise", "freeze", "attack", "reveal")
ROUND = "final"
Rows = list[dict[str, Any]]


def write_contest(folder: Path, rows: int, phase: str = "anonymise") -> Any:
    """Write a competition that is now in the middle of a phase; returns its original data."""
    frame = icefire.sample("households", rows).frame
    frame.write_csv(folder / "original.csv")
    begin = datetime.now(UTC) - timedelta(hours=1 + 24 * ORDER.index(phase))
    times = {name: begin + timedelta(hours=24 * place) for place, name in enumerate(ORDER)}
    lines = "\n".join(f"{name} = {at.isoformat()}" for name, at in times.items())
    (folder / "contest.toml").write_text(
        'title = "Load"\nrules = "pwscup2015"\nreleases_per_team = 50\nsubmissions_per_team = 500\n'
        f'[[round]]\nname = "{ROUND}"\ndata = "original.csv"\n{lines}\n'
    )
    return frame


def add_players(arena: Arena, teams: int) -> list[tuple[str, str]]:
    """Make teams of one; returns the cookie and the token of each."""
    players = []
    for number in range(teams):
        name, now = f"player {number}", arena.now()
        with arena.database.transaction() as session:
            account = AccountRow(id=ids.new_id(), name=name, name_key=name, password="!", role="player", created=now)
            session.add(account)
            session.flush()
            teams_module.create_team(session, actors.actor_of(session, account), f"Team {number:03}", now)
            cookie = sessions.open_session(session, account, now).cookie
            players.append((cookie, tokens.new_token(session, account, "load", now)))
    return players


def add_releases(arena: Arena, releases: int, guesses_of_each: int, rows: int) -> None:
    """Write releases of all teams in turn, judged, and guesses of each team about some of them, scored."""
    rng = random.Random(7)
    starts = arena.round(ROUND).starts()
    with arena.database.transaction() as session:
        members = [tuple(one) for one in session.query(actors.MembershipRow.account_id, actors.MembershipRow.team_id)]
        made = [
            _release(members[n % len(members)], n // len(members), starts["anonymise"], rows) for n in range(releases)
        ]
        guesses = [
            _guess(member, release, starts["attack"], number)
            for member in members
            for number, release in enumerate(rng.sample(made, min(guesses_of_each, releases)))
            if release["team_id"] != member[1]
        ]
        _insert(session, ReleaseRow, made)
        _insert(session, MeasuredRow, [one for release in made for one in _measured(arena, release, rng)])
        _insert(session, IdentifiedRow, [one for release in made for one in _attacked(arena, release, rng)])
        _insert(session, GuessRow, guesses)
        _insert(session, IdentifiedRow, [_found(guess, rng, rows) for guess in guesses])
        _insert(session, QuotaRow, _quotas(made))
        session.execute(update(JobRow).values(state="done"))
        _insert(session, EventRow, _lines(arena, log.newest(session), made, guesses))


def add_guess(arena: Arena) -> None:
    """Write one more guess, of the first team that has left out a release, and the line of the log about it."""
    with arena.database.transaction() as session:
        releases = session.query(ReleaseRow.id, ReleaseRow.team_id).order_by(ReleaseRow.id).all()
        had = {tuple(one) for one in session.query(GuessRow.team_id, GuessRow.release_id)}
        for account_id, team_id in session.query(actors.MembershipRow.account_id, actors.MembershipRow.team_id):
            for release_id, owner in releases:
                if owner != team_id and (team_id, release_id) not in had:
                    row = _guess((account_id, team_id), {"id": release_id}, arena.now(), 0)
                    _insert(session, GuessRow, [row])
                    log.write(session, arena.now(), account_id, "guess", guess=row["id"], release=release_id)
                    return


def _insert(session: Any, table: Any, rows: Rows) -> None:
    if rows:
        session.execute(insert(table), rows)


def _release(member: tuple[str, str], number: int, at: datetime, rows: int) -> dict[str, Any]:
    made = ids.new_id()
    return {
        "id": made,
        "round": ROUND,
        "team_id": member[1],
        "account_id": member[0],
        "number": number + 1,
        "label": made[:8],
        "sha256": ids.digest(made),
        "content": ids.digest(f"content {made}"),
        "rows": rows,
        "received": at + timedelta(minutes=number),
        "state": "judged",
        "in_play": True,
    }


def _guess(member: tuple[str, str], release: dict[str, Any], at: datetime, number: int) -> dict[str, Any]:
    made = ids.new_id()
    whose = {"release_id": release["id"], "team_id": member[1], "account_id": member[0]}
    return {
        "id": made,
        **whose,
        "sha256": ids.digest(made),
        "received": at + timedelta(seconds=number),
        "state": "scored",
    }


def _measured(arena: Arena, release: dict[str, Any], rng: random.Random) -> Rows:
    return [{"release_id": release["id"], "name": name, "value": rng.random()} for name in arena.game.measures]


def _attacked(arena: Arena, release: dict[str, Any], rng: random.Random) -> Rows:
    named = [("sample", name) for name in arena.game.attacks] + [("aya", "aya")]
    return [_identified(release["id"], source, name, rng, release["rows"]) for source, name in named]


def _found(guess: dict[str, Any], rng: random.Random, rows: int) -> dict[str, Any]:
    return _identified(guess["release_id"], "team", guess["team_id"], rng, rows)


def _identified(release_id: str, source: str, name: str, rng: random.Random, rows: int) -> dict[str, Any]:
    hits = rng.randrange(rows // 2)
    return {
        "release_id": release_id,
        "source": source,
        "name": name,
        "hits": hits,
        "targets": rows,
        "rate": hits / rows,
    }


def _quotas(made: Rows) -> Rows:
    counts: dict[str, int] = {}
    for release in made:
        counts[release["team_id"]] = counts.get(release["team_id"], 0) + 1
    return [{"round": ROUND, "team_id": team, "used": n, "submitted": n} for team, n in counts.items()]


def _lines(arena: Arena, last: EventRow | None, made: Rows, guesses: Rows) -> Rows:
    """Return the lines of the log that tell of all this, chained to the last one."""
    number, before = (last.number, last.hash) if last else (0, log.FIRST)
    told = [("release", {"release": one["id"], "team": one["team_id"]}, one) for one in made]
    told += [("guess", {"guess": one["id"], "team": one["team_id"]}, one) for one in guesses]
    lines = []
    for kind, body, row in told:
        number += 1
        line = (number, row["received"], row["account_id"], kind, body, before)
        own = log.line_hash(arena.signer.log_key, *line)
        lines.append(dict(zip(("number", "at", "actor", "kind", "body", "before"), line, strict=True)) | {"hash": own})
        before = own
    return lines

"""Competitions small enough to play in a test, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefire
from support.arena import postgres as arena_postgres

BEGIN = datetime(2026, 5, 1, tzinfo=UTC)
DAY = timedelta(days=1)
ROWS = 40
TOML = """
title = "Test"
rules = "pwscup2015"
zone = "Asia/Tokyo"
show_sample_attacks = false
joint_attacks = false
{more}

[limits]
security = 1
aya = 1

[[round]]
name = "final"
data = "original.csv"
anonymise = 2026-05-01T00:00:00Z
freeze = 2026-05-02T00:00:00Z
attack = 2026-05-03T00:00:00Z
reveal = 2026-05-04T00:00:00Z
"""


@pytest.fixture(scope="session")
def postgres_address() -> Iterator[str]:
    reason = arena_postgres.missing()
    if reason:
        pytest.skip(reason)
    with arena_postgres.server() as address:
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """None is the file in the competition's folder."""
    if request.param == "sqlite":
        return None
    from icefire.arena import ids

    return arena_postgres.new_database(request.getfixturevalue("postgres_address"), ids.new_id())


@pytest.fixture(scope="session")
def original() -> Any:
    return icefire.sample("households", ROWS).frame


@pytest.fixture
def make_arena(tmp_path: Path, original: Any) -> Iterator[Callable[..., Any]]:
    """Make a competition in a folder of its own: make_arena(url=None, more='', toml=TOML)."""
    from icefire.arena.clock import SetClock
    from icefire.arena.contest.arena import open_arena

    opened = []

    def make(url: str | None = None, more: str = "", toml: str = TOML) -> Any:
        folder = tmp_path / f"arena{len(opened)}"
        folder.mkdir(mode=0o700)
        original.write_csv(folder / "original.csv")
        (folder / "contest.toml").write_text(toml.format(more=more))
        opened.append(open_arena(folder, url, SetClock(BEGIN + DAY / 2)))
        return opened[-1]

    yield make
    for one in opened:
        one.database.close()


@pytest.fixture
def arena(make_arena: Callable[..., Any]) -> Any:
    """A competition on SQLite, at noon of the day of ice."""
    return make_arena()


def player(arena: Any, name: str, team: str | None = None, role: str = "player", join: Any = None) -> Any:
    """Add an account, with a team of its own or in somebody's, and return it as an actor."""
    from icefire.arena import ids
    from icefire.arena.auth import actor, teams
    from icefire.arena.storage.tables import AccountRow, MembershipRow

    with arena.database.transaction() as session:
        account = AccountRow(
            id=ids.new_id(), name=name, name_key=ids.name_key(name), password="!", role=role, created=arena.now()
        )
        session.add(account)
        session.flush()
        if team is not None:
            teams.create_team(session, actor.actor_of(session, account), team, arena.now())
        if join is not None:
            session.add(MembershipRow(account_id=account.id, team_id=join.team_id, captain=False))
        session.flush()
        return actor.actor_of(session, account)


def lines(numbers: Any) -> bytes:
    return "".join(f"{number}\n" for number in numbers).encode()


def release_files(original: Any, seed: int = 1, rows: int = 30, noise: float = 0.0) -> dict[str, bytes]:
    """A release of some rows of the original, in another order, with its correspondence."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(original.height)[:rows]
    frame = original[order]
    if noise:
        last = frame.columns[-1]
        frame = frame.with_columns((frame[last] * (1 + noise * rng.random(rows))).round().cast(frame[last].dtype))
    return {"released.csv": frame.write_csv().encode(), "correspondence.csv": lines(order)}

"""A contest is one file in the arena too: founded, handed in, judged, attacked and ranked."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from support.arena.fixtures import lines, player
from support.arena.played import run_here
from support.new_contest import new_contest_file

from icefire.arena import setup
from icefire.arena.boards import freezing
from icefire.arena.clock import SetClock
from icefire.arena.contest.arena import open_arena
from icefire.arena.judge import sandbox, warm_up, worker
from icefire.arena.setup import SetupPlan
from icefire.arena.submit import fire, ice

BEGIN = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def tinycup(tmp_path, monkeypatch):
    with new_contest_file(tmp_path / "more", monkeypatch) as name:
        yield name


@pytest.fixture
def arena(tinycup, tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "run_task", run_here)
    setup.create(tmp_path / "arena", SetupPlan(rules=tinycup, rows=100, minutes=60), BEGIN)
    opened = open_arena(tmp_path / "arena", None, SetClock(BEGIN))
    yield opened
    opened.database.close()


def test_a_new_contest_is_played_in_the_arena(arena):
    ours, theirs, judge = (player(arena, name, name) for name in ("Ice", "Fire", "Judge"))
    header, *rows = arena.originals("final")["original.csv"].read_text().splitlines(keepends=True)
    assert header == "gen,age,bmi\n"
    handed_in = {
        "released.csv": (header + "".join(rows[:90])).encode(),
        "correspondence.csv": lines(range(90)),
    }
    receipt = ice.submit(arena, ours, "final", handed_in)
    worker.finish(arena)
    arena.clock.set(arena.definition.rounds[0].attack)
    truth = arena.store.get("truth", receipt.id, "truth.csv").decode().split()
    fire.submit(arena, theirs, receipt.id, lines([*truth[:9], *[-1] * 81]))
    worker.finish(arena)
    arena.clock.set(arena.definition.rounds[0].reveal)
    with arena.database.reading() as session:
        board = freezing.board(arena, session, judge, "final")
    (row,) = board.ice.rows
    assert (row.rank, row.players) == (1, 0.1)
    assert row.total == row.release.measures["U1"] + row.security
    assert [(one.team, one.identified) for one in board.fire.rows] == [("Fire", 9)]


def test_the_judge_warms_up_with_a_new_contest(tinycup):
    warm_up.play(tinycup)

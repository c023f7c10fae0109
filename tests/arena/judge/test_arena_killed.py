"""Kill -9 at any moment: what was acknowledged is there, and nothing is scored twice."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update
from support.arena import server as arena_server
from support.arena.fixtures import player, release_files

from icefire.arena.client import Client
from icefire.arena.contest.arena import open_arena
from icefire.arena.storage import jobs, log
from icefire.arena.storage.store import fingerprint
from icefire.arena.storage.tables import EventRow, JobRow, QuotaRow, ReleaseRow
from icefire.core.errors import IcefireError

PATIENCE = 300
"""Seconds: other tests may hold every core for a while."""
TEAMS = 2
SUBMISSIONS = 3
KILLS = jobs.MOST_DEATHS - 1
"""One more could hit the same release each time, and then the judge gives it up, as it should."""


@pytest.fixture
def competition(tmp_path, original, database_url):
    folder = arena_server.write_contest(tmp_path / "real", original, releases=100)
    arena = open_arena(folder, database_url)
    yield arena, database_url
    arena.database.close()


class Crowd:
    """Teams that hand in release after release, whether the server lives or not, and keep every receipt."""

    def __init__(self, arena, url, original):
        self.receipts = {}
        self.threads = [
            threading.Thread(target=self._play, args=(url, token, original, number * 100))
            for number, token in enumerate(
                arena_server.token(arena, player(arena, f"p{number}", f"Team {number}")) for number in range(TEAMS)
            )
        ]

    def _play(self, url, token, original, seed):
        left = SUBMISSIONS
        give_up = time.monotonic() + PATIENCE
        while left and time.monotonic() < give_up:
            seed += 1
            files = release_files(original, seed)
            try:
                with Client(url, token) as client:
                    named = {name.removesuffix(".csv"): content for name, content in files.items()}
                    receipt = client.submit(named)
            except IcefireError:
                time.sleep(0.05)
                continue
            self.receipts[receipt.id] = fingerprint(files)
            left -= 1

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        for thread in self.threads:
            thread.join()


def kill(process) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def serve(arena, database_url, port, *more):
    database = ("--database", database_url) if database_url else ()
    return arena_server.start("serve", str(arena.folder), "--port", str(port), *database, *more)


def leases_run_out(arena) -> None:
    """What waiting for the lease of a dead worker comes to."""
    with arena.database.transaction() as session:
        session.execute(
            update(JobRow).where(JobRow.state == "running").values(lease=datetime.now(UTC) - timedelta(seconds=1))
        )


def drained(arena) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with arena.database.reading() as session:
            if not session.scalars(select(JobRow.id).where(JobRow.state.in_(("waiting", "running")))).first():
                return
        time.sleep(0.2)
    raise AssertionError("the queue was not worked off")


def check_everything(arena, receipts) -> None:
    assert len(receipts) == TEAMS * SUBMISSIONS
    with arena.database.reading() as session:
        rows = {one.id: one for one in session.scalars(select(ReleaseRow))}
        assert {name: rows[name].sha256 for name in receipts} == receipts
        assert {one.state for one in rows.values()} <= {"judged", "refused"}
        judged = [one.body["release"] for one in session.scalars(select(EventRow).where(EventRow.kind == "judged"))]
        assert sorted(judged) == sorted(rows)
        assert sum(session.scalars(select(QuotaRow.used))) == len(rows)
        assert log.verify(session) == []
    for name, digest in receipts.items():
        files = {file: arena.store.get("handed", name, file) for file in arena.game.handed_in}
        assert fingerprint(files) == digest
        assert arena.store.has("truth", name, "truth.csv")


@pytest.mark.heavy
@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
def test_killing_the_server_loses_nothing(competition, original):
    arena, database_url = competition
    port, chance = arena_server.free_port(), random.Random(20)
    url = f"http://127.0.0.1:{port}"
    server = serve(arena, database_url, port)
    try:
        arena_server.wait_for(url, server)
        with Crowd(arena, url, original) as crowd:
            for _ in range(KILLS):
                time.sleep(chance.uniform(0.3, 2.0))
                kill(server)
                leases_run_out(arena)
                server = serve(arena, database_url, port)
                arena_server.wait_for(url, server)
        drained(arena)
    finally:
        kill(server)
    check_everything(arena, crowd.receipts)


@pytest.mark.parametrize("database_url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.heavy)], indirect=True)
def test_killing_a_worker_loses_nothing(competition, original):
    arena, database_url = competition
    port, chance = arena_server.free_port(), random.Random(21)
    url = f"http://127.0.0.1:{port}"
    database = ("--database", database_url) if database_url else ()
    server = serve(arena, database_url, port, "--no-worker")
    judge = arena_server.start("worker", str(arena.folder), *database)
    try:
        arena_server.wait_for(url, server)
        with Crowd(arena, url, original) as crowd:
            for _ in range(KILLS):
                time.sleep(chance.uniform(0.8, 2.5))
                kill(judge)
                leases_run_out(arena)
                judge = arena_server.start("worker", str(arena.folder), *database)
        drained(arena)
    finally:
        kill(judge)
        kill(server)
    check_everything(arena, crowd.receipts)

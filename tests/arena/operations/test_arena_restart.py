"""A real server that is stopped and started again while teams hand in: nothing is lost, nothing is taken twice."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from support.arena.fixtures import player, release_files
from support.arena.server import free_port, start, token, wait_for, write_contest

from icefire.arena.contest.arena import open_arena
from icefire.arena.judge import worker
from icefire.arena.storage.tables import EventRow, JobRow, ReleaseRow

SENDERS, OF_EACH, STOPS = 4, 5, 2
SECONDS = 300


class Sender(threading.Thread):
    """A team that hands in one release after the other, and tries again where the server was not there."""

    def __init__(self, url: str, secret: str, releases: list[dict[str, bytes]]) -> None:
        super().__init__(daemon=True)
        self._url, self._headers, self._releases = url, {"Authorization": f"Bearer {secret}"}, releases
        self.receipts: list[Any] = []
        self.wrong: list[str] = []

    def run(self) -> None:
        for files in self._releases:
            self._send({name.removesuffix(".csv"): (name, data, "text/csv") for name, data in files.items()})

    def _send(self, files: Any) -> None:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                answer = httpx.post(f"{self._url}/api/v1/releases", files=files, headers=self._headers, timeout=60)
            except httpx.TransportError:
                time.sleep(0.1)
                continue
            if answer.status_code == 201:
                self.receipts.append(answer.json())
            else:
                self.wrong.append(f"{answer.status_code} {answer.text}")
            return
        self.wrong.append("the server did not come back")


def stop(process: Any) -> None:
    process.send_signal(signal.SIGTERM)
    process.wait(SECONDS)


def watch(url: str) -> threading.Thread:
    """Hold a live page open until the server ends it."""

    def hold() -> None:
        try:
            with httpx.stream("GET", f"{url}/events", timeout=SECONDS) as answer:
                for _ in answer.iter_lines():
                    pass
        except httpx.TransportError:
            pass

    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    return thread


@pytest.mark.heavy
def test_stopped_and_started_under_load(tmp_path: Path, original: Any) -> None:
    folder = write_contest(tmp_path / "cup", original, releases=SENDERS * OF_EACH)
    arena = open_arena(folder)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    senders = [
        Sender(
            url,
            token(arena, player(arena, f"player-{number}", f"Team {number}")),
            [release_files(original, 100 * number + one) for one in range(OF_EACH)],
        )
        for number in range(SENDERS)
    ]
    process = start("serve", str(folder), "--port", str(port))
    try:
        wait_for(url, process)
        for sender in senders:
            sender.start()
        for round_number in range(1, STOPS + 1):
            page = watch(url)
            _until(lambda least=2 * round_number: sum(len(one.receipts) for one in senders) >= least)
            stop(process)
            page.join(SECONDS)
            assert not page.is_alive()
            process = start("serve", str(folder), "--port", str(port))
            wait_for(url, process)
        for sender in senders:
            sender.join(SECONDS)
    finally:
        stop(process)
    assert [one.wrong for one in senders] == [[]] * SENDERS
    receipts = {one["id"] for sender in senders for one in sender.receipts}
    _until(lambda: _nothing_waits(arena))
    with arena.database.reading() as session:
        stored = {row.id: row for row in session.scalars(select(ReleaseRow))}
        logged = session.scalars(select(EventRow).where(EventRow.kind == "release")).all()
        waiting = session.scalars(select(JobRow).where(JobRow.state != "done")).all()
    assert receipts == stored.keys() == set(arena.store.names("release")) == set(arena.store.names("truth"))
    assert len(stored) == len(logged) == SENDERS * OF_EACH
    assert {row.state for row in stored.values()} <= {"judged", "refused"}
    assert waiting == []
    arena.database.close()


def _nothing_waits(arena: Any) -> bool:
    """Judge what waits; a job whose server was stopped in its midst is free when its lease has ended."""
    worker.finish(arena)
    with arena.database.reading() as session:
        return session.scalars(select(JobRow.id).where(JobRow.state != "done").limit(1)).first() is None


def _until(done: Any) -> None:
    end = time.monotonic() + SECONDS
    while not done():
        assert time.monotonic() < end, "not done in time"
        time.sleep(0.05)

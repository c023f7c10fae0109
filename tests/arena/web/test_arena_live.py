"""Live pages: parts drawn once for all, and a word to those who watch."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import httpx
import pytest
from markupsafe import Markup
from support.arena.fixtures import BEGIN, DAY
from support.arena.web import _quick_passwords, another, served  # noqa: F401

from icefire.arena.storage import log
from icefire.arena.web import fragments, live
from icefire.arena.web.app import create_app
from icefire.arena.web.fragments import FragmentCache

# --- parts of pages made once


def test_of_many_who_ask_at_once_one_makes_the_part():
    made, begin = [], threading.Barrier(8)
    cache = FragmentCache()

    def make() -> Markup:
        made.append(1)
        time.sleep(0.05)
        return Markup("")

    def ask(_: int) -> Markup:
        begin.wait()
        return cache.get("key", make)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))
    assert len(made) == 1
    cache.get("another", make)
    assert len(made) == 2


def test_a_part_that_could_not_be_made_is_tried_again():
    cache = FragmentCache()
    with pytest.raises(ZeroDivisionError):
        cache.get("key", lambda: Markup(1 // 0))
    assert cache.get("key", lambda: Markup("made")) == "made"


def test_of_what_is_large_only_the_newest_is_kept():
    cache, made = FragmentCache(), []

    def make(value: int) -> list[int]:
        made.append(value)
        return [value]

    for value in (1, 2, 2, 1):
        place = ("facts", "final")
        assert cache.get_newest(place, (*place, value), lambda value=value: make(value)) == [value]
    assert made == [1, 2, 1]
    assert len(cache._values) == 1
    cache.get_newest(("facts", "preliminary"), ("facts", "preliminary", 1), lambda: make(3))
    assert len(cache._values) == 2


def test_drawn_parts_are_forgotten_by_their_length(monkeypatch):
    monkeypatch.setattr(fragments, "MOST_LETTERS", 100)
    cache = FragmentCache()
    for number in range(5):
        cache.get((number,), lambda: Markup("x" * 40))
    assert list(cache._values) == [(3,), (4,)]
    assert cache.get(("long",), lambda: Markup("x" * 400)) == "x" * 400
    assert list(cache._values) == [("long",)]


# --- live events


def marks(lines, wanted: int, followed: str = "change") -> list[str]:
    """Read so many events from a stream."""
    found: list[str] = []
    kind = ""
    for line in lines:
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        if line.startswith("data: ") and kind == followed:
            found.append(line.removeprefix("data: "))
        if len(found) == wanted:
            break
    return found


def test_watchers_hear_of_public_events_and_of_phases_and_of_nothing_else(arena, served):
    _, _, address = served
    with httpx.stream("GET", f"{address}/events", timeout=60) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["cache-control"] == "no-store"
        lines = stream.iter_lines()
        assert marks(lines, 1) == ["2.anonymise"]
        with arena.database.transaction() as db:
            log.write(db, arena.now(), "judge", "scored", guess="secret-id")
            log.write(db, arena.now(), "ann", "login")
        time.sleep(1.5 * live.EVERY_SECONDS)
        with arena.database.transaction() as db:
            log.write(db, arena.now(), "ann", "team", team="x")
        assert marks(lines, 1) == ["5.anonymise"]
        arena.clock.set(BEGIN + 2.5 * DAY)  # in lines 6 and 7 phases begin, in line 8 the board is frozen
        assert marks(lines, 1) == ["8.attack"]
    assert 'data-mark="8.attack"' in httpx.get(address, timeout=60).text


def test_a_guess_changes_the_matrix_and_not_the_boards(arena, served):
    _, _, address = served
    with httpx.stream("GET", f"{address}/events", timeout=60) as stream:
        lines = stream.iter_lines()
        told = [(marks(lines, 1, "boards"), marks(lines, 1))]
        for kind in ("guess", "judged"):
            with arena.database.transaction() as db:
                log.write(db, arena.now(), "somebody", kind)
            told.append((marks(lines, 1, "boards"), marks(lines, 1)))
    at = "{}.anonymise".format
    assert told == [([at(2)], [at(2)]), ([at(2)], [at(3)]), ([at(4)], [at(4)])]
    for path, followed in (("/matrix", "change"), ("/", "change"), ("/board", "boards"), ("/pictures", "boards")):
        assert f'data-follows="{followed}"' in httpx.get(address + path, timeout=60).text, path


PATIENT = """
import sys, socket, uvicorn
from pathlib import Path
from icefire.arena.contest.arena import open_arena
from icefire.arena.web.app import create_app
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
app = create_app(open_arena(Path(sys.argv[1])), worker=False)
uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=None)).run([listener])
"""


def test_a_server_that_waits_for_all_answers_stops_though_somebody_watches(arena):
    with subprocess.Popen([sys.executable, "-c", PATIENT, str(arena.folder)], stdout=subprocess.PIPE) as server:
        try:
            address = f"http://127.0.0.1:{int(server.stdout.readline())}"
            with httpx.stream("GET", f"{address}/events", timeout=60) as stream:
                assert marks(stream.iter_lines(), 1)
                server.terminate()
                server.wait(30)
        finally:
            server.kill()


def test_the_judge_works_inside_the_server_if_it_is_told_to(arena):
    from starlette.testclient import TestClient

    def judging() -> list[str]:
        return [one.name for one in threading.enumerate() if one.name == "icefire-worker"]

    with TestClient(create_app(arena, worker=False)):
        assert judging() == []
    arena.clock.move(timedelta(seconds=1))
    with TestClient(create_app(arena, worker=True)):
        assert len(judging()) == 1
    assert judging() == []

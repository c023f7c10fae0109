"""Threat 8: more sockets than the server may have files. A real server with a limit of 1,024 is attacked."""

from __future__ import annotations

import logging
import resource
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx

from icefire.arena.web import security
from threats.world import World

FILES, SOCKETS, PAGES = 1024, 1050, 5
FEW_LINES = 5
SERVE = """
import resource, socket, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
from icefire.arena import server
from icefire.arena.contest.arena import open_arena
from icefire.arena.web import connections, watchers
PRELUDE
listener = server.listen("127.0.0.1", 0)
print(listener.getsockname()[1], flush=True)
server.serve(open_arena(Path(sys.argv[1])), listener, judges=0)
"""
ASK = {"live pages": b"GET /events HTTP/1.1\r\nHost: arena.test\r\n\r\n", "silent ones": b""}
prelude = {"first": "pass"}
"""What is done to the server before it starts."""


def a_thousand_sockets_leave_the_pages_alone(world: World, kinds: tuple[str, ...] = tuple(ASK)) -> None:
    """Open 1,050 sockets from one address, live pages and silent ones: pages answer, and the log stays short."""
    _allow_files()
    world.arena.database.close()
    for kind in kinds:
        with _serving(world) as (port, ended):
            with _crowd(port, ASK[kind]) as crowd:
                answered = [_asked(port) for _ in range(PAGES)]
                assert answered == [200] * PAGES, f"{SOCKETS} {kind} leave the pages {answered}"
                kept = len(crowd) - _closed(crowd)
            assert kept < FILES // 2, f"{kept} of {SOCKETS} {kind} stayed open"
            said = ended()
            assert len(said) <= FEW_LINES, f"the log has {len(said)} lines: {said[:3]}"


def senders_who_leave_are_not_written_down(world: World) -> None:
    """Begin to send a form, and go away: the log says nothing, however often this is done."""
    written: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: written.append(record.getMessage())  # type: ignore[method-assign]
    log = logging.getLogger("icefire.arena")
    log.addHandler(handler)
    try:
        world.server.run(_leave(world))
    finally:
        log.removeHandler(handler)
    assert not written, f"the log has {len(written)} lines: {written}"


async def _leave(world: World) -> None:
    told = iter([{"type": "http.request", "body": b"name=", "more_body": True}, {"type": "http.disconnect"}])
    form = [(b"content-type", b"application/x-www-form-urlencoded"), (b"content-length", b"100")]
    scope = {"type": "http", "method": "POST", "path": "/login", "query_string": b"", "headers": form}

    async def receive() -> dict[str, Any]:
        return next(told)

    async def send(_: Any) -> None:
        """Nobody is there."""

    app: Any = world.server.app
    await app({**scope, "http_version": "1.1", "scheme": "http", "server": ("testserver", 80)}, receive, send)


def _allow_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = SOCKETS + 200
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@contextmanager
def _serving(world: World) -> Iterator[tuple[int, Any]]:
    command = [sys.executable, "-c", SERVE.replace("PRELUDE", prelude["first"]), str(world.arena.folder)]
    log = world.tmp / "said.txt"
    with log.open("wb") as said, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            _wait(port)

            def ended() -> list[str]:
                process.terminate()
                process.wait(30)
                return log.read_text().splitlines()

            yield port, ended
        finally:
            process.kill()


def _wait(port: int) -> None:
    end = time.monotonic() + 60
    while _asked(port) != 200:
        assert time.monotonic() < end, "the server did not start"
        time.sleep(0.1)


@contextmanager
def _crowd(port: int, sent: bytes) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        crowd = []
        for _ in range(SOCKETS):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), 60))
            one.sendall(sent)
            crowd.append(one)
        yield crowd


def _closed(crowd: list[socket.socket]) -> int:
    """Count the sockets that the server closes, or lets go of, until enough are; what it sent before is read away."""
    closed = 0
    with selectors.DefaultSelector() as ready:
        for one in crowd:
            one.setblocking(False)
            ready.register(one, selectors.EVENT_READ)
        end = time.monotonic() + 15
        while len(ready.get_map() or {}) >= FILES // 2 and time.monotonic() < end:
            for key, _ in ready.select(1):
                try:
                    said = key.fileobj.recv(1 << 16)  # type: ignore[union-attr]
                except OSError:
                    said = b""
                if not said or b"event: full" in said:
                    ready.unregister(key.fileobj)
                    closed += 1
    return closed


def _asked(port: int) -> int:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/", timeout=60, trust_env=False).status_code
    except httpx.HTTPError:
        return 0


# --- sabotages


def hold_every_socket(world: World) -> None:
    """What it was: as many as come, until there is no file left."""
    free = "connections.Connections.add = watchers.Watchers._dismiss_oldest = lambda *_: None"
    world.patch.setitem(prelude, "first", free)


def write_about_whoever_leaves(world: World) -> None:
    world.patch.setattr(security, "ClientDisconnect", ZeroDivisionError)


def write_about_every_socket(world: World) -> None:
    world.patch.setitem(prelude, "first", "connections.TELL_EVERY_SECONDS = 0.0")

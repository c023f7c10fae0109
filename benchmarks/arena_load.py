"""The arena under load: 200 teams with a live board open, 50 submissions a minute of 8,333 × 25, on this machine.

    python -m benchmarks.arena_load [--minutes 2] [--teams 200] [--per-minute 50] [--rows 8333] [--database URL]

A real server (`icefire arena serve`) in a process of its own; the viewers behave as the page's script does: they hold
an event stream open and fetch the board again when it changes. They also open other pages now and then. Everything
shares the same cores, the viewers too. Printed: page times, answers to submissions, errors, how long the judge took.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import math
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from rich.console import Console

import icefire
from icefire.arena import ids
from icefire.arena.auth import actor as actors
from icefire.arena.auth import sessions, tokens
from icefire.arena.auth import teams as teams_module
from icefire.arena.contest.arena import Arena, open_arena
from icefire.arena.storage.tables import AccountRow, JobRow

PAGES = ("/", "/matrix", "/board", "/rules", "/team", "/pictures")
BAR_SECONDS = 0.3
console = Console(soft_wrap=True)


@dataclass
class Tally:
    """Page times, submissions, errors and board changes seen by the viewers."""

    pages: list[tuple[str, float]] = field(default_factory=list)
    submitted: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    changes: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.arena_load", description=__doc__)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--teams", type=int, default=200)
    parser.add_argument("--per-minute", type=float, default=50)
    parser.add_argument("--rows", type=int, default=8_333)
    parser.add_argument("--database", help="postgresql://…; default: SQLite in the folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="icefire-load-") as place:
        folder = Path(place)
        releases = _prepare(folder, arguments.rows)
        arena = open_arena(folder, arguments.database)
        players = _players(arena, arguments.teams)
        with _server(folder, arguments.database) as url:
            _alone(arena, url, players[0][1], releases[0])
            tally = asyncio.run(_storm(url, players, releases, arguments))
            behind = _queue(arena)
            _report(tally, arguments, behind)
            _drain(arena)
        arena.database.close()


def _prepare(folder: Path, rows: int) -> list[dict[str, bytes]]:
    """Write the competition; returns releases to hand in, each another one."""
    frame = icefire.sample("households", rows).frame
    frame.write_csv(folder / "original.csv")
    now = datetime.now(UTC)
    times = {name: now + timedelta(hours=hours) for name, hours in (("anonymise", -1), ("freeze", 24))}
    times |= {"attack": now + timedelta(hours=25), "reveal": now + timedelta(hours=26)}
    lines = "\n".join(f"{name} = {at.isoformat()}" for name, at in times.items())
    (folder / "contest.toml").write_text(
        'title = "Load"\nrules = "pwscup2015"\nreleases_per_team = 50\nsubmissions_per_team = 500\n'
        f'[[round]]\nname = "final"\ndata = "original.csv"\n{lines}\n'
    )
    return [_release(frame, seed) for seed in range(20)]


def _release(frame: Any, seed: int) -> dict[str, bytes]:
    rng = np.random.default_rng(seed)
    order = rng.permutation(frame.height)
    numbers = frame.columns[-11:]
    noise = {
        name: np.maximum(0, np.round(frame[name].to_numpy() * rng.normal(1, 0.1, frame.height))) for name in numbers
    }
    noisy = frame.with_columns(_series(name, values, frame[name].dtype) for name, values in noise.items())[order]
    written = io.BytesIO()
    noisy.write_csv(written)
    return {"released": written.getvalue(), "correspondence": "\n".join(map(str, order)).encode() + b"\n"}


def _series(name: str, values: Any, kind: Any) -> Any:
    import polars as pl

    return pl.Series(name, values).cast(kind)


def _players(arena: Arena, teams: int) -> list[tuple[str, str]]:
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


class _server:  # noqa: N801 - used like a function
    """The real command in its own process."""

    def __init__(self, folder: Path, database: str | None) -> None:
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        more = ["--database", database] if database else []
        command = [sys.executable, "-m", "icefire", "arena", "serve", str(folder), "--port", str(self.port), *more]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def __enter__(self) -> str:
        url = f"http://127.0.0.1:{self.port}"
        for _ in range(300):
            try:
                httpx.get(url).raise_for_status()
            except httpx.HTTPError:
                time.sleep(0.1)
            else:
                return url
        raise RuntimeError("the server did not start")

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


def _alone(arena: Arena, url: str, token: str, release: dict[str, bytes]) -> None:
    """One release on an idle server, three times: taken in, and judged completely."""
    for _ in range(3):
        _drain(arena)
        begin = time.perf_counter()
        _hand_in(url, token, release)
        answered = time.perf_counter()
        _drain(arena)
        judged = time.perf_counter()
        console.print(
            f"alone: receipt after {answered - begin:.2f} s, fully judged {judged - begin:.2f} s after it was sent"
        )


def _hand_in(url: str, token: str, release: dict[str, bytes]) -> None:
    sent = {name: (f"{name}.csv", content, "text/csv") for name, content in release.items()}
    headers = {"Authorization": f"Bearer {token}"}
    httpx.post(f"{url}/api/v1/releases", files=sent, headers=headers, timeout=120).raise_for_status()


def _queue(arena: Arena) -> int:
    from sqlalchemy import func, select

    with arena.database.reading() as session:
        waiting = select(func.count()).select_from(JobRow).where(JobRow.state.in_(("waiting", "running")))
        return session.scalar(waiting) or 0


def _drain(arena: Arena) -> None:
    while _queue(arena):
        time.sleep(0.02)


async def _storm(url: str, players: list[tuple[str, str]], releases: list[dict[str, bytes]], arguments: Any) -> Tally:
    tally = Tally()
    port = int(url.rpartition(":")[2])
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        watching = []
        for cookie, _ in players:  # everybody comes within ten seconds
            watching.append(asyncio.create_task(_view(Browser(port, cookie), tally)))
            await asyncio.sleep(10 / len(players))
        end = time.monotonic() + 60 * arguments.minutes
        sending, number = [], 0
        while time.monotonic() < end:
            token = players[number % len(players)][1]
            sending.append(asyncio.create_task(_send(client, token, releases[number % len(releases)], tally)))
            number += 1
            await asyncio.sleep(60 / arguments.per_minute)
        await asyncio.gather(*sending)
        for one in watching:
            one.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
    return tally


async def _send(client: httpx.AsyncClient, token: str, release: dict[str, bytes], tally: Tally) -> None:
    sent = {name: (f"{name}.csv", content, "text/csv") for name, content in release.items()}
    begin = time.perf_counter()
    try:
        answer = await client.post("/api/v1/releases", files=sent, headers={"Authorization": f"Bearer {token}"})
    except httpx.HTTPError as error:
        tally.errors[f"submission: {type(error).__name__}"] += 1
        return
    tally.submitted.append(time.perf_counter() - begin)
    if answer.status_code >= 300:
        tally.errors[f"submission: {answer.status_code} {answer.text[:80]}"] += 1


TROUBLES = (OSError, asyncio.IncompleteReadError)


class Browser:
    """As little of a browser as will do: two hundred of a real client would take a core for themselves."""

    def __init__(self, port: int, cookie: str) -> None:
        self._port, self._cookie = port, cookie
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._turn = asyncio.Lock()

    async def get(self, path: str) -> int:
        """Fetch a page over the connection that is kept open; returns its status."""
        async with self._turn:
            if self._open is not None:
                with contextlib.suppress(*TROUBLES):  # the server closes what is not used; a browser opens it again
                    return await self._fetch(*self._open, path)
            self._open = await asyncio.open_connection("127.0.0.1", self._port)
            return await self._fetch(*self._open, path)

    async def _fetch(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> int:
        head = await self._ask(reader, writer, path)
        length = re.search(rb"\r\ncontent-length: (\d+)", head, re.IGNORECASE)
        await reader.readexactly(int(length[1]) if length else 0)
        return int(head.split(b" ", 2)[1])

    async def events(self) -> AsyncIterator[bytes]:
        """Give the lines of the event stream, over a connection of its own."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        await self._ask(reader, writer, "/events")
        while line := await reader.readline():
            yield line

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> bytes:
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nAccept: text/html\r\n"
        writer.write(f"{head}Cookie: icefire={self._cookie}\r\n\r\n".encode())
        await writer.drain()
        return await reader.readuntil(b"\r\n\r\n")


async def _view(browser: Browser, tally: Tally) -> None:
    """One browser: the board, fetched again when it changes, and another page every half a minute or so."""
    changed = asyncio.Event()
    await _get(browser, "/board", tally)
    await asyncio.gather(_listen(browser, changed, tally), _refresh(browser, changed, tally), _wander(browser, tally))


async def _listen(browser: Browser, changed: asyncio.Event, tally: Tally) -> None:
    while True:
        try:
            async for line in browser.events():
                if line.startswith(b"event: change"):
                    tally.changes += 1
                    changed.set()
            tally.errors["events: ended"] += 1
        except TROUBLES as error:
            tally.errors[f"events: {type(error).__name__}"] += 1
        await asyncio.sleep(1)


async def _refresh(browser: Browser, changed: asyncio.Event, tally: Tally) -> None:
    """Fetch the board as live.js does: a single change within five seconds, a stream of them every five to ten."""
    refreshed = -math.inf
    while True:
        await changed.wait()
        rest = refreshed + random.uniform(5, 10) - time.monotonic()
        await asyncio.sleep(max(rest, random.uniform(0, 5)))
        changed.clear()
        refreshed = time.monotonic()
        await _get(browser, "/board", tally)


async def _wander(browser: Browser, tally: Tally) -> None:
    while True:
        await asyncio.sleep(random.uniform(10, 50))
        await _get(browser, random.choice(PAGES), tally)


async def _get(browser: Browser, path: str, tally: Tally) -> None:
    begin = time.perf_counter()
    try:
        status = await browser.get(path)
    except TROUBLES as error:
        tally.errors[f"{path}: {type(error).__name__}"] += 1
        return
    tally.pages.append((path, time.perf_counter() - begin))
    if status != 200:
        tally.errors[f"{path}: {status}"] += 1


def _report(tally: Tally, arguments: Any, behind: int) -> None:
    for path in (None, *PAGES):
        seconds = [took for page, took in tally.pages if path in (None, page)]
        if len(seconds) > 1:
            cuts = statistics.quantiles(seconds, n=100, method="inclusive")
            shown = f"{path or 'all pages':10} {len(seconds):6,} answers"
            console.print(
                f"{shown}  median {1e3 * cuts[49]:5.0f} ms  p95 {1e3 * cuts[94]:5.0f} ms  p99 {1e3 * cuts[98]:5.0f} ms"
            )
    taken = sorted(tally.submitted)
    if taken:
        middle, worst = taken[len(taken) // 2], taken[-1]
        console.print(
            f"{len(taken)} submissions in {arguments.minutes:g} min: receipt after {middle:.2f} s, "
            f"at most {worst:.2f} s"
        )
    console.print(f"{behind} releases were waiting for the judge at the end; {tally.changes:,} changes were sent")
    console.print(f"errors: {dict(tally.errors) or 'none'}")
    every = [took for _, took in tally.pages]
    if len(every) > 1:
        p95 = statistics.quantiles(every, n=20, method="inclusive")[18]
        verdict = "reached" if p95 < BAR_SECONDS and not tally.errors else "MISSED"
        console.print(f"bar: p95 under {1e3 * BAR_SECONDS:.0f} ms and no error: {verdict}")


if __name__ == "__main__":
    main()

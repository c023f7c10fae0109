"""The arena under load: 200 teams with a live board open, 50 submissions a minute of 8,333 × 25, on this machine.

    python -m benchmarks.arena_load [--minutes 2] [--teams 200] [--per-minute 50] [--rows 8333] [--database URL]
    python -m benchmarks.arena_load --phase attack --releases 600 --rows 600 --servers 2 --workers 2 --postgresql

Real servers (`icefire arena serve`) and workers in processes of their own; viewers behave as the page's script does:
they hold an event stream open and fetch the board again when it changes; during the attacks every second one watches
the matrix. They also open other pages now and then, and programs ask the API. With --releases so many releases are
there already, and with --phase attack guesses are handed in instead of releases. Everything shares the same cores, the
viewers too. Printed: page times, answers to submissions, errors, how long the judge took, the load of the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import math
import os
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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from rich.console import Console
from sqlalchemy import select

from benchmarks import arena_crowd
from benchmarks.arena_browser import TROUBLES, Browser
from icefire.arena.auth import tokens
from icefire.arena.contest.arena import Arena, open_arena
from icefire.arena.storage import jobs
from icefire.arena.storage.tables import GuessRow, MembershipRow, ReleaseRow
from icefire.arena.web.session import cookie_name

PAGES = ("/", "/matrix", "/board", "/rules", "/team", "/pictures", "/submit", "/log")
API = ("/api/v1/matrix", "/api/v1/board", "/api/v1/releases", "/api/v1/team")
PROGRAMS = 0.2
"""Which part of the teams has a program that asks the API now and then, as its people open pages."""
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
    parser.add_argument("--phase", default="anonymise", choices=("anonymise", "attack"))
    parser.add_argument("--releases", type=int, default=0, help="that are there already, judged")
    parser.add_argument("--guesses", type=int, default=100, help="that each team has made already, in the phase attack")
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--workers", type=int, default=0, help="processes that judge; 0: the first server does")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--database", help="postgresql://…; default: SQLite in the folder")
    where.add_argument("--postgresql", action="store_true", help="start a PostgreSQL server for this run alone")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="icefire-load-") as place, contextlib.ExitStack() as running:
        folder = Path(place)
        if arguments.postgresql:
            arguments.database = running.enter_context(_private_postgresql())
        frame = arena_crowd.write_contest(folder, arguments.rows, arguments.phase)
        arena = open_arena(folder, arguments.database)
        players = arena_crowd.add_players(arena, arguments.teams)
        attacking = arguments.phase == "attack"
        arena_crowd.add_releases(arena, arguments.releases, arguments.guesses if attacking else 0, arguments.rows)
        sent = _guesses(arena, players, arguments.rows) if attacking else _releases(frame, players)
        for _ in range(arguments.workers):
            running.enter_context(_process("worker", folder, arguments.database))
        alone = ["--no-worker"] if arguments.workers else []
        urls = [running.enter_context(_server(folder, arguments.database, alone)) for _ in range(arguments.servers)]
        if not attacking:
            _alone(arena, urls[0], sent[0])
        before, used = os.getloadavg(), sum(map(_cpu_seconds, urls))
        tally = asyncio.run(_storm(urls, players, cookie_name(arena), sent, arguments))
        behind = _queue(arena)
        used = sum(map(_cpu_seconds, urls)) - used
        _report(tally, arguments, behind)
        console.print(f"the servers took {used:.1f} CPU s for {len(tally.pages):,} answers and all else they do")
        console.print("load of the machine before and after (1, 5, 15 min):", before, os.getloadavg())
        _drain(arena)
        arena.database.close()


@contextlib.contextmanager
def _private_postgresql() -> Iterator[str]:
    """A PostgreSQL server of the machine's own programs, as the tests start one."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    from support.arena import postgres  # type: ignore[import-not-found, unused-ignore]

    if (reason := postgres.missing()) is not None:
        raise SystemExit(f"{reason}; name a server with --database")
    with postgres.server() as address:
        yield address.format("postgres")


@dataclass(frozen=True)
class Submission:
    """What a program sends: where to, and which files, with whose token."""

    path: str
    token: str
    files: dict[str, bytes]


def _releases(frame: Any, players: list[tuple[str, str]]) -> list[Submission]:
    """Return releases to hand in, of all teams in turn."""
    made = [_release(frame, seed) for seed in range(20)]
    return [Submission("releases", token, made[n % len(made)]) for n, (_, token) in enumerate(players)]


def _guesses(arena: Arena, players: list[tuple[str, str]], rows: int) -> list[Submission]:
    """Return guesses to hand in, each about a release that its team has not attacked; their truth lies in the vault."""
    with arena.database.reading() as session:
        releases = list(session.execute(select(ReleaseRow.id, ReleaseRow.team_id)))
        attacked = {tuple(one) for one in session.execute(select(GuessRow.team_id, GuessRow.release_id))}
        accounts = [tokens.find(session, token, arena.now()) for _, token in players]
        owners = [session.get_one(MembershipRow, one.account_id).team_id for one in accounts if one is not None]
    truth = "".join(f"{number}\n" for number in range(rows)).encode()
    for release_id, _ in releases:
        arena.store.put("truth", release_id, dict.fromkeys(arena.game.judge_files, truth))
    sent = []
    for number in range(10 * len(players)):
        team, (_, token) = owners[number % len(players)], players[number % len(players)]
        free = next(one for one, owner in releases if owner != team and (team, one) not in attacked)
        attacked.add((team, free))
        sent.append(Submission(f"releases/{free}/guess", token, {"answers": truth}))
    return sent


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


@contextlib.contextmanager
def _process(verb: str, folder: Path, database: str | None, more: Sequence[str] = ()) -> Iterator[None]:
    """The real command in its own process."""
    options = [*(["--database", database] if database else []), *more]
    command = [sys.executable, "-m", "icefire", "arena", verb, str(folder), *options]
    environment = {**os.environ, "ICEFIRE_ARENA_AS_ROOT": "1"}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


@contextlib.contextmanager
def _server(folder: Path, database: str | None, more: Sequence[str]) -> Iterator[str]:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with _process("serve", folder, database, ["--port", str(port), *more]):
        for _ in range(600):
            try:
                httpx.get(f"{url}/health/ready").raise_for_status()
            except httpx.HTTPError:
                time.sleep(0.1)
            else:
                break
        else:
            raise RuntimeError("the server did not start")
        yield url


def _alone(arena: Arena, url: str, sent: Submission) -> None:
    """One release on an idle server, three times: taken in, and judged completely."""
    for _ in range(3):
        _drain(arena)
        begin = time.perf_counter()
        headers = {"Authorization": f"Bearer {sent.token}"}
        httpx.post(f"{url}/api/v1/{sent.path}", files=_form(sent), headers=headers, timeout=120).raise_for_status()
        answered = time.perf_counter()
        _drain(arena)
        judged = time.perf_counter()
        console.print(
            f"alone: receipt after {answered - begin:.2f} s, fully judged {judged - begin:.2f} s after it was sent"
        )


def _cpu_seconds(url: str) -> float:
    """Return how much processor time a server has used, as its metrics tell."""
    found = re.search(r"^process_cpu_seconds_total (\S+)", httpx.get(f"{url}/metrics").text, re.MULTILINE)
    assert found
    return float(found[1])


def _form(sent: Submission) -> dict[str, Any]:
    return {name: (f"{name}.csv", content, "text/csv") for name, content in sent.files.items()}


def _queue(arena: Arena) -> int:
    with arena.database.reading() as session:
        return len(jobs.queue(session))


def _drain(arena: Arena) -> None:
    while _queue(arena):
        time.sleep(0.02)


async def _storm(
    urls: list[str], players: list[tuple[str, str]], name: str, sent: list[Submission], arguments: Any
) -> Tally:
    """Have everybody come, look and hand in; `name` is that of the cookies."""
    tally = Tally()
    ports = [int(url.rpartition(":")[2]) for url in urls]
    async with httpx.AsyncClient(timeout=60) as client:
        watching = []
        for number, (cookie, token) in enumerate(players):  # everybody comes within ten seconds
            port = ports[number % len(ports)]
            watched = "/matrix" if arguments.phase == "attack" and number % 4 > 1 else "/board"
            watching.append(asyncio.create_task(_view(Browser(port, f"Cookie: {name}={cookie}"), watched, tally)))
            if number < PROGRAMS * len(players):
                watching.append(asyncio.create_task(_ask(Browser(port, f"Authorization: Bearer {token}"), tally)))
            await asyncio.sleep(10 / len(players))
        end = time.monotonic() + 60 * arguments.minutes
        sending, number = [], 0
        while time.monotonic() < end:
            url = urls[number % len(urls)]
            sending.append(asyncio.create_task(_send(client, url, sent[number % len(sent)], tally)))
            number += 1
            await asyncio.sleep(60 / arguments.per_minute)
        await asyncio.gather(*sending)
        for one in watching:
            one.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
    return tally


async def _send(client: httpx.AsyncClient, url: str, sent: Submission, tally: Tally) -> None:
    begin, headers = time.perf_counter(), {"Authorization": f"Bearer {sent.token}"}
    try:
        answer = await client.post(f"{url}/api/v1/{sent.path}", files=_form(sent), headers=headers)
    except httpx.HTTPError as error:
        tally.errors[f"submission: {type(error).__name__}"] += 1
        return
    tally.submitted.append(time.perf_counter() - begin)
    if answer.status_code >= 300:
        tally.errors[f"submission: {answer.status_code} {answer.text[:80]}"] += 1


FOLLOWED = {"/board": b"boards", "/matrix": b"change"}
"""Which event of the stream a page follows, as its data-follows says."""


async def _view(browser: Browser, watched: str, tally: Tally) -> None:
    """One browser: a page, fetched again when it changes, and another page every half a minute or so."""
    changed = Changed()
    await _get(browser, watched, tally)
    await asyncio.gather(
        _listen(browser, FOLLOWED[watched], changed, tally),
        _refresh(browser, watched, changed, tally),
        _wander(browser, tally),
    )


class Changed(asyncio.Event):
    """That a page has changed, and how many watch pages of this server, as its stream tells."""

    crowd = 0


async def _listen(browser: Browser, followed: bytes, changed: Changed, tally: Tally) -> None:
    event, mark = b"", b""
    while True:
        try:
            async for line in browser.events():
                name, _, value = line.strip().partition(b": ")
                event = value if name == b"event" else event
                if name == b"data" and event == b"crowd":
                    changed.crowd = int(value)
                if name == b"data" and event == followed and value != mark:
                    tally.changes += bool(mark)
                    if mark:
                        changed.set()
                    mark = value
            tally.errors["events: ended"] += 1
        except TROUBLES as error:
            tally.errors[f"events: {type(error).__name__}"] += 1
        await asyncio.sleep(1)


async def _refresh(browser: Browser, watched: str, changed: Changed, tally: Tally) -> None:
    """Fetch the page as live.js does: a single change within seconds, a stream of them less often the more watch."""
    refreshed = -math.inf
    while True:
        await changed.wait()
        rest, spread = max(5, 0.1 * changed.crowd), max(2, 0.05 * changed.crowd)
        wait = refreshed + random.uniform(rest, 2 * rest) - time.monotonic()
        await asyncio.sleep(max(wait, random.uniform(0, spread)))
        changed.clear()
        refreshed = time.monotonic()
        await _get(browser, watched, tally)


async def _wander(browser: Browser, tally: Tally) -> None:
    while True:
        await asyncio.sleep(random.uniform(10, 50))
        await _get(browser, random.choice(PAGES), tally)


async def _ask(browser: Browser, tally: Tally) -> None:
    """One program: something of the API every half a minute or so."""
    while True:
        await asyncio.sleep(random.uniform(10, 50))
        await _get(browser, random.choice(API), tally)


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
    for path in (None, *PAGES, *API):
        seconds = [took for page, took in tally.pages if path in (None, page)]
        if len(seconds) > 1:
            cuts = statistics.quantiles(seconds, n=100, method="inclusive")
            shown = f"{path or 'all pages':16} {len(seconds):6,} answers"
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
    slow = [path for path in {page for page, _ in tally.pages} if _p95(tally, path) >= BAR_SECONDS]
    verdict = f"MISSED ({', '.join(sorted(slow)) or 'errors'})" if slow or tally.errors else "reached"
    console.print(f"bar: p95 of every page under {1e3 * BAR_SECONDS:.0f} ms and no error: {verdict}")


def _p95(tally: Tally, path: str) -> float:
    seconds = [took for page, took in tally.pages if page == path]
    return statistics.quantiles(seconds, n=20, method="inclusive")[18] if len(seconds) > 1 else seconds[0]


if __name__ == "__main__":
    main()

"""A real server in a process of its own, for tests that drive it from outside or kill it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

SECONDS = 300
TOML = """
title = "Real time"
rules = "pwscup2015"
releases_per_team = {releases}
submissions_per_team = 1000
{more}

[[round]]
name = "final"
data = "original.csv"
anonymise = {anonymise}
freeze = {freeze}
attack = {attack}
reveal = {reveal}
"""
HOUR = timedelta(hours=1)
ORDER = ("anonymise", "freeze", "attack", "reveal")


def write_contest(folder: Path, original: Any, phase: str = "anonymise", releases: int = 3, more: str = "") -> Path:
    """Write a competition that is now in the middle of a phase."""
    folder.mkdir(mode=0o700)
    original.write_csv(folder / "original.csv")
    begin = datetime.now(UTC) - HOUR - 2 * HOUR * ORDER.index(phase)
    times = {name: (begin + 2 * HOUR * place).isoformat() for place, name in enumerate(ORDER)}
    (folder / "contest.toml").write_text(TOML.format(releases=releases, more=more, **times))
    return folder


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(*arguments: str) -> subprocess.Popen[bytes]:
    """Start `icefire arena …` in a session of its own, so that killing it kills nothing else."""
    return subprocess.Popen(
        [sys.executable, "-m", "icefire", "arena", *arguments],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "ICEFIRE_ARENA_AS_ROOT": "1"},
    )


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until the server answers."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, f"the server ended with {process.returncode}"
        try:
            httpx.get(f"{url}/api/v1/contest", timeout=5).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the server did not answer in time")


@contextmanager
def serving(folder: Path, *more: str) -> Iterator[str]:
    """Serve a competition in its own process; gives its address."""
    port = free_port()
    process = start("serve", str(folder), "--port", str(port), *more)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(url, process)
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def token(arena: Any, actor: Any) -> str:
    """Make a token for somebody."""
    from icefire.arena.auth import tokens
    from icefire.arena.storage.tables import AccountRow

    with arena.database.transaction() as session:
        return tokens.new_token(session, session.get(AccountRow, actor.account_id), "test", arena.now())

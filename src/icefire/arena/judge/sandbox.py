"""Run a task of the judge in a confined child process.

The child sees one folder with exactly the files of its task: no database, no vault, nobody else's answers. Processor
time, memory, file size and wall time are limited, and where the system allows it there is no network. A child that dies
at a limit has been handed something too large; that is the submission's fault and not the judge's.
"""

from __future__ import annotations

import atexit
import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from icefire.arena.errors import TooLarge
from icefire.arena.judge import child
from icefire.arena.judge.confinement import TaskLimits
from icefire.arena.judge.fork_client import Ended, ForkServerClient, Interrupted, NoForkServer, environment
from icefire.arena.judge.task_folders import task_folder

INTERRUPTED = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT})
"""Signals that come from outside, as when the machine is shut down: not the submission's fault."""
OUT_OF_MEMORY = (
    "memoryerror",
    "memory allocation",
    "cannot allocate memory",
    "out of memory",
    "unable to allocate",
    "failed to map segment",
    "could not spawn threads",
    "file too large",
)
"""What libraries say when they meet a limit; a thread that cannot be spawned had no address space for its stack."""

_fork_server = ForkServerClient()
_places = threading.BoundedSemaphore((os.cpu_count() or 1) + 1)
"""So many tasks run at once in this process; others wait, so that a burst does not use up the memory."""
atexit.register(_fork_server.close)


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What a task said, and the files it wrote."""

    result: dict[str, Any]
    files: dict[str, bytes] = field(default_factory=dict)


class JudgeFailed(Exception):  # noqa: N818 - the judge's failure, never the submission's
    """The task ended in a way that says nothing about the submission."""


class Stopped(JudgeFailed):
    """The server is being stopped; nothing is wrong with anybody."""


def run_task(
    task: str,
    given: Mapping[str, bytes | Path],
    limits: TaskLimits | None = None,
    vault: Path | None = None,
    /,
    **options: Any,
) -> TaskResult:
    """Run a task on files by name; raises `TooLarge` where it hit a limit and `JudgeFailed` where it broke.

    What teams handed in, and its truth, is put nowhere but into the vault.
    """
    allowed = limits or TaskLimits()
    with _places, task_folder(vault) as folder:
        (folder / "in").mkdir(mode=0o700)
        (folder / "out").mkdir(mode=0o700)
        for name, content in given.items():
            data = content if isinstance(content, bytes) else content.read_bytes()
            (folder / "in" / name).write_bytes(data)
        (folder / child.OPTIONS).write_text(json.dumps(options), encoding="utf-8")
        try:
            ended = _fork_server.run_task(task, folder, allowed, options.get("rules"))
        except Interrupted:
            raise Stopped("the judge was stopped; it will be done again") from None
        except NoForkServer:
            _compile_first(options.get("rules"))
            ended = _afresh(task, folder, allowed)
        _check(ended, folder / child.SAID, allowed)
        return _collected(folder)


def warm(rules: str) -> None:
    """Get ready for a contest's tasks, in the background: the first one is then as quick as the others."""
    _fork_server.warm(rules)


def interrupt() -> None:
    """Cut off what runs now, because the server stops: it fails as the judge's failure, and is done again later."""
    _fork_server.interrupt()


@cache
def _compile_first(rules: str | None) -> None:
    """Have everything compiled that a contest needs, so that no team's time is used up by it."""
    if rules is not None:
        command = [sys.executable, "-P", "-m", "icefire.arena.judge.warm_up", rules]
        subprocess.run(command, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, check=False)


def _afresh(task: str, folder: Path, limits: TaskLimits) -> Ended:
    """Run a task in a process of its own from the beginning, where none can be forked."""
    command = [
        sys.executable,
        "-P",
        "-m",
        "icefire.arena.judge.child",
        task,
        str(folder),
        json.dumps(dataclasses.asdict(limits)),
    ]
    with (folder / child.SAID).open("wb") as said:
        process = subprocess.Popen(
            command,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
        )
    try:
        return Ended(process.wait(limits.seconds))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return Ended(process.wait(), late=True)


def _check(ended: Ended, said: Path, limits: TaskLimits) -> None:
    if ended.late:
        raise TooLarge(f"this took longer than {limits.seconds:g} seconds to read; hand in something smaller")
    if ended.code == 0:
        return
    text = said.read_text(encoding="utf-8", errors="replace").strip()[-2000:] if said.is_file() else ""
    stopped = ended.code < 0 and -ended.code not in INTERRUPTED
    if stopped or any(sign in text.lower() for sign in OUT_OF_MEMORY):
        raise TooLarge("this takes more memory or time than is allowed; hand in something smaller")
    raise JudgeFailed(text or f"the process of the judge ended with {ended.code}")


def _collected(folder: Path) -> TaskResult:
    try:
        result = json.loads((folder / child.RESULT).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise JudgeFailed(f"the task left no result: {error}") from None
    written = {
        path.name: path for path in sorted((folder / "out").iterdir()) if path.is_file() and not path.is_symlink()
    }
    return TaskResult(result, {name: path.read_bytes() for name, path in written.items()})

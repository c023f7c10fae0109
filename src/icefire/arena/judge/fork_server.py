"""A process that has everything imported and compiled, and forks one confined child for each task of the judge.

It is started by `fork_client` with one socket and nothing else of the server: no database, no other socket. A request
brings a socket of its own for the answer. When the server is gone, however it went, this process reads the end of its
socket, kills its children and ends.

Forking is safe only while no other thread could hold a lock. This process never calls polars and never runs a kernel,
so no thread pool exists; whatever other thread a library has started by itself must be asleep and known.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import selectors
import shutil
import signal
import socket
import sys
import time
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from icefire.arena.judge import child, confinement, warm_up
from icefire.arena.judge.confinement import TaskLimits
from icefire.core import registry

PARKED = frozenset({"polars-ooc-clea"})
"""Threads that libraries start at import and that wait, holding nothing, for work that never comes here."""
MOST_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Running:
    """A child at work."""

    answer: socket.socket
    deadline: float
    folder: Path


class ForkServer:
    """The children at work, and the socket that brings more."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._running: dict[int, Running] = {}
        self._warmed_up: set[str] = set()

    def serve(self) -> None:
        """Fork a child for each request until the server is gone."""
        woken, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake)
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._control, selectors.EVENT_READ)
            waiting.register(woken, selectors.EVENT_READ)
            while True:
                ready = {key.fileobj for key, _ in waiting.select(self._patience())}
                if woken in ready:
                    os.read(woken, MOST_BYTES)
                self._end_the_late()
                self._reap()
                if self._control in ready and not self._accept():
                    break
        for pid, one in self._running.items():
            _kill(pid)
            shutil.rmtree(one.folder, ignore_errors=True)  # whoever asked is gone and cannot do it

    def _patience(self) -> float | None:
        first = min((one.deadline for one in self._running.values()), default=None)
        return None if first is None else max(0.0, first - time.monotonic())

    def _end_the_late(self) -> None:
        for pid, one in self._running.items():
            if one.deadline <= time.monotonic():
                _kill(pid)

    def _reap(self) -> None:
        for pid, one in list(self._running.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                del self._running[pid]
                code = os.waitstatus_to_exitcode(status)
                late = code == -signal.SIGKILL and one.deadline <= time.monotonic()
                _answer(one.answer, code=code, late=late)

    def _accept(self) -> bool:
        """Take one request; False once the socket is closed."""
        asked, handles, _, _ = socket.recv_fds(self._control, MOST_BYTES, 1)
        if not asked:
            return False
        request, answer = json.loads(asked), socket.socket(fileno=handles[0])
        strangers = threads_awake() or self._rehearse(request["rules"])
        if strangers:
            _answer(answer, refused=f"other threads are there: {', '.join(strangers)}")
        elif request["task"]:
            self._fork(request, answer)
        else:
            answer.close()
        return True

    def _rehearse(self, rules: str | None) -> list[str]:
        """Load what a contest's tasks will call, once; names the threads that came with it."""
        if rules is not None and rules not in self._warmed_up:
            self._warmed_up.add(rules)
            with contextlib.suppress(Exception):  # it only saves time
                warm_up.load(rules)
            gc.collect()
            gc.freeze()  # what is there stays shared between all children
        return threads_awake()

    def _fork(self, request: dict[str, Any], answer: socket.socket) -> None:
        limits = TaskLimits(**request["limits"])
        parent, pid = os.getpid(), os.fork()
        if pid == 0:
            _become_child(parent, request["task"], Path(request["folder"]), limits)
        self._running[pid] = Running(answer, time.monotonic() + limits.seconds, Path(request["folder"]))


def _answer(answer: socket.socket, **message: Any) -> None:
    with answer, contextlib.suppress(OSError):  # whoever asked may be gone
        answer.send(json.dumps(message).encode())


def _become_child(parent: int, task: str, folder: Path, limits: TaskLimits) -> NoReturn:
    """Run the task and end at once, without the exit handlers of the parent process."""
    code = 1
    try:
        confinement.die_with(parent)
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        said = os.open(folder / child.SAID, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(said, 2)
        _close_all_but_the_standard_three()
        child.work(task, folder, limits)
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _close_all_but_the_standard_three() -> None:
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2:
            with contextlib.suppress(OSError):
                os.close(int(name))


def _kill(pid: int) -> None:
    """End a child with all it has started; it leads its own session, or will in a moment."""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError):
            end(pid, signal.SIGKILL)


def threads_awake() -> list[str]:
    """Name the other threads of this process that are not known to be parked."""
    awake = []
    for number in os.listdir("/proc/self/task"):
        if int(number) == os.getpid():
            continue
        with contextlib.suppress(FileNotFoundError):
            status = Path(f"/proc/self/task/{number}/stat").read_text(encoding="utf-8", errors="replace")
            name, _, state = status.partition("(")[2].rpartition(") ")
            if name not in PARKED or state[:1] != "S":
                awake.append(name)
    return awake


def main() -> None:
    """Serve the socket whose number is given."""
    control = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    confinement.give_way()
    warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of any thread at a fork; see `threads_awake`
    importlib.import_module("icefire.arena.judge.tasks")
    registry.load()
    ForkServer(control).serve()
    os._exit(0)


if __name__ == "__main__":
    main()

"""The client of the fork server: starts it, sends it tasks, and starts it again if it died."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from icefire.arena.judge.confinement import TaskLimits

KEPT = ("PATH", "LANG", "HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "PYTHONPATH")
"""What a process of the judge gets of the server's environment; no address of a database, no secret."""
LONGEST = 900.0
"""Seconds to wait, beyond a task's own, for a fork server that has to compile everything first."""
ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "_RJEM_MALLOC_CONF": "background_thread:false",
}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a task ended: the exit code, negative for a signal, and whether its time was up."""

    code: int
    late: bool = False


class NoForkServer(Exception):  # noqa: N818 - the caller has another way
    """There is no fork server here, or none that can fork."""


class Interrupted(Exception):  # noqa: N818 - nobody made a mistake
    """The task was cut off on purpose, as when the server stops."""


class ForkServerClient:
    """Holds one fork server for all threads of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._interruptions = 0
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def run_task(self, task: str, folder: Path, limits: TaskLimits, rules: str | None) -> Ended:
        """Run a task in a forked child and wait for its end; a fork server that died over it is replaced once."""
        request = {"task": task, "folder": str(folder), "limits": dataclasses.asdict(limits), "rules": rules}
        before = self._interruptions
        for _ in range(2):
            answer = self._ask(request, limits.seconds + LONGEST)
            if not answer and self._interruptions != before:
                raise Interrupted
            if "refused" in answer:
                raise NoForkServer(answer["refused"])
            if answer:
                return Ended(**answer)
        raise NoForkServer("it died twice")

    def warm(self, rules: str) -> None:
        """Have everything loaded for a contest before its first task; does not wait for it."""
        with contextlib.suppress(NoForkServer, OSError):
            answer, _ = self._send({"task": None, "rules": rules})
            answer.close()

    def interrupt(self) -> None:
        """Cut off every task that runs now; they are not begun again here."""
        self._interruptions += 1
        self.close()

    def close(self, only: socket.socket | None = None) -> None:
        """End the fork server and with it every child; with `only`, if it is still the one behind this socket."""
        with self._lock:
            if self._process is None or self._control is None or only not in (None, self._control):
                return
            self._control.close()
            self._process.kill()
            self._process.wait()
            self._control = self._process = None

    def _ask(self, request: dict[str, Any], patience: float) -> dict[str, Any]:
        """Send a request and wait for its answer; empty if the fork server died over it."""
        try:
            answer, control = self._send(request)
        except BrokenPipeError:
            self.close()
            return {}
        with answer:
            answer.settimeout(patience)
            try:
                said = answer.recv(1 << 16)
            except (TimeoutError, ConnectionError):
                said = b""
        if not said:
            self.close(control)
        return json.loads(said) if said else {}

    def _send(self, request: dict[str, Any]) -> tuple[socket.socket, socket.socket]:
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with contextlib.ExitStack() as unless_sent, theirs, self._lock:
            unless_sent.enter_context(mine)
            control = self._started()
            socket.send_fds(control, [json.dumps(request).encode()], [theirs.fileno()])
            unless_sent.pop_all()
        return mine, control

    def _started(self) -> socket.socket:
        if sys.platform != "linux":
            raise NoForkServer("forking is safe on Linux only")
        if self._control is not None and self._process is not None and self._process.poll() is None:
            return self._control
        if self._control is not None:
            self._control.close()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "icefire.arena.judge.fork_server", str(theirs.fileno())],
                cwd="/",
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=[theirs.fileno()],
            )
        return self._control


def environment() -> dict[str, str]:
    """Return what a process of the judge starts with."""
    return {name: os.environ[name] for name in KEPT if name in os.environ} | ONE_THREAD

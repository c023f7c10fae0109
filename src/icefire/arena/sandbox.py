"""Run a task of the judge in a child process that can do nothing but its sums.

The child sees one folder with exactly the files of its task: no database, no vault, nobody else's answers. Processor
time, memory, file size, processes and wall time are limited, and where the system allows it there is no network. A
child that dies at a limit has been handed something too large; that is the submission's fault and not the judge's.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from icefire.arena.errors import TooLarge


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one task may use."""

    seconds: float = 60
    memory: int = 6 << 30
    """Address space in bytes; compiled code and thread stacks count, though they are hardly touched."""
    file_size: int = 1 << 28


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a task said, and the files it wrote."""

    result: dict[str, Any]
    files: dict[str, bytes] = field(default_factory=dict)


class JudgeFailed(Exception):  # noqa: N818 - the judge's failure, never the submission's
    """The task ended in a way that says nothing about the submission."""


def run(task: str, given: Mapping[str, bytes | Path], limits: Limits | None = None, /, **options: Any) -> Outcome:
    """Run a task on files by name; raises `TooLarge` where it hit a limit and `JudgeFailed` where it broke."""
    allowed = limits or Limits()
    with tempfile.TemporaryDirectory(prefix="icefire-judge-") as place:
        folder = Path(place)
        for name, content in given.items():
            path = folder / "in" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
        (folder / "out").mkdir()
        (folder / "options.json").write_text(json.dumps(options), encoding="utf-8")
        _wait(_start(task, folder, allowed), allowed)
        return _collected(folder / "out")


def _start(task: str, folder: Path, limits: Limits) -> subprocess.Popen[bytes]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "NUMBA_CACHE_DIR") if name in os.environ}
    return subprocess.Popen(
        [sys.executable, "-m", "icefire.arena.child", task, str(folder)],
        cwd=folder,
        env={**kept, "HOME": str(folder), "TMPDIR": str(folder), "POLARS_MAX_THREADS": "2"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        close_fds=True,
        preexec_fn=lambda: _confine(limits),
    )


def _confine(limits: Limits) -> None:
    """Give up, in the child and before anything runs, what it must not have."""
    os.nice(10)  # pages come first
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    most = max(1, round(2 * limits.seconds))
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_size, limits.file_size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _wait(child: subprocess.Popen[bytes], limits: Limits) -> None:
    try:
        _, said = child.communicate(timeout=limits.seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        raise TooLarge(f"this took longer than {limits.seconds:g} seconds to read; hand in something smaller") from None
    if child.returncode < 0 or b"MemoryError" in said:
        raise TooLarge("this takes more memory or time than is allowed; hand in something smaller")
    if child.returncode:
        raise JudgeFailed(said.decode("utf-8", "replace").strip()[-2000:] or f"exit code {child.returncode}")


def _collected(folder: Path) -> Outcome:
    try:
        result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise JudgeFailed(f"the task left no result: {error}") from None
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and path.name != "result.json"
    }
    return Outcome(result, files)

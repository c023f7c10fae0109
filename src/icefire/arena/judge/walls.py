"""Which walls stand around a task of the judge on this machine, found out by running against each of them.

`python -m icefire.arena.judge.walls FOLDER` confines itself as a task is confined, and tries.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from icefire.arena.judge import capabilities, confinement
from icefire.arena.judge.fork_client import environment

MEANING = {
    "network": "no network",
    "files": "no files but its own",
    "programs": "no other programs",
    "capabilities": "no powers of root",
    "memory": "bounded memory",
}
"""What each wall means for a task."""
CURE = "This system lacks the means; judge where it has them: Linux 5.13 or newer, with Landlock and seccomp"
SECONDS = 60
logger = logging.getLogger("icefire.arena")


def probe() -> list[str]:
    """Return the walls that hold here; a probe that fails says that none does."""
    with tempfile.TemporaryDirectory(prefix="icefire-walls-") as place:
        command = [sys.executable, "-P", "-m", "icefire.arena.judge.walls", place]
        try:
            done = subprocess.run(command, env=environment(), capture_output=True, timeout=SECONDS, check=True)
            said = json.loads(done.stdout)
        except (subprocess.SubprocessError, OSError, ValueError):
            return []
    return [one for one in MEANING if one in said]


def sentence(standing: list[str]) -> str:
    """Say which walls hold, and which do not."""
    holds = ", ".join(MEANING[one] for one in standing) or "nothing holds"
    missing = [text for name, text in MEANING.items() if name not in standing]
    text = f"the judge's child is confined: {holds}"
    return f"{text}; NOT: {', '.join(missing)}. {CURE}" if missing else text


def log(standing: list[str]) -> None:
    """Write the same to the server's log."""
    level = logging.INFO if len(standing) == len(MEANING) else logging.WARNING
    logger.log(level, "%s", sentence(standing))


def _refused(work: Callable[[], object]) -> bool:
    try:
        work()
    except (OSError, MemoryError) as error:
        return not (isinstance(error, OSError) and error.errno == errno.ECONNREFUSED)  # somebody was asked
    return False


def _try() -> list[str]:
    """Run against every wall; a wall holds if all that it should stop is stopped."""
    import mmap

    tried: dict[str, list[Callable[[], object]]] = {
        "network": [lambda: socket.create_connection(("127.0.0.1", 9), 1)],
        "files": [lambda: os.listdir("/"), lambda: Path("/etc/passwd").read_bytes(), lambda: os.listdir("/root")],
        "programs": [lambda: subprocess.run(["true"], check=False)],
        "memory": [lambda: mmap.mmap(-1, 5 << 30)],
    }
    held = [name for name, ways in tried.items() if all(_refused(way) for way in ways)]
    return [*held, *(["capabilities"] if capabilities.has_none() else [])]


def main() -> None:
    """Confine this process, and print which walls hold."""
    confinement.confine(Path(sys.argv[1]), confinement.TaskLimits())
    print(json.dumps(_try()))


if __name__ == "__main__":
    main()

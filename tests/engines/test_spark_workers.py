"""The engine spark on two workers, processes of their own, of which one is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from support.spark import files, new_session, opened  # noqa: F401

from icefire.core import registry
from icefire.core.release import Comparison
from icefire.testing.engines import check_in_parts


@pytest.mark.heavy
def test_a_killed_worker_changes_nothing(files: tuple[Path, Comparison]) -> None:
    """Two workers as processes of their own on this machine; one of them is killed while attacks run."""
    before = _executors()
    session = new_session("local-cluster[2,1,1024]", **{"spark.task.maxFailures": "8"})
    try:
        tables = opened(session, *files)
        check_in_parts(registry.get("attack", "euc1"), files[1], tables)
        workers = sorted(_executors() - before)
        assert len(workers) >= 2
        killer = threading.Timer(1.0, os.kill, (workers[0], signal.SIGKILL))
        killer.start()
        for name in ("euc2", "id_sa", "id_rand", "sort"):
            check_in_parts(registry.get("attack", name), files[1], tables)
        killer.join()
        time.sleep(0.1)
        assert workers[0] not in _executors(), "the worker was not killed"
    finally:
        session.stop()


def _executors() -> set[int]:
    """Processes that run tasks of Spark and were started from this one."""
    own = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            command = (path / "cmdline").read_bytes()
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in command:
            own.add(int(path.name))
    return own

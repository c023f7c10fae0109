"""One task of the judge in a process of its own, on the files of one folder.

The process is forked by `fork_server`, or started as `python -m icefire.arena.judge.child TASK FOLDER LIMITS` where
that is not possible.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

from icefire.arena.judge.confinement import TaskLimits, confine, leave_the_network
from icefire.words.languages import DEFAULT, use_language

OPTIONS, RESULT, SAID = "options.json", "result.json", "said.txt"


def work(task: str, folder: Path, limits: TaskLimits) -> None:
    """Give up what the task must not have, run it, and write down what it says."""
    cut_off = confine(folder, limits)
    from icefire.arena.judge import tasks

    _leave_the_cache_alone()
    options = json.loads((folder / OPTIONS).read_text(encoding="utf-8"))
    # Results are stored in English, whatever the server's language: pages translate them for each reader.
    with use_language(DEFAULT):
        result = tasks.do_task(task, folder / "in", folder / "out", **options)
    text = json.dumps({**result, "cut_off": cut_off}, allow_nan=False)
    (folder / RESULT).write_text(text, encoding="utf-8")


def _leave_the_cache_alone() -> None:
    """Keep compiled kernels in memory only: what one task writes must never be loaded by another."""
    from numba.core import caching

    caching.Cache.save_overload = lambda *_: None  # type: ignore[method-assign]


def main() -> None:
    """Run a task in this process. Kernels are loaded before it is confined, because afterwards it cannot read them."""
    leave_the_network()
    importlib.import_module("icefire.arena.judge.tasks")
    importlib.import_module("icefire.core.registry").load()
    work(sys.argv[1], Path(sys.argv[2]), TaskLimits(**json.loads(sys.argv[3])))


if __name__ == "__main__":
    main()

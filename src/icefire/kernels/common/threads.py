"""The thread pool on which compiled functions run, and ranges of work for it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any


def thread_count() -> int:
    """Return the number of threads to use: ICEFIRE_THREADS, or every core this process may run on."""
    asked = os.environ.get("ICEFIRE_THREADS", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def starmap(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Call the function once per argument tuple, on every core, and return the results in order."""
    if len(calls) < 2 or thread_count() == 1 or getattr(_worker, "busy", False):
        return [function(*call) for call in calls]
    waiting = [_pool(os.getpid(), thread_count()).submit(function, *call) for call in calls]
    try:
        return [call.result() for call in waiting]
    finally:
        # An interrupted run does not wait for work nobody wants any more.
        for call in waiting:
            call.cancel()


_worker = threading.local()


def _mark_worker() -> None:
    """Mark a thread as one of ours: a kernel that asks for threads inside a thread would wait for itself."""
    _worker.busy = True


@cache
def _pool(process: int, size: int) -> ThreadPoolExecutor:
    """Keep one pool for each number of threads; a forked process has lost the threads and makes its own."""
    return ThreadPoolExecutor(size, thread_name_prefix="icefire", initializer=_mark_worker)


def spans(total: int, smallest: int = 1024, most: int = 64) -> list[tuple[int, int]]:
    """Cut range(total) into at most `most` spans of at least `smallest`, whatever the number of threads."""
    pieces = max(1, min(most, total // max(1, smallest)))
    edges = [total * i // pieces for i in range(pieces + 1)]
    return list(pairwise(edges))

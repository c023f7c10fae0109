"""Run compiled, lock-free kernels on every core."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any


def count() -> int:
    """Return the number of threads to use: ICEFIRE_THREADS, or every core this process may run on."""
    asked = os.environ.get("ICEFIRE_THREADS", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Call the function once per argument tuple, on every core, and return the results in order."""
    if len(calls) < 2 or count() == 1:
        return [function(*call) for call in calls]
    pool = ThreadPoolExecutor(count())
    try:
        return list(pool.map(lambda call: function(*call), calls))
    finally:
        # An interrupted run does not wait for work nobody wants any more.
        pool.shutdown(cancel_futures=True)


def spans(total: int, smallest: int = 1024, most: int = 64) -> list[tuple[int, int]]:
    """Cut range(total) into at most `most` spans of at least `smallest`, whatever the number of threads."""
    pieces = max(1, min(most, total // max(1, smallest)))
    edges = [total * i // pieces for i in range(pieces + 1)]
    return list(pairwise(edges))

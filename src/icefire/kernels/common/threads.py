"""The thread pool on which compiled functions run, and ranges of work for it."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
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
    """Call the function once per tuple of arguments, on all threads, and return the results in the order of the calls.

    The calls run one after the other where there is one thread, one call, or where the caller is itself a call of
    `starmap`: a thread of the pool that waited for the pool could wait for ever.
    """
    threads = min(thread_count(), len(calls))
    if threads < 2 or getattr(_worker, "busy", False):
        return [function(*call) for call in calls]
    results: list[Any] = [None] * len(calls)
    left = deque(range(len(calls)))

    def work() -> None:
        # One task per thread, not per call: handing a call to another thread takes longer than many calls do.
        while left:
            try:
                i = left.popleft()
            except IndexError:  # another thread took the last one
                return
            results[i] = function(*calls[i])

    others = [_pool(os.getpid(), thread_count()).submit(work) for _ in range(threads - 1)]
    _worker.busy = True
    try:
        work()
        for other in others:
            # A task that has not started would find nothing left to do.
            if not other.cancel():
                other.result()
    finally:
        _worker.busy = False
        # After an error or an interruption, calls that have not started are not worth waiting for.
        left.clear()
    return results


def in_turn(function: Callable[[Any], Any], items: Iterable[Any], at_once: int) -> Iterator[Any]:
    """Call the function on every item, some at a time on the pool, and give the results in the order of the items.

    Never more than `at_once` items are worked on or wait to be taken. What a call does with `starmap` it does alone.
    """
    size = min(thread_count(), at_once)
    if size < 2 or getattr(_worker, "busy", False):
        yield from map(function, items)
        return
    pool, waiting = _pool(os.getpid(), thread_count()), deque[Any]()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) >= size:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for left in waiting:
            left.cancel()
        wait(waiting)


_worker = threading.local()


def _mark_worker() -> None:
    """Mark a thread of the pool, so that calls inside it do not wait for the pool."""
    _worker.busy = True


@cache
def _pool(process: int, size: int) -> ThreadPoolExecutor:
    """Return the pool of so many threads; a forked process has lost its parent's threads and gets its own."""
    return ThreadPoolExecutor(size, thread_name_prefix="icefire", initializer=_mark_worker)


def spans(total: int, smallest: int = 1024, most: int = 64) -> list[tuple[int, int]]:
    """Cut range(total) into at most `most` consecutive spans (start, end) of at least `smallest` each.

    The spans do not depend on the number of threads, so that partial results do not, either. There is always one span.
    """
    pieces = max(1, min(most, total // max(1, smallest)))
    edges = [total * i // pieces for i in range(pieces + 1)]
    return list(pairwise(edges))

"""CPU seconds of all threads together: other work on the machine hardly changes them, and published references for
some peers are given in them."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.results import Peer, Timing, show

SLOW = 2.0
"""A job that takes longer than so many CPU seconds runs once, without warming up."""


@dataclass(frozen=True)
class Reference:
    """A peer whose CPU seconds are known; None where it did not finish."""

    name: str
    seconds: float | None
    bar: float | None = None
    elsewhere: bool = True


def cpu_seconds(job: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of one run, all threads together, and its answer."""
    gc.collect()
    started = time.process_time()
    answer = job()
    return time.process_time() - started, answer


def measured(job: Callable[[], Any], rounds: int = 5) -> tuple[float, Any]:
    """Return the median of some runs after one to warm up; of a slow job the first."""
    first, answer = cpu_seconds(job)
    if first > SLOW:
        return first, answer
    return statistics.median(cpu_seconds(job)[0] for _ in range(rounds)), answer


def compare_cpu_time(job: str, ours: Callable[[], Any], peers: Sequence[Reference | Peer] = ()) -> list[Timing]:
    """Measure us, warmed up, and the peers; prints and returns the timings."""
    ours()
    mine, answer = measured(ours)
    timings = [Timing(f"{job}, CPU seconds", "icefire", mine, 1.0, None, None)]
    for peer in peers:
        if isinstance(peer, Reference):
            if peer.seconds is not None:
                name = f"{peer.name} (measured elsewhere)" if peer.elsewhere else peer.name
                timings.append(Timing(timings[0].job, name, peer.seconds, peer.seconds / mine, peer.bar, None))
            continue
        theirs, other = measured(peer.call)
        same = peer.same(answer, other) if peer.same else None
        timings.append(Timing(timings[0].job, peer.name, theirs, theirs / mine, peer.bar, same))
    show(timings)
    return timings

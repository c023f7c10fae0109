"""CPU seconds of all threads together: other work hardly changes them, and references are given in them."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.race import Row, show

SLOW = 2.0
"""A peer that takes longer than so many CPU seconds runs once, without warming up."""


@dataclass(frozen=True)
class Known:
    """A peer whose CPU seconds are known; None where it did not finish."""

    name: str
    seconds: float | None
    bar: float | None = None
    elsewhere: bool = True


@dataclass(frozen=True)
class Peer:
    """A peer that runs here; `same` compares our answer with its answer."""

    name: str
    run: Callable[[], Any]
    bar: float | None = None
    same: Callable[[Any, Any], bool] | None = None


def seconds(job: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of one run, all threads together, and what came out."""
    gc.collect()
    started = time.process_time()
    answer = job()
    return time.process_time() - started, answer


def measured(job: Callable[[], Any], rounds: int = 5) -> tuple[float, Any]:
    """Return the median of some runs after one to warm up; of a slow job the first."""
    first, answer = seconds(job)
    if first > SLOW:
        return first, answer
    return statistics.median(seconds(job)[0] for _ in range(rounds)), answer


def compare(job: str, ours: Callable[[], Any], peers: Sequence[Known | Peer] = ()) -> list[Row]:
    """Measure us, warmed up, and the peers; print and return the comparison."""
    ours()
    mine, answer = measured(ours)
    rows = [Row(f"{job}, CPU seconds", "icefire", mine, 1.0, None, None)]
    for peer in peers:
        if isinstance(peer, Known):
            if peer.seconds is not None:
                name = f"{peer.name} (measured elsewhere)" if peer.elsewhere else peer.name
                rows.append(Row(rows[0].job, name, peer.seconds, peer.seconds / mine, peer.bar, None))
            continue
        theirs, other = measured(peer.run)
        same = peer.same(answer, other) if peer.same else None
        rows.append(Row(rows[0].job, peer.name, theirs, theirs / mine, peer.bar, same))
    show(rows)
    return rows

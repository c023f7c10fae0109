"""Interleaved timing: us, peer, peer, then us again; ratios are taken inside a round, so that other work on the machine
slows all of them. By the clock, or in CPU seconds of all threads together where BENCHMARK_CLOCK is "cpu"."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.results import Peer, Timing, show


def compare_wall_time(job: str, ours: Callable[[], Any], peers: Sequence[Peer], rounds: int = 3) -> list[Timing]:
    """Call everything once to warm up, then time it round by round; prints and returns the timings.

    Args:
        job: Title of the comparison.
        ours: Does the job with icefire.
        peers: Other ways to do it.
        rounds: Number of rounds; the median is reported.
    """
    clock = time.process_time if os.environ.get("BENCHMARK_CLOCK") == "cpu" else time.perf_counter
    runners = [Peer("icefire", ours), *peers]
    answers = {runner.name: runner.call() for runner in runners}
    times: dict[str, list[float]] = {runner.name: [] for runner in runners}
    for _ in range(rounds):
        for runner in runners:
            gc.collect()
            started = clock()
            runner.call()
            times[runner.name].append((clock() - started) / runner.share)
    mine = times["icefire"]
    timings = [Timing(job, "icefire", statistics.median(mine), 1.0, None, None)]
    for peer in peers:
        ratio = statistics.median(theirs / ours_ for theirs, ours_ in zip(times[peer.name], mine, strict=True))
        same = peer.same(answers["icefire"], answers[peer.name]) if peer.same else None
        timings.append(Timing(job, peer.name, statistics.median(times[peer.name]), ratio, peer.bar, same))
    show(timings)
    return timings

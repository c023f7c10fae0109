"""Interleaved timing: A, B, C, then A, B, C again; ratios are taken inside a round, so that a slow minute hits all."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

console = Console()


@dataclass(frozen=True)
class Runner:
    """One way to do the job. A slow one may do a `share` of the work; its time is divided by it."""

    name: str
    run: Callable[[], Any]
    bar: float | None = None
    share: float = 1.0
    same: Callable[[Any, Any], bool] | None = None
    """Compares our answer with its answer; None where answers are not comparable."""


@dataclass(frozen=True)
class Row:
    """How one peer compared: its time over ours, the bar it was to clear, and whether answers agreed."""

    job: str
    name: str
    seconds: float
    ratio: float
    bar: float | None
    same: bool | None


def race(job: str, ours: Callable[[], Any], peers: Sequence[Runner], rounds: int = 3) -> list[Row]:
    """Warm everything up once, then time it round by round."""
    runners = [Runner("icefire", ours), *peers]
    answers = {runner.name: runner.run() for runner in runners}
    times: dict[str, list[float]] = {runner.name: [] for runner in runners}
    for _ in range(rounds):
        for runner in runners:
            gc.collect()
            started = time.perf_counter()
            runner.run()
            times[runner.name].append((time.perf_counter() - started) / runner.share)
    mine = times["icefire"]
    rows = [Row(job, "icefire", statistics.median(mine), 1.0, None, None)]
    for peer in peers:
        ratio = statistics.median(theirs / ours_ for theirs, ours_ in zip(times[peer.name], mine, strict=True))
        same = peer.same(answers["icefire"], answers[peer.name]) if peer.same else None
        rows.append(Row(job, peer.name, statistics.median(times[peer.name]), ratio, peer.bar, same))
    show(rows)
    return rows


def show(rows: Sequence[Row]) -> None:
    """Print one job as a table."""
    table = Table(title=rows[0].job, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for name in ("seconds", "× icefire", "bar", "reached", "same answers"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        bar = "" if row.bar is None else f"{row.bar:g}"
        reached = "" if row.bar is None else ("yes" if row.ratio >= row.bar else "MISSED")
        same = "" if row.same is None else ("yes" if row.same else "NO")
        table.add_row(row.name, f"{row.seconds:.3f}", f"{row.ratio:.1f}", bar, reached, same)
    console.print(table)
    console.print()

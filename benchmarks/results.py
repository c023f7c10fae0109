"""What a benchmark compares and what it reports: peers, timings, and the table that is printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

console = Console()


@dataclass(frozen=True)
class Peer:
    """Another way to do the same job. A slow one may do a `share` of the work; its time is divided by the share."""

    name: str
    call: Callable[[], Any]
    bar: float | None = None
    """How many times our time it should take at least; None where there is no expectation."""
    share: float = 1.0
    same: Callable[[Any, Any], bool] | None = None
    """Compares our answer with the peer's; None where answers are not comparable."""


@dataclass(frozen=True)
class Timing:
    """The time of one peer (or of icefire), as seconds and as a multiple of ours, and whether answers agreed."""

    job: str
    name: str
    seconds: float
    ratio: float
    bar: float | None
    same: bool | None


def show(timings: Sequence[Timing]) -> None:
    """Print the timings of one job as a table."""
    table = Table(title=timings[0].job, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for name in ("seconds", "× icefire", "bar", "reached", "same answers"):
        table.add_column(name, justify="right", no_wrap=True)
    for timing in timings:
        bar = "" if timing.bar is None else f"{timing.bar:g}"
        reached = "" if timing.bar is None else ("yes" if timing.ratio >= timing.bar else "MISSED")
        same = "" if timing.same is None else ("yes" if timing.same else "NO")
        table.add_row(timing.name, f"{timing.seconds:.3f}", f"{timing.ratio:.1f}", bar, reached, same)
    console.print(table)
    console.print()

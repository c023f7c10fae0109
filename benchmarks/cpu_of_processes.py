"""CPU seconds of this process and of all that it started and that still run: a cluster on this machine among them."""

from __future__ import annotations

import os
from pathlib import Path

FIRST, LAST = 11, 15
"""Where the ticks of a process and of its children that ended stand in /proc/PID/stat, after its name."""


def cpu_seconds() -> float:
    """Return the CPU seconds of this process, of its children that ended, and of all below it that run."""
    ticks: dict[int, int] = {}
    below: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        process = int(path.parent.name)
        ticks[process] = sum(int(field) for field in fields[FIRST:LAST])
        below.setdefault(int(fields[1]), []).append(process)
    total, left = 0, [os.getpid()]
    while left:
        process = left.pop()
        total += ticks.get(process, 0)
        left += below.get(process, [])
    return total / os.sysconf("SC_CLK_TCK")

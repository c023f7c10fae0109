"""How much memory an engine may use, and how many rows it therefore takes at a time."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from icefire.core.errors import ParameterError

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
PROCESS = 700 * 10**6
"""What the process takes before it reads anything: the interpreter, compiled functions, libraries."""
PER_RELEASED_ROW = 32
"""Bytes kept for each released row all the time: its place, its origin, answers and distances."""
PER_ORIGINAL_ROW = 8
"""Bytes kept for each original row while a column of it is looked up."""
LEAST_WORKING = 100 * 10**6
COPIES = 6
"""A bucket is held about so many times over while a function works on it."""
BUCKETS_AT_ONCE = 4
"""Buckets that are worked on at a time, where there are as many threads."""
BATCH_BUCKETS = 2
"""Rows that are read at a time, as a multiple of those of a bucket."""
PER_BUCKET_ROW = 60
"""Bytes for each row of a bucket while its classes are found."""
MOST_ROWS = 1_000_000
LEAST_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Rows that are read, and rows that are worked on, at a time."""

    batch_rows: int
    bucket_rows: int
    """Rows of both tables together in one bucket."""
    working: int
    """Bytes for what is worked on."""

    def check_bucket(self, rows: int, row_bytes: int, what: str) -> None:
        """Refuse a bucket that cannot be cut and does not fit.

        Raises:
            ParameterError: If it needs more memory than there is.
        """
        needed = rows * (row_bytes + PER_BUCKET_ROW)
        if rows > 2 * self.bucket_rows and needed > self.working:
            more = -(-(needed - self.working) // 10**8) / 10
            raise ParameterError(
                f"--memory-limit: {what} needs {rows:,} rows at once, because so many have the same key; give "
                f"{more:.1f} GB more, or leave it out"
            )


def parse_memory(text: str | int) -> int:
    """Read an amount of memory: 6GB, 512MB, 2GiB, or bytes.

    Raises:
        ParameterError: If it is no amount.
    """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?I?)B?\s*", str(text).upper())
    if match is None or match[2] not in UNITS or float(match[1]) <= 0:
        raise ParameterError(f"--memory-limit: {text!r} is no amount of memory; write for example 6GB or 512MB")
    return int(float(match[1]) * UNITS[match[2]])


def available_memory() -> int:
    """Return the bytes of memory that are free on this machine; 4 GB where that is not known."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
        return pages * os.sysconf("SC_PAGE_SIZE") // 2 if pages > 0 else 4 * 10**9


def plan_memory(limit: int, originals: int, released: int, row_bytes: int) -> MemoryPlan:
    """Divide the memory among what is kept for every row and what is worked on.

    Args:
        limit: Bytes that the process may use.
        originals: Rows of the original.
        released: Rows of the release.
        row_bytes: Bytes of one row.

    Raises:
        ParameterError: If the limit is too small for tables of this size.
    """
    kept = PROCESS + PER_RELEASED_ROW * released + PER_ORIGINAL_ROW * originals
    working = limit - kept
    if working < LEAST_WORKING:
        least = -(-(kept + LEAST_WORKING) // 10**8) / 10
        raise ParameterError(
            f"--memory-limit: {limit / 1e9:.1f} GB are too little for {originals:,} and {released:,} rows; give at "
            f"least {least:.1f}GB, or audit a random sample of the people"
        )
    rows = working // (BUCKETS_AT_ONCE * COPIES * (row_bytes + 40))
    bucket_rows = int(min(max(rows, LEAST_ROWS), MOST_ROWS))
    return MemoryPlan(BATCH_BUCKETS * bucket_rows, bucket_rows, working)

"""Special uniques: minimal sets of up to three of 13 quasi-identifiers, against grouping by every set in polars."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl

from benchmarks.cpu_time import compare_cpu_time
from benchmarks.data import QI, codes
from benchmarks.results import Peer, Timing
from icefire.risk import special

ROWS = 100_000
MOST = 3
BAR = 5


def benchmark(rows: int | None) -> list[Timing]:
    """A hundred thousand households: 377 sets of columns."""
    frame = codes(rows or ROWS)
    job = f"special uniques, sets of up to {MOST} of {len(QI)} columns, {frame.height:,} rows"
    return compare_cpu_time(
        job,
        lambda: special.find(frame, QI, MOST).counts,
        [Peer("polars", lambda: _plain(frame), BAR, same=np.array_equal)],
    )


def _plain(frame: pl.DataFrame) -> np.ndarray:
    """Group by every set of columns; who is alone, and was not by fewer of them, has a minimal set more."""
    counts, alone = np.zeros((frame.height, MOST), np.int32), dict[tuple[str, ...], np.ndarray]()
    for size in range(1, MOST + 1):
        for names in combinations(QI, size):
            single = frame.select((pl.len().over(*names) == 1).alias("alone"))["alone"].to_numpy()
            before = np.zeros(frame.height, bool)
            for part in combinations(names, size - 1):
                before |= alone.get(part, before)
            counts[:, size - 1] += single & ~before
            alone[names] = single
    return counts

"""Tables larger than memory: households × 25 written in parts, audited by `partitioned` under a memory limit.

Each audit runs in a process of its own, which tells its CPU seconds and the most memory it held. The files and the
buckets lie in the temporary folder (`TMPDIR`): a hundred million rows take about 25 GB there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.results import Timing, console

SIZES = (10_000_000, 30_000_000, 100_000_000)
PART = 1_000_000
"""Rows of one file."""
LIMIT = "6GB"
LINEAR = 1.3
"""CPU seconds per row may grow by this factor from the smallest table to the largest."""
AUDIT = """
import json, resource, sys, time, icefire
from icefire.core import registry
from icefire.samples import households as h
able = {{sort: [e.name for e in registry.entries(sort, "table") if e.in_parts] for sort in ("attack", "measure")}}
stages = []
def progress(text):
    used = resource.getrusage(resource.RUSAGE_SELF)
    stages.append((text, time.perf_counter(), used.ru_utime + used.ru_stime, used.ru_maxrss))
    print(text, round(stages[-1][2]), round(used.ru_maxrss / 1e6, 2), file=sys.stderr, flush=True)
started = time.perf_counter()
card = icefire.audit(
    "{place}/original", "{place}/released", aligned=True, qi=h.QI, sa=h.SA, attacks={attacks} or able["attack"],
    measures=able["measure"], engine="partitioned", memory_limit="{limit}", progress=progress
).scorecard
progress("end")
print(json.dumps({{
    "seconds": time.perf_counter() - started, "cpu": stages[-1][2], "memory": stages[-1][3] / 1e6,
    "stages": {{one[0]: round(two[2] - one[2], 1) for one, two in zip(stages, stages[1:])}},
    "rates": {{name: result.rate for name, result in card.attacks.items()}},
}}))
"""
BLOCK_ATTACKS = ["id_rand", "id_sa", "sort", "sa_nearest", "euc1", "euc2"]


def benchmark(rows: int | None) -> list[Timing]:
    """Audit tables of 10, 30 and 100 million rows, unless a size is given."""
    per_row: dict[int, float] = {}
    for size in [rows] if rows else SIZES:
        with tempfile.TemporaryDirectory() as place:
            write_tables(size, Path(place))
            audited = _audit(place)
        per_row[size] = audited["cpu"] / size
        _show(size, audited)
    if len(per_row) > 1:
        growth = per_row[max(per_row)] / per_row[min(per_row)]
        reached = "linear" if growth <= LINEAR else "NOT LINEAR"
        console.print(f"CPU seconds per row grow by a factor of {growth:.2f} from smallest to largest: {reached}")
    return []


def write_tables(rows: int, place: Path) -> None:
    """Write households and the same with noise on the amounts, in the same order, part by part."""
    import numpy as np
    import polars as pl

    import icefire

    for side in ("original", "released"):
        (place / side).mkdir()
    for number, first in enumerate(range(0, rows, PART)):
        data = icefire.sample("households", min(PART, rows - first), seed=number)
        rng = np.random.default_rng(number)
        noise = [
            (pl.col(name) + pl.Series(rng.normal(0, 10, data.height).round())).cast(pl.Int64).alias(name)
            for name in data.numeric_sa
        ]
        data.frame.write_parquet(place / "original" / f"part-{number:04d}.parquet")
        data.frame.with_columns(noise).write_parquet(place / "released" / f"part-{number:04d}.parquet")
        if (number + 1) % 10 == 0:
            console.print(f"  {first + data.height:,} of {rows:,} rows written")


def _audit(place: str) -> dict[str, Any]:
    script = AUDIT.format(place=place, limit=LIMIT, attacks=BLOCK_ATTACKS)
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True)
    audited: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return audited


def _show(rows: int, audited: dict[str, Any]) -> None:
    seconds, cpu, memory = (audited[name] for name in ("seconds", "cpu", "memory"))
    within = "within the limit" if memory * 1e9 <= float(LIMIT.removesuffix("GB")) * 1e9 else "ABOVE THE LIMIT"
    console.print(f"partitioned, {rows:,} × 25: {seconds:.0f} s, {cpu:.0f} CPU s, {memory:.2f} GB at most, {within}")
    console.print(f"  CPU seconds by stage: {audited['stages']}")
    console.print(f"  rates: {audited['rates']}")

"""Histories larger than memory: customers of the sample shop written in parts, audited by `partitioned`.

The release exchanges a third of all goods. The audit runs in a process of its own, which tells its CPU seconds and the
most memory it held; another counts the dummies of given clusters (Δm): five customers each, in order of their names.
The files and the pieces lie in the temporary folder (`TMPDIR`): a million customers (97 million rows) take about 5 GB
there. `--rows` counts customers.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.results import Timing, console

CUSTOMERS = 1_000_000
PART = 50_000
"""Customers of one file."""
LIMIT, LIMIT_BYTES = "6GB", 6 * 10**9
AUDIT = """
import json, resource, sys, time, icefire
stages = []
def progress(text):
    used = resource.getrusage(resource.RUSAGE_SELF)
    stages.append((text, used.ru_utime + used.ru_stime))
    print(text, round(stages[-1][1]), round(used.ru_maxrss / 1e6, 2), file=sys.stderr, flush=True)
started = time.perf_counter()
card = icefire.audit(
    "{place}/original", "{place}/released", key="customer", subject="customer", item="goods", attacks=["jaccard"],
    engine="partitioned", memory_limit="{limit}", progress=progress
).scorecard
progress("end")
result = card.attacks["jaccard"]
print(json.dumps({{
    "seconds": time.perf_counter() - started, "cpu": stages[-1][1],
    "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    "stages": {{one[0]: round(two[1] - one[1], 1) for one, two in zip(stages, stages[1:])}},
    "rate": result.rate, "expected": result.expected, "rows": card.history.original.rows,
    "engine": card.provenance.software["engine"],
}}))
"""

DUMMIES = """
import json, resource, numpy, polars
from icefire.core.history.fields import Fields
from icefire.engines.histories import PartitionedHistories, plan_history_memory
from icefire.engines.raw_histories import RawHistory
sides = [
    RawHistory(polars.scan_parquet("{place}/" + side + "/*.parquet"), Fields("customer", "goods"))
    for side in ("original", "released")
]
subjects, rows = sum(len(side.names) for side in sides), sum(side.height for side in sides)
parts = PartitionedHistories(*sides, plan_history_memory({limit}, subjects, rows))
def used():
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime
before = used()
count = parts.dummy_rows(numpy.arange(parts.choices) // {together})
cpu, memory = used() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
parts.close()
print(json.dumps({{"dummies": count, "cpu": cpu, "memory": memory}}))
"""


def benchmark(rows: int | None) -> list[Timing]:
    """Audit a million customers, unless another number is given."""
    customers = rows or CUSTOMERS
    with tempfile.TemporaryDirectory() as place:
        write_histories(customers, Path(place))
        audited = _in_own_process(AUDIT.format(place=place, limit=LIMIT))
        added = _in_own_process(DUMMIES.format(place=place, limit=LIMIT_BYTES, together=5))
    within = "within the limit" if audited["memory"] <= float(LIMIT.removesuffix("GB")) else "ABOVE THE LIMIT"
    console.print(
        f"{audited['engine']}: {customers:,} customers, {audited['rows']:,} rows: {audited['seconds']:.0f} s, "
        f"{audited['cpu']:.0f} CPU s, {audited['memory']:.2f} GB at most, {within}"
    )
    console.print(f"  CPU seconds by stage: {audited['stages']}")
    console.print(f"  jaccard: rate {audited['rate']:.4f}, expected under a draw {audited['expected']}")
    console.print(
        f"  clusters of five as they come: {added['dummies']:,} dummies, {added['cpu']:.1f} CPU s for the count alone, "
        f"{added['memory']:.2f} GB at most"
    )
    return []


def _in_own_process(script: str) -> dict[str, Any]:
    """Run a script and return what it prints last."""
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True)
    results: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return results


def write_histories(customers: int, place: Path) -> None:
    """Write the sample shop and the same with a third of its goods drawn anew, part by part."""
    import numpy as np
    import polars as pl

    from icefire.samples import shop

    for side in ("original", "released"):
        (place / side).mkdir()
    for number, first in enumerate(range(0, customers, PART)):
        frame = shop.history(min(PART, customers - first), seed=number).frame
        frame = frame.with_columns(pl.format("{}-{}", pl.lit(number), pl.col("customer")).alias("customer"))
        rng = np.random.default_rng(number)
        other = pl.Series(rng.random(frame.height) < 1 / 3)
        drawn = frame["goods"][rng.permutation(frame.height)]
        changed = frame.with_columns(pl.when(other).then(drawn).otherwise(pl.col("goods")).alias("goods"))
        frame.write_parquet(place / "original" / f"part-{number:04d}.parquet")
        changed.write_parquet(place / "released" / f"part-{number:04d}.parquet")

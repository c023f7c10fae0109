"""The engines on the same files: an audit without the joint attack, each in a process of its own.

CPU seconds of all processes are compared, of what every engine does: reading, buckets, the attacks and the measures.
What else an audit asks (hidden values, singling out, obstacles) is left out of the comparison.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from benchmarks.data import survey
from benchmarks.results import Timing, console

AUDIT = """
import json, resource, time, icefire
from benchmarks.cpu_of_processes import cpu_seconds
from icefire.core import registry
from icefire.samples import households as h
able = {{sort: [e.name for e in registry.entries(sort, "table") if e.in_parts] for sort in ("attack", "measure")}}
stages = []
def progress(text):
    stages.append((text.partition(":")[0], text.partition(": ")[2].partition(",")[0], cpu_seconds()))
card = icefire.audit(
    "{place}/original.parquet", "{place}/released.parquet", aligned=True, qi=h.QI, sa=h.SA, progress=progress,
    attacks=able["attack"], measures=able["measure"], engine="{engine}", **{options}
).scorecard
progress("end")
spent = [(kind, name, after[2] - before) for (kind, name, before), after in zip(stages, stages[1:])]
print(json.dumps([
    sum(seconds for kind, name, seconds in spent if kind in ("reading", "buckets", "fire", "measure")),
    resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    {{name: result.hits for name, result in card.attacks.items()}},
    {{name or kind: round(seconds, 1) for kind, name, seconds in spent if seconds >= 0.1 and "hidden" not in kind}},
]))
"""
SIZES = (100_000, 1_000_000)
PARTITIONED, SPARK = 1.5, 3.0
"""How many times the CPU seconds of one process an engine may take at 10 million rows."""


def benchmark(rows: int | None) -> list[Timing]:
    """A hundred thousand and a million rows, unless a size is given."""
    for size in [rows] if rows else SIZES:
        with tempfile.TemporaryDirectory() as place:
            _write(size, Path(place))
            local = _audit("local", place, {})
            _show("local", size, local, local)
            _show("partitioned", size, _audit("partitioned", place, {"memory_limit": "4GB"}), local)
            if find_spec("pyspark") is not None:
                _show("spark", size, _audit("spark", place, {}), local)
    return []


def _write(rows: int, place: Path) -> None:
    """Write households and the same with noise on the amounts, in the same order."""
    import numpy as np
    import polars as pl

    data = survey(rows)
    rng = np.random.default_rng(1)
    data.frame.write_parquet(place / "original.parquet")
    noisy = [(pl.col(name) + pl.Series(rng.normal(0, 10, rows).round())).alias(name) for name in data.numeric_sa]
    data.frame.with_columns(noisy).write_parquet(place / "released.parquet")


def _audit(engine: str, place: str, options: dict[str, str]) -> list[object]:
    script = AUDIT.format(place=place, engine=engine, options=options)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    audited: list[object] = json.loads(done.stdout.strip().splitlines()[-1])
    return audited


def _show(engine: str, rows: int, audited: list[object], local: list[object]) -> None:
    seconds, memory, hits, by_stage = audited
    same = "same answers" if hits == local[2] else "ANSWERS DIFFER"
    ratio = float(str(seconds)) / float(str(local[0]))
    console.print(f"{engine}, {rows:,} × 25: {seconds:.1f} CPU s, {ratio:.1f} times local, {memory:.2f} GB, {same}")
    console.print(f"  CPU seconds by stage: {by_stage}")
    if hits != local[2]:
        raise SystemExit(f"{engine}: answers differ from those of one process")

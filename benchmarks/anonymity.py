"""Full-domain k-anonymity at three sizes, and the checks of k, l and t against pycanon, on UCI Adult."""

from __future__ import annotations

import resource
import time
from pathlib import Path

import numpy as np
import polars as pl

import icefire
from benchmarks.race import Row, Runner, console, race
from icefire.dataset import Dataset
from icefire.registry import get
from icefire.release import Case, Comparison, Truth

ADULT = Path(__file__).parents[2] / "shared" / "data" / "arx_adult"
QI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
ARX_SECONDS = {30_162: 0.57, 300_000: 4.3, 3_000_000: 8.9}
"""CPU seconds of ARX, measured elsewhere on two shared cores."""


def run(rows: int | None) -> list[Row]:
    """Skip where the data is absent; else 30k, 300k and 3M rows."""
    if not ADULT.exists():
        console.print(f"anonymity: skipped, {ADULT.name} is not there")
        return []
    adult = pl.read_csv(ADULT / "adult.csv.gz", separator=";")
    for size in [rows] if rows else ARX_SECONDS:
        _full_domain(adult, size)
    return _checks(adult)


def _full_domain(adult: pl.DataFrame, rows: int) -> None:
    data = icefire.read(enlarged(adult, rows), qi=QI, sa=["salary-class"])
    step = {"method": "k_anonymize", "k": 5, "mode": "full_domain", "max_suppressed": 0.04, "hierarchies": str(ADULT)}
    icefire.anonymize(data.take(np.arange(1000)), {"step": [step]})
    started = time.process_time()
    release = icefire.anonymize(data, {"step": [step]})
    seconds = time.process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    notes = release.recipe["steps"][0]["notes"]
    reference = f", ARX {ARX_SECONDS[rows]} (measured elsewhere)" if rows in ARX_SECONDS else ""
    console.print(
        f"k_anonymize full_domain, {rows:,} rows: {seconds:.2f} CPU s{reference}, peak {memory:.2f} GB, "
        f"levels {list(notes['levels'].values())}, {notes['suppressed']:,} rows suppressed"
    )


def enlarged(adult: pl.DataFrame, rows: int, seed: int = 0) -> pl.DataFrame:
    """Draw rows with replacement and redraw each cell with probability 0.1 from its column."""
    if rows == adult.height:
        return adult
    rng = np.random.default_rng(seed)
    drawn = adult[rng.integers(0, adult.height, rows)]
    columns = []
    for column in drawn:
        other = adult[column.name][rng.integers(0, adult.height, rows)]
        columns.append(column.zip_with(pl.Series(rng.random(rows) >= 0.1), other))
    return pl.DataFrame(columns)


def _checks(adult: pl.DataFrame) -> list[Row]:
    from pycanon import anonymity

    qi, sa = QI[:-1], ["occupation", "salary-class"]
    data = icefire.read(adult, qi=qi, sa=sa)
    pandas = adult.to_pandas()
    peers = {
        "k_min": lambda: anonymity.k_anonymity(pandas, qi),
        "l_distinct": lambda: anonymity.l_diversity(pandas, qi, sa),
        "t_equal": lambda: anonymity.t_closeness(pandas, qi, sa),
    }
    return [
        row
        for name, peer in peers.items()
        for row in race(
            f"{name}, {adult.height:,} rows", lambda name=name: _measure(name, data), [Runner("pycanon", peer, 20)]
        )
    ]


def _measure(name: str, data: Dataset) -> float:
    comparison = Comparison(Case(data, data), Truth(np.arange(data.height)))
    return float(get("measure", name).function(comparison))

"""Full-domain k-anonymity at three sizes, against ARX and anjana, and k, l and t against pycanon, on UCI Adult."""

from __future__ import annotations

import math
import resource
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import icefire
from benchmarks.cpu_time import Reference, compare_cpu_time
from benchmarks.data import unseen
from benchmarks.results import Peer, Timing, console, show
from icefire import hierarchy
from icefire.core.dataset import Dataset
from icefire.core.registry import get
from icefire.core.release import Case, Comparison, Truth

ADULT = Path(__file__).parents[2] / "shared" / "data" / "arx_adult"
QI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
K, SUPPRESSED = 5, 0.04
ARX = {30_162: Reference("ARX", 0.57, 0.67), 300_000: Reference("ARX", 4.3, 1), 3_000_000: Reference("ARX", 8.9, 1)}
ARX_MEMORY = 4.6
"""Gigabytes at three million rows."""


def benchmark(rows: int | None) -> list[Timing]:
    """Skip where the data is absent; else 30k, 300k and 3M rows."""
    if not ADULT.exists():
        console.print(f"anonymity: skipped, {ADULT.name} is not there")
        return []
    adult = pl.read_csv(ADULT / "adult.csv.gz", separator=";")
    results = []
    for size in [rows] if rows else ARX:
        results += _full_domain(adult, size)
    return results + _checks(adult)


def _full_domain(adult: pl.DataFrame, rows: int) -> list[Timing]:
    data = icefire.read(enlarged(adult, rows), qi=QI, sa=["salary-class"])
    step = {"method": "k_anonymize", "k": K, "mode": "full_domain", "max_suppressed": SUPPRESSED}
    recipe = {"step": [step | {"hierarchies": str(ADULT)}]}
    peers: list[Reference | Peer] = [ARX[rows]] if rows in ARX else []
    if rows == adult.height:
        peers += _anjana(adult)
    results = compare_cpu_time(
        f"k_anonymize full_domain, {rows:,} rows", lambda: icefire.anonymize(data, recipe), peers
    )
    notes = icefire.anonymize(data, recipe).recipe["steps"][0]["notes"]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    levels = list(notes["levels"].values())
    console.print(f"levels {levels}, {notes['suppressed']:,} rows suppressed, peak of the process {memory:.2f} GB\n")
    return results + (_memory(memory) if rows == max(ARX) else [])


def _memory(ours: float) -> list[Timing]:
    job = f"peak memory, {max(ARX):,} rows, gigabytes"
    rows = [
        Timing(job, "icefire, data and all", ours, 1.0, None, None),
        Timing(job, "ARX (measured elsewhere)", ARX_MEMORY, ARX_MEMORY / ours, 2, None),
    ]
    show(rows)
    return rows


def _anjana(adult: pl.DataFrame) -> list[Peer]:
    """Anjana, if it is installed. It pins old versions of common packages, so that we do not depend on it."""
    if find_spec("anjana") is None:
        console.print("anjana is not installed, so nothing is compared with it (pip install --no-deps anjana beartype)")
        return []
    import pandas
    from anjana.anonymity import k_anonymity

    frame = pandas.DataFrame({name: adult[name].cast(pl.String).to_numpy().astype(object) for name in QI}, dtype=object)
    levels = {
        name: {level: pandas.Series(known.at(level).to_list(), dtype=object) for level in range(known.levels)}
        for name, known in hierarchy.read_folder(ADULT, QI).items()
    }

    def job() -> Any:
        # It knows text only as pandas had it before version 3.
        with warnings.catch_warnings(action="ignore"), pandas.option_context("future.infer_string", False):
            return k_anonymity(frame, [], QI, K, 100 * SUPPRESSED, levels)

    return [Peer("anjana (greedy)", job, 20)]


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


def _checks(adult: pl.DataFrame) -> list[Timing]:
    from pycanon import anonymity

    qi, sa = QI[:-1], ["occupation", "salary-class"]
    data = icefire.read(adult, qi=qi, sa=sa)
    pandas = adult.to_pandas()
    peers = {
        "k_min": lambda: anonymity.k_anonymity(pandas, qi),
        "l_distinct": lambda: anonymity.l_diversity(pandas, qi, sa),
        "t_equal": lambda: anonymity.t_closeness(pandas, qi, sa),
    }
    results = []
    for name, peer in peers.items():
        job = f"{name}, {adult.height:,} rows, {len(qi)} quasi-identifiers"
        results += compare_cpu_time(
            job, lambda name=name: _measure(name, data), [Peer("pycanon", peer, 20, same=_close)]
        )
    return results


def _close(ours: float, theirs: float) -> bool:
    return math.isclose(ours, theirs, abs_tol=1e-9)


def _measure(name: str, data: Dataset) -> float:
    data = unseen(data)
    comparison = Comparison(Case(data, data), Truth(np.arange(data.height)))
    return float(get("measure", name).function(comparison))

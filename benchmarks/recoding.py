"""Local recoding on ARX's Adult data (or a survey of households) against anonypy's Mondrian; a million rows alone."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path

import polars as pl

import icefire
from benchmarks.anonymity import ADULT, enlarged
from benchmarks.anonymity import QI as EIGHT
from benchmarks.cpu_time import Reference, compare_cpu_time
from benchmarks.data import QI, survey
from benchmarks.results import Peer, Timing, console
from icefire import hierarchy
from icefire.core import registry, seeds
from icefire.core.dataset import Dataset

K = 5
LARGE = 1_000_000
BAR = 20


def benchmark(rows: int | None) -> list[Timing]:
    """Thirty thousand rows against anonypy, with and without hierarchies; then a million."""
    with tempfile.TemporaryDirectory() as folder:
        data, trees = _adult(rows or 30_162) if ADULT.is_dir() else _households(rows or 30_000, folder)
        results = _both(data, trees, _anonypy(data))
        if rows is None:
            large, trees = _adult(LARGE) if ADULT.is_dir() else _households(LARGE, folder)
            results += _both(large, trees, [])
    return results


def _both(data: Dataset, trees: str, peers: list[Reference | Peer]) -> list[Timing]:
    title = f"k = {K}, {len(data.qi)} quasi-identifiers, {data.height:,} rows"
    results = compare_cpu_time(f"local recoding with hierarchies, {title}", lambda: recoded(data, trees), peers)
    results += compare_cpu_time(f"local recoding without hierarchies, {title}", lambda: recoded(data, None), peers)
    notes = recoded(data, trees).notes
    console.print(f"granularity {notes['granularity']:.4f}, {notes['suppressed']} rows suppressed\n")
    return results


def recoded(data: Dataset, trees: str | None) -> Dataset:
    """Apply the method as a recipe does; with hierarchies, reading their files is part of it."""
    entry = registry.get("method", "k_anonymize")
    parameters = entry.bind({"k": K, "mode": "local", "hierarchies": trees})
    release: Dataset = entry.function(data, rng=seeds.generator(0), **parameters)
    return release


def _anonypy(data: Dataset) -> list[Reference | Peer]:
    """Measure anonypy once, and let both ways of recoding be compared with it."""
    if find_spec("anonypy") is None:
        console.print("anonypy is not installed, so nothing is compared with it (pip install anonypy)")
        return []
    from anonypy import Preserver

    from benchmarks.cpu_time import cpu_seconds

    names = list(data.qi)
    frame = data.frame.select(*names, data.sa[0]).to_pandas()
    for name in names:
        if not data.frame[name].dtype.is_numeric():
            frame[name] = frame[name].astype("category")
    spent, _ = cpu_seconds(lambda: Preserver(frame, names, data.sa[0]).anonymize_k_anonymity(K))
    return [Reference("anonypy", spent, BAR, elsewhere=False)]


def _adult(rows: int) -> tuple[Dataset, str]:
    """Adult; beyond its size, rows drawn with replacement and each cell drawn anew with probability 0.1."""
    frame = pl.read_csv(ADULT / "adult.csv.gz", separator=";")
    return icefire.read(enlarged(frame, rows), qi=EIGHT, sa=["salary-class"]), str(ADULT)


def _households(rows: int, folder: str) -> tuple[Dataset, str]:
    console.print(f"the Adult data is not at {ADULT}: households with inferred hierarchies instead")
    data = survey(rows)
    for name in QI:
        hierarchy.infer(data.frame[name]).write(Path(folder) / f"{name}.csv")
    return data, folder

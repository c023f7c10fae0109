"""The covering attack on recoded surveys, against a mask over all rows for every class; a million rows alone."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import icefire
from benchmarks.cpu_time import compare_cpu_time
from benchmarks.data import QI, survey
from benchmarks.results import Peer, Timing
from icefire import hierarchy
from icefire.core import align, registry, seeds
from icefire.core.release import Case
from icefire.hierarchy.coverage import coverage

BAR = 20
SMALL = 100_000


def benchmark(rows: int | None) -> list[Timing]:
    """A hundred thousand households against plain numpy, then a million."""
    results = []
    for size in [rows] if rows else [SMALL, 1_000_000]:
        for mode in ("local", "full_domain"):
            case = _case(size, mode)
            peers = (
                [Peer("numpy, class by class", lambda case=case: _plain(case), BAR, same=_same)]
                if size <= SMALL
                else []
            )
            job = f"cover, {mode}, k = 5, {size:,} rows"
            results += compare_cpu_time(f"{job}, who may be who", lambda case=case: _attack(case, "random"), peers)
            results += compare_cpu_time(f"{job}, the nearest of them", lambda case=case: _attack(case, "nearest"))
    return results


def _case(rows: int, mode: str) -> Case:
    data = survey(rows)
    with tempfile.TemporaryDirectory() as folder:
        for name in QI:
            hierarchy.infer(data.frame[name]).write(Path(folder) / f"{name}.csv")
        step = {"method": "k_anonymize", "k": 5, "mode": mode, "hierarchies": folder}
        release = icefire.anonymize(
            data, {"step": [step | ({"max_suppressed": 0.05} if mode == "full_domain" else {})]}
        )
    return Case(*align.match(data, release.released.frame))


def _attack(case: Case, choose: str) -> np.ndarray:
    guess = registry.get("attack", "cover").function(case, rng=seeds.generator(0), choose=choose)
    return guess.candidates.sizes if guess.candidates is not None else guess.first


def _plain(case: Case) -> np.ndarray:
    """Read labels as we do; then, for each combination of them, look at every original row."""
    x, y = case.known.frame, case.released.frame
    covered = {name: coverage(x[name], y[name]) for name in QI}
    tables, labels, places = [], [], []
    for name, column in covered.items():
        if column is None:
            values = x[name].unique().sort()
            tables.append(np.eye(len(values), dtype=bool))
            labels.append(values.search_sorted(y[name]).to_numpy())
            places.append(values.search_sorted(x[name]).to_numpy())
            continue
        every = np.arange(len(column.start) - 1)
        tables.append(
            np.stack([column.covers(every, np.full(len(every), place)) for place in range(column.size)], axis=1)
        )
        labels.append(column.labels)
        places.append(column.places)
    classes, of_row = np.unique(np.stack(labels, axis=1), axis=0, return_inverse=True)
    sizes = np.zeros(len(classes), np.int64)
    for number, chosen in enumerate(classes):
        fits = np.ones(x.height, bool)
        for table, label, place in zip(tables, chosen, places, strict=True):
            fits &= table[label][place]
        sizes[number] = fits.sum()
    sizes_of_rows: np.ndarray = sizes[of_row.reshape(-1)]
    return sizes_of_rows


def _same(ours: np.ndarray, theirs: np.ndarray) -> bool:
    return np.array_equal(ours, theirs)

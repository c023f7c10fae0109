"""Distances to the closest released rows, numbers and text, beside the trees and the brute force of scikit-learn.

scikit-learn gets numbers divided by the interquartile range and text as columns of 0 and √½, whose Euclidean distance
is the same. Each finds the five nearest released rows of every person of the original.
"""

from __future__ import annotations

import numpy as np
import polars as pl

import icefire
from benchmarks.cpu_time import compare_cpu_time
from benchmarks.results import Peer, Timing
from icefire.core.mixed_distances import column_scales, nearest_people

ROWS = 30_000
NEIGHBOURS = 5


def benchmark(rows: int | None) -> list[Timing]:
    """People of the sample of households, and as many synthetic rows."""
    from sklearn.neighbors import NearestNeighbors

    data = icefire.sample("households", rows or ROWS)
    released = icefire.anonymize(data, {"step": [{"method": "synthesize"}]}).released.frame
    columns = [name for name in released.columns if name in data.frame.columns]
    scales = column_scales(data.frame, columns)
    people = data.frame.select(columns)

    def ours() -> np.ndarray:
        return nearest_people(released, people, columns, scales, NEIGHBOURS).distances

    def by_scikit_learn(algorithm: str) -> np.ndarray:
        x, y = _as_numbers(released, people, columns, scales)
        search = NearestNeighbors(n_neighbors=NEIGHBOURS, algorithm=algorithm, n_jobs=-1).fit(x)
        return search.kneighbors(y)[0]

    return compare_cpu_time(
        f"five closest of {people.height:,} released rows for as many people, {len(columns)} columns",
        ours,
        [
            Peer("scikit-learn, brute force", lambda: by_scikit_learn("brute"), same=_close),
            Peer("scikit-learn, kd-tree", lambda: by_scikit_learn("kd_tree"), same=_close),
        ],
    )


def _as_numbers(x: pl.DataFrame, y: pl.DataFrame, columns: list[str], scales: dict[str, float]) -> list[np.ndarray]:
    both = pl.concat([x.select(columns), y.select(columns)], how="vertical_relaxed")
    text = [name for name in columns if name not in scales]
    wide = both.select(pl.col(name).cast(pl.Float64) / scale for name, scale in scales.items())
    flags = both.select(text).to_dummies().cast(pl.Float64) * np.sqrt(0.5)
    table = np.hstack([wide.to_numpy(), flags.to_numpy()])
    return [table[: x.height], table[x.height :]]


def _close(ours: np.ndarray, theirs: np.ndarray) -> bool:
    return bool(np.allclose(ours, theirs, atol=1e-5))

"""The joint attack beside the nearest neighbour of scikit-learn: rate and seconds on the same releases."""

from __future__ import annotations

import time

import numpy as np

import icefire
from benchmarks.results import Timing, console
from icefire.core import align, registry, seeds
from icefire.core.release import Case

ROWS = 8333
K5 = {"method": "k_anonymize", "k": 5}
RELEASES = {
    "k = 5, noise 0.5": [K5, {"method": "noise", "scale": 0.5}],
    "k = 5, rank swap 20": [K5, {"method": "rank_swap", "p": 20}],
    "pram 0.5, rank swap 20": [{"method": "pram", "keep": 0.5}, {"method": "rank_swap", "p": 20}],
    "k = 5, microaggregate 5": [K5, {"method": "microaggregate", "k": 5}],
}


def benchmark(rows: int | None) -> list[Timing]:
    """Rates and seconds of both; there is no bar, since they do not answer equally well."""
    data = icefire.sample("households", rows=rows or ROWS)
    entry = registry.get("attack", "link")
    for warm, (name, steps) in enumerate([("", RELEASES["k = 5, noise 0.5"]), *RELEASES.items()]):
        release = icefire.anonymize(data, {"step": steps}, seed=1)
        order = np.random.default_rng(1).permutation(data.height)
        case = Case(*align.match(data, release.released.frame[order]))
        truth = release.truth.rows[order]
        started = time.perf_counter()
        ours = (entry.function(case, rng=seeds.generator(1, "")).first == truth).mean()
        between = time.perf_counter()
        theirs = (_nearest(case) == truth).mean()
        ended = time.perf_counter()
        if warm:
            console.print(
                f"linkage, {name}, {data.height:,} rows: link {ours:.3f} in {between - started:.1f} s, "
                f"1-NN of scikit-learn {theirs:.3f} in {ended - between:.1f} s"
            )
    return []


def _nearest(case: Case) -> np.ndarray:
    """Return the nearest original row by all columns, standardised, categories as codes 0 and 1."""
    from sklearn.neighbors import NearestNeighbors

    known, shown = case.original.frame.to_dummies(_words(case)), case.released.frame.to_dummies(_words(case))
    both = [name for name in known.columns if name in shown.columns]
    x, y = known.select(both).to_numpy().astype(float), shown.select(both).to_numpy().astype(float)
    spread = np.maximum(x.std(axis=0), 1e-9)
    nearest = NearestNeighbors(n_neighbors=1).fit(x / spread)
    rows: np.ndarray = nearest.kneighbors(y / spread, return_distance=False)[:, 0]
    return rows


def _words(case: Case) -> list[str]:
    return [name for name, kind in case.original.frame.schema.items() if not kind.is_numeric()]

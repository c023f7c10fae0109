"""Microaggregation, rank swapping and local suppression, against plain numpy and Python and sdcMicro's known times."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.cpu_time import Reference, compare_cpu_time
from benchmarks.data import survey
from benchmarks.results import Peer, Timing, console
from benchmarks.wall_time import compare_wall_time
from icefire.core import registry, roles, seeds
from icefire.core.dataset import Dataset
from icefire.kernels.common import rank_swapping
from icefire.kernels.microaggregation import mdav

ADULT = Path(__file__).parents[2] / "shared/data/arx_adult/adult.csv.gz"
KEYS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
SDCMICRO: dict[str | int, float | None] = {"mdav": 5.2, "rank_swap": 2.6, 3: 0.9, 4: 5.8, 5: 68.0, 8: None}
"""CPU seconds on two shared cores, 30,000 rows; local suppression by number of keys, None where it never finished."""
COLUMNS = 6
BAR = 5


def benchmark(rows: int | None) -> list[Timing]:
    """Thirty thousand rows, as the reference; local suppression on Adult where it is there."""
    rows = rows or 30_000
    names = tuple(survey(rows).numeric_sa[:COLUMNS])
    results = _mdav(rows, names) + _others(rows, names) + _rank_swap(rows, names)
    return results + (_local_suppression() if ADULT.exists() else [])


def _apply(method: str, data: Dataset, **parameters: Any) -> Dataset:
    entry = registry.get("method", method)
    release: Dataset = entry.function(data, rng=seeds.generator(0, method), **entry.bind(parameters))
    return release


def _beside(job: str, function: Callable[[], Any], reference: float | None = None) -> list[Timing]:
    return compare_cpu_time(job, function, [Reference("sdcMicro", reference, BAR)])


def _mdav(rows: int, names: tuple[str, ...]) -> list[Timing]:
    points = mdav.standardised(survey(rows).matrix(names))
    results = compare_wall_time(
        f"MDAV groups, k = 3, {rows:,} × {COLUMNS}",
        lambda: mdav.groups(points, 3),
        [Peer("plain numpy", lambda: _plain_mdav(points, 3), BAR, same=np.array_equal)],
        rounds=1,
    )
    job = f"microaggregate mdav, k = 3, {rows:,} × {COLUMNS}"
    whole = _beside(job, lambda: _apply("microaggregate", survey(rows), columns=names), _scaled("mdav", rows))
    return results + whole


def _scaled(name: str, rows: int) -> float | None:
    """The reference, if the table has its size."""
    return SDCMICRO[name] if rows == 30_000 else None


def _plain_mdav(points: np.ndarray, k: int) -> np.ndarray:
    """MDAV in plain numpy: all remaining points are compared in every step."""
    group, left, count = np.full(len(points), -1), np.arange(len(points)), 0

    def gaps(place: np.ndarray) -> np.ndarray:
        total = np.zeros(len(left))
        for column, value in zip(points[left].T, place, strict=True):
            total += (column - value) * (column - value)
        return total

    def take(row: int) -> None:
        nonlocal left, count
        distances = gaps(points[row])
        near = np.flatnonzero(distances <= np.partition(distances, k - 1)[k - 1])
        near = near[np.argsort(distances[near], kind="stable")][:k]
        group[left[near]] = count
        left, count = np.delete(left, near), count + 1

    while len(left) >= 3 * k:
        r = left[gaps(points[left].sum(axis=0) / len(left)).argmax()]
        take(r)
        take(left[gaps(points[r]).argmax()])
    if len(left) >= 2 * k:
        take(left[gaps(points[left].sum(axis=0) / len(left)).argmax()])
    group[left] = count
    return group


def _others(rows: int, names: tuple[str, ...]) -> list[Timing]:
    """The other ways to form groups, for which there is no reference."""
    results = []
    for algorithm in ("vmdav", "univariate"):
        job = f"microaggregate {algorithm}, k = 3, {rows:,} × {COLUMNS}"
        results += _beside(job, lambda a=algorithm: _apply("microaggregate", survey(rows), columns=names, algorithm=a))
    return results


def _rank_swap(rows: int, names: tuple[str, ...]) -> list[Timing]:
    reach = rows // 20
    results = compare_wall_time(
        f"partners of {rows:,} ranks, p = 5",
        lambda: rank_swapping.swap_partners(rows, reach, np.random.default_rng(0)),
        [
            Peer(
                "plain Python",
                lambda: _plain_partners(reach, np.random.default_rng(0).random(rows)),
                BAR,
                same=np.array_equal,
            )
        ],
    )
    job = f"rank_swap, p = 5, {rows:,} × {COLUMNS}"
    return results + _beside(job, lambda: _apply("rank_swap", survey(rows), columns=names), _scaled("rank_swap", rows))


def _plain_partners(reach: int, draws: np.ndarray) -> np.ndarray:
    """The same draws over plain lists."""
    partner, free, place, seen = list(range(len(draws))), [], {}, 0

    def take_out(rank: int) -> None:
        last = free.pop()
        if last != rank:
            free[place[rank]], place[last] = last, place[rank]

    for rank in range(len(draws)):
        while seen < len(draws) and seen <= rank + reach:
            place[seen] = len(free)
            free.append(seen)
            seen += 1
        if partner[rank] == rank:
            take_out(rank)
            if free:
                other = free[int(draws[rank] * len(free))]
                take_out(other)
                partner[rank], partner[other] = other, rank
    return np.array(partner)


def _local_suppression() -> list[Timing]:
    frame = pl.read_csv(ADULT, separator=";")
    data = Dataset(frame, roles.choose(frame, KEYS, ["salary-class"]))
    results = []
    for count in (3, 4, 5, 8):
        for reading in ("own_value", "wildcard"):
            parameters = {"k": 5, "qi": KEYS[:count], "suppressed": reading}
            cells = sum(_apply("local_suppress", data, **parameters).notes["suppressed_cells"].values())
            job = f"local_suppress {reading}, {count} keys, k = 5, Adult: {cells:,} cells"
            results += _beside(job, lambda given=parameters: _apply("local_suppress", data, **given), SDCMICRO[count])
    console.print("sdcMicro did not finish with 8 keys (reference measured elsewhere)\n")
    return results

"""Known points of a history: 1,000 people, k = 3, beside enumeration in Python as scikit-mobility does it.

scikit-mobility tries every set of k points of a person against every other person, with a table of pandas for each
pair; the enumeration here does the same with Python's own sets and counters, which is faster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from benchmarks.results import Peer, Timing
from benchmarks.wall_time import compare_wall_time
from icefire.core.history import History
from icefire.io import histories
from icefire.kernels.types import Float
from icefire.risk.known_points import KnownPoints, PointsKnowledge, in_order_of_appearance
from icefire.samples import shop

PEOPLE, K = 1_000, 3
PLACES, VISITS, DAYS = 60, 18, 30
BAR = 100
ENUMERATED, FEW = 3, 15
"""People whose sets are enumerated; the time is taken times the others."""


def benchmark(rows: int | None) -> list[Timing]:
    """Traces of visits in which nobody is rare, and purchases of the sample shop."""
    people = rows or PEOPLE
    results = []
    for what, data in (("visits to places", visits(people)), ("purchases", shop.history(people))):
        for kind, fits in (("items", _has_items), ("counts", _has_counts), ("order", _has_in_order)):
            results += _compare(f"known points {kind}:{K}, {what}, {people:,} people", data, kind, fits)
    return results


def visits(people: int) -> History:
    """People who visit a few of many places, the popular ones often."""
    rng = np.random.default_rng(0)
    popular = 1.0 / (np.arange(PLACES) + 5.0)
    places = rng.choice(PLACES, people * VISITS, p=popular / popular.sum())
    hours = rng.permutation(people * VISITS) % (DAYS * 24)
    frame = pl.DataFrame(
        {
            "who": np.repeat(np.arange(people), VISITS),
            "place": places,
            "date": pl.from_epoch(pl.Series(hours.astype(np.int64) * 3600), "s").dt.strftime("%Y-%m-%d %H:%M"),
        }
    )
    return histories.read(frame, {"subject": "who", "item": "place"})


def _compare(job: str, data: History, kind: Any, fits: Callable[[Sequence[int], Any], bool]) -> list[Timing]:
    everybody = in_order_of_appearance(data)
    known = PointsKnowledge(kind, K)

    def ours() -> Float:
        return KnownPoints(data, known).risk_of_people(everybody, sets=1).risk

    few = _with_few_points(data, kind, everybody.tolist())
    share = len(few) / len(everybody)
    peer = Peer("enumeration in Python", lambda: _enumerated(data, kind, few, fits), BAR, share, _same(everybody, few))
    return compare_wall_time(job, ours, [peer])


def _with_few_points(data: History, kind: str, people: list[int]) -> list[int]:
    """People of whom enumeration can be waited for: about FEW points, fewer than most have."""
    rows = np.bincount(data.codes, minlength=data.subjects)
    counts = rows if kind in ("counts", "order") else data.baskets.sizes
    return sorted(people, key=lambda person: abs(int(counts[person]) - FEW))[:ENUMERATED]


def _same(everybody: Any, few: list[int]) -> Callable[[Float, dict[int, float]], bool]:
    place = {int(person): number for number, person in enumerate(everybody)}
    return lambda ours, theirs: all(abs(ours[place[person]] - theirs[person]) < 1e-12 for person in few)


def _enumerated(
    data: History, kind: str, few: list[int], fits: Callable[[Sequence[int], Any], bool]
) -> dict[int, float]:
    order = np.argsort(data.when, kind="stable")
    rows: list[list[int]] = [[] for _ in range(data.subjects)]
    for person, item in zip(data.codes[order].tolist(), data.items[order].tolist(), strict=True):
        rows[person].append(item)
    kinds: dict[str, Callable[[list[int]], Any]] = {"items": set, "counts": Counter, "order": list}
    crowd = [kinds[kind](items) for items in rows]
    risks = {}
    for person in few:
        points = sorted(set(rows[person])) if kind == "items" else rows[person]
        sets = combinations(points, min(K, len(points)))
        risks[person] = max(1 / sum(fits(known, other) for other in crowd) for known in sets)
    return risks


def _has_items(known: Sequence[int], other: set[int]) -> bool:
    return other.issuperset(known)


def _has_counts(known: Sequence[int], other: Counter[int]) -> bool:
    return all(other[item] >= count for item, count in Counter(known).items())


def _has_in_order(known: Sequence[int], other: list[int]) -> bool:
    rest = iter(other)
    return all(item in rest for item in known)

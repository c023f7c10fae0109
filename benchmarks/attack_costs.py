"""CPU seconds of each attack against the number of people, and the picture of it in the documentation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import icefire
from benchmarks.cost_plot import Costs, drawn
from benchmarks.cpu_time import cpu_seconds
from benchmarks.data import survey
from benchmarks.results import Timing, console
from icefire.core.release import Release

PICTURES = Path(__file__).parents[1] / "docs"
HOUSEHOLDS = (1_000, 3_000, 10_000, 30_000, 100_000)
CUSTOMERS = (300, 1_000, 3_000, 10_000)
LONGEST = 60.0
"""CPU seconds after which an attack is not tried on more people."""
TABLE = ("id_rand", "id_sa", "sort", "sa_nearest", "euc1", "euc2", "cover", "t_kernel", "link", "link_rest")
HISTORY = ("jaccard", "containment", "tfidf", "quantity", "assignment", "dates", "purchases", "link")


def benchmark(rows: int | None = None) -> list[Timing]:
    """Measure all attacks on households and on customers, up to so many people, and draw both pictures."""
    tables, shops = ([size for size in sizes if size <= (rows or size)] for sizes in (HOUSEHOLDS, CUSTOMERS))
    _draw("households", {name: _costs(name, tables, _table) for name in TABLE}, rows is None)
    _draw("customers", {name: _costs(name, shops, _shop) for name in HISTORY}, rows is None)
    return []


def _table(size: int) -> tuple[Any, Release[Any]]:
    """Return households, and a release of them in classes of five with ranks moved."""
    steps = [{"method": "k_anonymize", "k": 5}, {"method": "rank_swap", "p": 20}]
    return survey(size), icefire.anonymize(survey(size), {"steps": steps}, seed=1)


def _shop(size: int) -> tuple[Any, Release[Any]]:
    """Return customers of the sample shop, and a release that lacks a tenth of the purchases."""
    shop = icefire.sample("shop", size)
    return shop, icefire.anonymize(shop, {"steps": [{"method": "delete_purchases", "share": 0.1}]}, seed=1)


def _costs(name: str, sizes: list[int], made: Any) -> list[tuple[int, float]]:
    """Return people and CPU seconds of one attack, compiled beforehand, for more and more people."""
    icefire.attack(name, *_pair(made, sizes[0]), seed=1)
    costs: list[tuple[int, float]] = []
    for size in sizes:
        original, release = _pair(made, size)
        seconds, _ = cpu_seconds(lambda o=original, r=release: icefire.attack(name, o, r, seed=1))
        console.print(f"{name}, {size:,} people: {seconds:.3f} CPU s", highlight=False)
        costs.append((size, seconds))
        if seconds > LONGEST:
            break
    return costs


_pairs: dict[tuple[Any, int], tuple[Any, Release[Any]]] = {}


def _pair(made: Any, size: int) -> tuple[Any, Release[Any]]:
    if (made, size) not in _pairs:
        _pairs[made, size] = made(size)
    return _pairs[made, size]


def _draw(people: str, costs: Costs, whole: bool) -> None:
    """Write the picture; that of a part of the sizes does not replace the one of the documentation."""
    console.print(json.dumps({people: costs}), highlight=False)
    if whole:
        (PICTURES / f"attack_costs_{people}.svg").write_text(drawn(costs, people), encoding="utf-8")

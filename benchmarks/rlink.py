"""rlink, three nearest rows over one-hot columns, against scikit-learn's KDTree and the matrix of all distances."""

from __future__ import annotations

import numpy as np
import polars as pl

import icefire
from benchmarks.results import Peer, Timing
from benchmarks.wall_time import compare_wall_time
from icefire.core import registry, seeds
from icefire.core.dataset import Dataset
from icefire.core.membership import MembershipCase

SIZES = ((4_190, 100), (100_000, 1_000), (1_000_000, 1_000))
"""Released rows, and records asked about."""
SMALL = 10_000
LOOPED = 20
"""Records for which all distances are computed."""


def benchmark(rows: int | None) -> list[Timing]:
    """Contest size, a hundred thousand and a million rows by default."""
    sizes = [(rows, min(rows, 1_000))] if rows else SIZES
    return [row for size in sizes for row in _compare(*size)]


def _compare(rows: int, targets: int) -> list[Timing]:
    data = icefire.sample("survey", rows + targets)
    released, asked = data.take(np.arange(rows)), data.take(np.arange(rows, rows + targets))
    entry = registry.get("attack", "rlink")
    some = asked.take(np.arange(min(LOOPED, targets)))
    return compare_wall_time(
        f"rlink, {targets:,} records, {rows:,} rows",
        lambda: entry.function(MembershipCase(asked, released), rng=seeds.generator(0, "")).rows,
        [
            Peer(
                "scikit-learn KDTree", lambda: _tree(*_one_hot(asked, released)), 5 if rows > SMALL else 1, same=_agree
            ),
            Peer("all distances in numpy", lambda: _loop(*_one_hot(some, released)), None, some.height / targets),
        ],
    )


def _one_hot(asked: Dataset, released: Dataset) -> tuple[np.ndarray, np.ndarray]:
    used = [*asked.qi, *asked.sa]
    both = pl.concat([asked.frame.select(used), released.frame.select(used)])
    words = [name for name in used if not both[name].dtype.is_numeric()]
    numbers = both.drop(words).cast(pl.Float64)
    table = np.hstack([numbers.to_numpy(), both.select(words).to_dummies().to_numpy().astype(float)])
    return table[: asked.height], table[asked.height :]


def _tree(known: np.ndarray, shown: np.ndarray) -> np.ndarray:
    from sklearn.neighbors import KDTree

    return _answers(*KDTree(shown).query(known, k=3))


def _loop(known: np.ndarray, shown: np.ndarray) -> np.ndarray:
    nearest = []
    for record in known:
        squared = ((shown - record) ** 2).sum(axis=1)
        nearest.append(np.argsort(squared, kind="stable")[:3])
    return np.array(nearest)


def _answers(distances: np.ndarray, rows: np.ndarray) -> np.ndarray:
    far = distances[:, 0] > np.median(distances[:, 0])
    return np.where(far[:, None], -1, rows)


def _agree(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """A tree does not promise the lowest row of a tie, but it names the same records and mostly the same rows."""
    same_members = bool(((ours[:, 0] < 0) == (theirs[:, 0] < 0)).mean() > 0.99)
    return same_members and bool((ours[:, 0] == theirs[:, 0]).mean() > 0.9)

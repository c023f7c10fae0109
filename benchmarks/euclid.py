"""EUC1 and EUC2 against plain loops and the trees of scipy and scikit-learn."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from benchmarks.data import QI, SA, noisy, shuffled_columns, survey, unseen
from benchmarks.results import Peer, Timing
from benchmarks.wall_time import compare_wall_time
from icefire.core import registry, seeds
from icefire.core.dataset import Dataset
from icefire.core.release import Case
from icefire.kernels.neighbours import euclidean

ROWWISE = 30
LOOPED = 10_000
QUERIES = 20_000


def benchmark(rows: int | None) -> list[Timing]:
    """A hundred thousand and a million rows; the fallback into a million."""
    sizes = [rows] if rows else [100_000, 1_000_000]
    results = [row for size in sizes for row in _euc1(size)]
    return results + _fallback(sizes[-1], hard=False) + _fallback(sizes[-1], hard=True)


def _euc1(rows: int) -> list[Timing]:
    x, y = survey(rows), noisy(rows).released
    points, targets = x.matrix(SA), y.matrix(SA)
    entry = registry.get("attack", "euc1")
    large = rows >= 1_000_000
    index = _dictionary(x)
    peers = [
        Peer("scipy tree per class", lambda: _scipy_per_class(x, y, points, targets), 4, same=_agree),
        Peer("dict of candidates", lambda: _dict_loop(index, y, points, targets), 150 if large else 40, LOOPED / rows),
    ]
    if not large:
        peers.append(Peer("row by row in pandas", lambda: _rowwise(x, y, points, targets), 1000, ROWWISE / rows))
    return compare_wall_time(
        f"euc1, 13 quasi-identifiers, 12 amounts, {rows:,} rows",
        lambda: entry.function(Case(unseen(x), unseen(y)), rng=seeds.generator(0, "")).first,
        peers,
    )


def _agree(ours: np.ndarray, theirs: np.ndarray) -> bool:
    return bool((ours == theirs).mean() > 0.999)  # a tree does not promise the lowest row of a tie


def _keys(data: Dataset) -> list[tuple]:
    return data.frame.select(QI).rows()


def _scipy_per_class(x: Dataset, y: Dataset, points: np.ndarray, targets: np.ndarray) -> np.ndarray:
    from scipy.spatial import cKDTree

    blocks = Case(x, y).blocks()
    answers = np.full(y.height, -1)
    for block in range(blocks.count):
        mine = blocks.x_rows[blocks.x_start[block] : blocks.x_start[block + 1]]
        theirs = blocks.y_rows[blocks.y_start[block] : blocks.y_start[block + 1]]
        if len(mine) and len(theirs):
            answers[theirs] = mine[cKDTree(points[mine]).query(targets[theirs])[1]]
    return answers


def _dictionary(x: Dataset) -> dict[tuple, list[int]]:
    index = defaultdict(list)
    for row, key in enumerate(x.frame.select(QI).rows()):
        index[key].append(row)
    return index


def _dict_loop(index: dict[tuple, list[int]], y: Dataset, points: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Candidates by a dictionary made beforehand, the nearest by numpy, row by row; the first targets only."""
    answers = []
    for j, key in enumerate(y.frame.head(LOOPED).select(QI).rows()):
        rows = index.get(key)
        answers.append(rows[int(((points[rows] - targets[j]) ** 2).sum(axis=1).argmin())] if rows else -1)
    return np.array(answers)


def _rowwise(x: Dataset, y: Dataset, points: np.ndarray, targets: np.ndarray) -> list[int]:
    """A boolean mask over all rows for each target, as in a notebook."""
    frame = x.frame.select(QI).to_pandas()
    answers = []
    for j, key in enumerate(y.frame.head(ROWWISE).select(QI).rows()):
        rows = np.flatnonzero((frame == key).all(axis=1).to_numpy())
        answers.append(rows[((points[rows] - targets[j]) ** 2).sum(axis=1).argmin()] if len(rows) else -1)
    return answers


def _fallback(rows: int, hard: bool) -> list[Timing]:
    """Nearest of all rows: easy with a little noise, hard with every column shuffled by itself."""
    from scipy.spatial import cKDTree
    from sklearn.neighbors import KDTree

    points = survey(rows).matrix(SA)
    frame = noisy(rows).released.frame.select(SA)
    if hard:
        frame = shuffled_columns(frame)
    queries = min(QUERIES, rows)
    targets = np.ascontiguousarray(frame.head(queries).to_numpy().astype(float))
    few = targets[:500]
    return compare_wall_time(
        f"euc2 fallback, {queries:,} queries into {rows:,} rows, {'hard' if hard else 'easy'}",
        lambda: euclidean.nearest_rows(points, targets),
        [
            Peer(
                "scipy cKDTree, all cores",
                lambda: cKDTree(points).query(targets, workers=-1)[1],
                2 if hard else 1,
                same=_agree,
            ),
            Peer("scikit-learn KDTree", lambda: KDTree(points).query(few)[1], None, 500 / queries),
        ],
    )

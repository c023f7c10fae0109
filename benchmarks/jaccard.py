"""The most similar set of goods for every released customer: 400, 10,000 and 100,000 customers of the sample shop."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import pairwise

import numpy as np

from benchmarks.results import Peer, Timing
from benchmarks.wall_time import compare_wall_time
from icefire.core.history import Baskets
from icefire.core.history.baskets import make_baskets
from icefire.kernels.baskets import similarity
from icefire.kernels.baskets.best_matches import BestMatches
from icefire.samples import shop

SIZES = (400, 10_000, 100_000)
BARRED = 10_000  # with fewer customers everything takes milliseconds
CLUSTER = 8
SPARSE_CHUNK = 500
PERMUTATIONS, THRESHOLD = 128, 0.3


def benchmark(rows: int | None) -> list[Timing]:
    """Customers who exchanged a third of their goods, and clusters of eight whose sets were made equal."""
    results = []
    for customers in [rows] if rows else SIZES:
        known = shop.history(customers).baskets
        rng = np.random.default_rng(0)
        results += _compare("a third of all goods exchanged", known, _exchanged(known, rng))
        results += _compare(f"clusters of {CLUSTER} made equal", known, _united(known, rng))
    return results


def _exchanged(known: Baskets, rng: np.random.Generator) -> Baskets:
    items = known.items.astype(np.int64)
    other = rng.random(len(items)) < 1 / 3
    items[other] = rng.permutation(known.items)[other]
    return make_baskets(known.owners, items, known.subjects, known.goods)


def _united(known: Baskets, rng: np.random.Generator) -> Baskets:
    cluster = rng.permutation(known.subjects) // CLUSTER
    sets = make_baskets(cluster[known.owners], known.items.astype(np.int64), int(cluster.max()) + 1, known.goods)
    sizes = sets.sizes[cluster]
    start = np.concatenate(([0], np.cumsum(sizes)))
    places = np.arange(start[-1]) + np.repeat(sets.start[cluster] - start[:-1], sizes)
    return Baskets(start, sets.items[places], known.goods)


def _compare(what: str, known: Baskets, shown: Baskets) -> list[Timing]:
    n = known.subjects
    some, few = min(1.0, 1_000 / n), min(1.0, 200_000 / n**2)
    sparse_bar, sets_bar = (5, 500) if n >= BARRED else (None, None)
    peers = [Peer("Python sets", lambda: _with_sets(known, shown, few), sets_bar, few, _agree)]
    if find_spec("scipy"):
        sparse = Peer("scipy, product in chunks", lambda: _with_scipy(known, shown, some), sparse_bar, some, _agree)
        peers.insert(0, sparse)
    if find_spec("datasketch"):
        peers.append(_datasketch(known, shown, some))
    return compare_wall_time(
        f"jaccard, {what}, {n:,} customers",
        lambda: similarity.best_matches((known.start, known.items), (shown.start, shown.items), known.goods),
        peers,
    )


def _agree(ours: BestMatches, theirs: list[int]) -> bool:
    return ours.rows[: len(theirs)].tolist() == theirs


def _with_scipy(known: Baskets, shown: Baskets, share: float) -> list[int]:
    """Intersections as a sparse product, a few hundred rows at a time."""
    from scipy.sparse import csr_matrix

    x, y = (
        csr_matrix((np.ones(len(b.items), np.int32), b.items, b.start), (b.subjects, b.goods)) for b in (known, shown)
    )
    turned, answers = x.T.tocsr(), []
    for begin in range(0, round(share * shown.subjects), SPARSE_CHUNK):
        chunk = slice(begin, min(begin + SPARSE_CHUNK, round(share * shown.subjects)))
        shared = (y[chunk] @ turned).toarray()
        likeness = shared / np.maximum(known.sizes + shown.sizes[chunk, None] - shared, 1)
        answers += np.where(shared.any(axis=1), likeness.argmax(axis=1), -1).tolist()
    return answers


def _sets(baskets: Baskets, most: int | None = None) -> list[set[int]]:
    items = baskets.items.tolist()
    return [set(items[a:b]) for a, b in pairwise(baskets.start[: None if most is None else most + 1].tolist())]


def _with_sets(known: Baskets, shown: Baskets, share: float) -> list[int]:
    """Compare every pair of Python sets."""
    sets = _sets(known)
    return [_most_similar(b, sets, range(len(sets))) for b in _sets(shown, round(share * shown.subjects))]


def _most_similar(b: set[int], sets: list[set[int]], among: range | list[int]) -> int:
    best, answer = 0.0, -1
    for i in among:
        shared = len(sets[i] & b)
        likeness = shared / (len(sets[i]) + len(b) - shared) if shared else 0.0
        if likeness > best:
            best, answer = likeness, i
    return answer


def _datasketch(known: Baskets, shown: Baskets, share: float) -> Peer:
    """Locality-sensitive hashing; the index is made beforehand, and what is less similar than 0.3 is hardly found."""
    from datasketch import MinHash, MinHashLSH

    def hashed(items: set[int]) -> MinHash:
        sketch = MinHash(PERMUTATIONS)
        sketch.update_batch([item.to_bytes(4, "little") for item in items])
        return sketch

    sets, asked = _sets(known), _sets(shown, round(share * shown.subjects))
    index = MinHashLSH(THRESHOLD, PERMUTATIONS)
    for number, items in enumerate(sets):
        index.insert(number, hashed(items))

    def answered() -> list[int]:
        return [_most_similar(b, sets, sorted(index.query(hashed(b)))) for b in asked]

    return Peer("datasketch LSH (inexact)", answered, share=share)

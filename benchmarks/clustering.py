"""Clusters of customers and the rows they lack, against scikit-learn, plain Python, polars and DuckDB."""

from __future__ import annotations

import time
from importlib.util import find_spec

import numpy as np
import polars as pl

from benchmarks.results import Peer, Timing, console, show
from benchmarks.wall_time import compare_wall_time
from icefire.core.history import Baskets
from icefire.core.history.baskets import make_baskets
from icefire.kernels.baskets import missing_goods
from icefire.kernels.clustering import balancing, kmeans
from icefire.kernels.clustering.kmeans import SparseVectors
from icefire.methods.histories import clustering
from icefire.samples import shop

CUSTOMERS = 10_000
LEAST = 8
ITERATIONS = 10
DUMMIES = 40_000_000


def benchmark(rows: int | None) -> list[Timing]:
    """Ten thousand customers of the sample shop in clusters of eight; forty million dummies."""
    held = shop.history(rows or CUSTOMERS).baskets
    clusters = held.subjects // LEAST
    rng = np.random.default_rng(0)
    rarity = np.log(held.subjects / np.maximum(held.buyers, 1)) + 1
    vectors = kmeans.unit_vectors(held.start, held.items, rarity[held.items], held.goods)
    seeds = rng.permutation(held.subjects)[:clusters]
    results = _kmeans(vectors, seeds) if find_spec("sklearn") else []
    results += _balance(held, kmeans.kmeans(vectors, seeds, ITERATIONS, False).labels, clusters)
    return results + _dummies(min(DUMMIES, (rows or DUMMIES) * 300)) + _minimal()


def _kmeans(vectors: SparseVectors, seeds: np.ndarray) -> list[Timing]:
    from scipy.sparse import csr_matrix
    from sklearn.cluster import KMeans

    n = len(vectors.start) - 1
    table = csr_matrix((vectors.weight, vectors.items, vectors.start), shape=(n, vectors.goods))
    centres = table[seeds].toarray()

    def fitted() -> np.ndarray:
        return KMeans(len(seeds), init=centres, n_init=1, max_iter=ITERATIONS, tol=0).fit(table).labels_

    return compare_wall_time(
        f"TF-IDF clusters, {n:,} customers, c = {len(seeds):,}, {ITERATIONS} iterations",
        lambda: kmeans.kmeans(vectors, seeds, ITERATIONS, False).labels,
        [Peer("scikit-learn KMeans", fitted, 15)],
        rounds=1,
    )


def _balance(held: Baskets, labels: np.ndarray, clusters: int) -> list[Timing]:
    return compare_wall_time(
        f"balancing, {held.subjects:,} customers, c = {clusters:,}, at least {LEAST}",
        lambda: balancing.balance_clusters(held.start, held.items, held.goods, labels, clusters, LEAST),
        [Peer("Python sets", lambda: _plain_balance(held, labels, clusters), same=np.array_equal)],
        rounds=1,
    )


def _plain_balance(held: Baskets, labels: np.ndarray, clusters: int) -> np.ndarray:
    """Algorithm 4 over Python sets; members of a cluster are kept in order."""
    goods = [frozenset(held.items[a:b].tolist()) for a, b in zip(held.start[:-1], held.start[1:], strict=True)]
    members: list[list[int]] = [[] for _ in range(clusters)]
    for subject, label in enumerate(labels.tolist()):
        members[label].append(subject)
    for small in range(clusters):
        while len(members[small]) < LEAST:
            largest = max(range(clusters), key=lambda x: len(members[x]))
            best, moved = -1.0, -1
            for u in members[largest]:
                for v in members[small]:
                    common = len(goods[u] & goods[v])
                    similar = common / (len(goods[u]) + len(goods[v]) - common)
                    if similar > best:
                        best, moved = similar, u
            members[largest].remove(moved)
            members[small].append(moved)
    balanced = np.empty_like(labels)
    for label, inside in enumerate(members):
        balanced[inside] = label
    return balanced


def _dummies(wanted: int) -> list[Timing]:
    """Random sets of 60 goods in clusters of eight: about 330 rows are lacking for each customer."""
    customers, goods, size = wanted // 330, 4_000, 60
    rng = np.random.default_rng(0)
    drawn = (goods * rng.random(customers * size) ** 2).astype(np.int64)
    held = make_baskets(np.repeat(np.arange(customers), size), drawn, customers, goods)
    labels = rng.permutation(customers) // LEAST
    clusters = int(labels.max()) + 1
    pairs = pl.DataFrame({"user": held.owners.astype(np.int32), "good": held.items})
    whose = pl.DataFrame({"user": np.arange(customers, dtype=np.int32), "cluster": labels.astype(np.int32)})
    peers = [Peer("polars joins", lambda: _with_polars(pairs, whose), 3, same=_same_rows)]
    if find_spec("duckdb"):
        peers.append(_duckdb(pairs, whose))
    added = clustering.dummies_needed(held, labels)
    return compare_wall_time(
        f"dummies: {added:,} rows lacking of {customers:,} customers",
        lambda: missing_goods.missing_goods(held.start, held.items, goods, labels, clusters),
        peers,
        rounds=2,
    )


def _with_polars(pairs: pl.DataFrame, whose: pl.DataFrame) -> pl.DataFrame:
    lazy, people = pairs.lazy(), whose.lazy()
    together = lazy.join(people, on="user").select("cluster", "good").unique()
    return (
        people.join(together, on="cluster").select("user", "good").join(lazy, on=["user", "good"], how="anti").collect()
    )


def _duckdb(pairs: pl.DataFrame, whose: pl.DataFrame) -> Peer:
    import duckdb

    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = false")
    for name, frame in (("pairs", pairs), ("whose", whose)):
        connection.register("frame", frame.to_arrow())
        connection.execute(f"create table {name} as select * from frame")
    query = """
        select w.user as user, t.good as good from whose w
        join (select distinct cluster, good from pairs join whose using (user)) t using (cluster)
        anti join pairs p on p.user = w.user and p.good = t.good
    """
    return Peer("DuckDB joins", lambda: connection.sql(query).to_arrow_table(), same=_same_rows)


def _same_rows(ours: tuple[np.ndarray, np.ndarray], theirs: object) -> bool:
    first, goods = ours
    table = theirs if isinstance(theirs, pl.DataFrame) else pl.DataFrame(theirs)
    mine = np.repeat(np.arange(len(first) - 1), np.diff(first)) << 32 | goods
    other = table["user"].to_numpy().astype(np.int64) << 32 | table["good"].to_numpy()
    return bool(np.array_equal(mine, np.sort(other)))


def _minimal() -> list[Timing]:
    """Annealing has no peer; the rows it saves over balancing are shown."""
    held, results = shop.history().baskets, []
    for clusters in (50, 100, 125):
        least = held.subjects // clusters
        rows = {}
        for how in ("balanced", "minimal"):
            started = time.perf_counter()
            labels = clustering.labels(held, how, clusters, least, np.random.default_rng(0))
            rows[how] = clustering.dummies_needed(held, labels), time.perf_counter() - started
        saved = f"{rows['minimal'][0]:,} rows instead of {rows['balanced'][0]:,}"
        job = f"minimal clusters, {held.subjects} customers, c = {clusters}: {saved}"
        results.append(Timing(job, "icefire", rows["minimal"][1], 1.0, None, None))
        show(results[-1:])
    console.print()
    return results

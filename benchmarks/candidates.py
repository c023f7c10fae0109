"""Candidates within a limit of loss, a matching over them, and the methods made of both, on a health survey."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import polars as pl

import icefire
from benchmarks.results import Peer, Timing, show
from benchmarks.wall_time import compare_wall_time
from icefire.core import registry, seeds
from icefire.core.dataset import Dataset
from icefire.kernels.assignment import matching
from icefire.kernels.records import candidates
from icefire.kernels.records.loss import Records
from icefire.methods.surveys import rows as compared

NUMBERS = ("age", "bmi")
CATEGORIES = ("gen", "race", "edu", "mar", "dep", "pir", "qm", "dia")
FORMULA = "dia ~ gen + age + race + edu + mar + bmi + dep + pir + qm"
LIMIT = 4.0
TOLERANCE = 1e-9
CONTEST = 4_190
LOOPED = {CONTEST: CONTEST, 100_000: 200, 1_000_000: 20}
"""How many rows the loop in numpy does, of so many."""
JOINED = {CONTEST: CONTEST, 100_000: 2_000, 1_000_000: 200}


def benchmark(size: int | None) -> list[Timing]:
    """The size of the contest, a hundred thousand and a million; the methods without the last."""
    sizes = [size] if size else [*LOOPED]
    results = [row for rows in sizes for row in _counts(rows)]
    for rows in (r for r in sizes if r < 1_000_000):
        results += _matching(rows) + _methods(rows)
    return results


@cache
def survey(rows: int) -> Dataset:
    """A health survey of so many people."""
    return icefire.sample("survey", rows)


@cache
def known(rows: int) -> Records:
    """The same people, laid out for comparison."""
    return compared.encoded(survey(rows), NUMBERS, CATEGORIES)


def _counts(rows: int) -> list[Timing]:
    own = np.arange(rows)
    # At the size of the contest, where a column fits the cache, sorting and starting threads is half of our time.
    bar = 100 if rows > CONTEST else None
    looped, joined = LOOPED.get(rows, min(rows, 200)), JOINED.get(rows, min(rows, 2_000))
    return compare_wall_time(
        f"candidates of every row, limit {LIMIT:g}, {rows:,} rows",
        lambda: candidates.counts(known(rows), known(rows), LIMIT, own),
        [
            Peer("numpy, row by row", _loop(rows, looped), bar, share=looped / rows, same=_begins),
            Peer("DuckDB, band join", _join(rows, joined), share=joined / rows, same=_begins),
        ],
        rounds=1 if rows > 100_000 else 3,
    )


def _begins(ours: np.ndarray, theirs: np.ndarray) -> bool:
    return np.array_equal(ours[: len(theirs)], theirs)


def _loop(rows: int, some: int) -> Callable[[], np.ndarray]:
    """One row against whole columns at a time, categories as small numbers."""
    numbers = [survey(rows).frame[name].to_numpy() for name in NUMBERS]
    codes = _codes(rows)

    def one(row: int) -> int:
        loss = np.maximum(*(np.abs(column - column[row]) for column in numbers))
        unequal = sum((column != column[row]).astype(np.int8) for column in codes)
        return int((np.maximum(loss, unequal) <= LIMIT + TOLERANCE).sum()) - 1

    return lambda: np.array([one(row) for row in range(some)])


def _codes(rows: int) -> list[np.ndarray]:
    return [survey(rows).frame[name].rank("dense").cast(pl.Int8).to_numpy() for name in CATEGORIES]


def _join(rows: int, some: int) -> Callable[[], np.ndarray]:
    """All pairs within the band of both numbers, then those with few unequal categories."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = false")
    columns = dict(zip(CATEGORIES, _codes(rows), strict=True))
    frame = survey(rows).frame.select(NUMBERS).with_columns(**columns).with_row_index("i")
    connection.register("frame", frame.to_arrow())
    connection.execute("create table x as select * from frame")
    connection.execute(f"create table t as select * from x where i < {some}")
    reach = LIMIT + TOLERANCE
    band = " and ".join(f"x.{n} between t.{n} - {reach} and t.{n} + {reach}" for n in NUMBERS)
    unequal = " + ".join(f"(x.{n} <> t.{n})::int" for n in CATEGORIES)
    query = (
        f"select t.i, count(*) - 1 as c from t join x on {band} where {unequal} <= {LIMIT} group by t.i order by t.i"
    )
    return lambda: connection.execute(query).fetchnumpy()["c"]


def _matching(rows: int) -> list[Timing]:
    """Match every row with another one of its list of at most 64."""
    results = _once(f"lists of at most 64 candidates, {rows:,} rows", _lists, rows)
    start, listed = _lists(rows)
    peers = [Peer("scipy", _scipy(rows, start, listed), same=_as_many)] if rows <= CONTEST else []
    job = f"matching over them, {rows:,} rows"
    return results + compare_wall_time(job, lambda: matching.maximum_matching(start, listed, rows, _draws(rows)), peers)


def _lists(rows: int) -> tuple[np.ndarray, np.ndarray]:
    return candidates.lists(known(rows), known(rows), LIMIT, 64, _draws(rows), np.arange(rows))


def _draws(rows: int) -> np.ndarray:
    return np.random.default_rng(0).random(rows)


def _as_many(ours: np.ndarray, theirs: np.ndarray) -> bool:
    return bool((ours >= 0).sum() == (theirs >= 0).sum())


def _scipy(rows: int, start: np.ndarray, listed: np.ndarray) -> Callable[[], np.ndarray]:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    graph = csr_array((np.ones(len(listed), bool), listed, start.astype(np.int32)), (rows, rows))
    return lambda: maximum_bipartite_matching(graph, perm_type="column")


def _methods(rows: int) -> list[Timing]:
    results = _once(f"swap_rows, {rows:,} rows", lambda n: _apply("swap_rows", n), rows)
    return results + _once(f"scatter_rows, {rows:,} rows", lambda n: _apply("scatter_rows", n, formula=FORMULA), rows)


def _apply(method: str, rows: int, **parameters: Any) -> Dataset:
    entry = registry.get("method", method)
    bound = entry.bind({"numbers": NUMBERS, "categories": CATEGORIES, **parameters})
    release: Dataset = entry.function(survey(rows), rng=seeds.generator(0, method), **bound)
    return release


def _once(job: str, function: Callable[[int], Any], rows: int) -> list[Timing]:
    """Time a job that has no peer, after a small one to warm up."""
    function(min(rows, CONTEST))
    started = time.perf_counter()
    function(rows)
    results = [Timing(job, "icefire", time.perf_counter() - started, 1.0, None, None)]
    show(results)
    return results

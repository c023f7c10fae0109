"""Class sizes over 13 quasi-identifiers (S1, S2) against polars, DuckDB, pandas and pycanon."""

from __future__ import annotations

import numpy as np

from benchmarks.data import QI, codes
from benchmarks.results import Peer, Timing
from benchmarks.wall_time import compare_wall_time
from icefire.core import blocks


def benchmark(rows: int | None) -> list[Timing]:
    """Ten million rows for the fast ones; pycanon gets a hundred thousand."""
    return _fast(rows or 10_000_000) + _slow(min(rows or 100_000, 100_000))


def _same(ours: np.ndarray, theirs: np.ndarray) -> bool:
    return bool(np.array_equal(np.sort(ours), np.sort(np.asarray(theirs))))


def _fast(rows: int) -> list[Timing]:
    import duckdb

    frame = codes(rows)
    connection = duckdb.connect()
    connection.register("frame", frame.to_arrow())
    connection.execute("create table t as select * from frame")
    query = f"select count(*) as n from t group by {', '.join(QI)}"
    pandas = frame.to_pandas()
    return compare_wall_time(
        f"group sizes, 13 quasi-identifiers, {rows:,} rows",
        lambda: blocks.class_sizes(frame, QI),
        [
            Peer("DuckDB", lambda: connection.execute(query).fetchnumpy()["n"], 1.3, same=_same),
            Peer("polars", lambda: frame.group_by(QI).len()["len"].to_numpy(), 3, same=_same),
            Peer("pandas", lambda: pandas.groupby(QI, sort=False, observed=True).size().to_numpy(), 5, same=_same),
        ],
    )


def _slow(rows: int) -> list[Timing]:
    from pycanon.anonymity import k_anonymity

    frame = codes(rows)
    pandas = frame.to_pandas()
    return compare_wall_time(
        f"k (smallest class), {rows:,} rows",
        lambda: int(blocks.class_sizes(frame, QI).min()),
        [Peer("pycanon", lambda: k_anonymity(pandas, QI), 20, same=lambda a, b: a == b)],
    )

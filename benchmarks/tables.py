"""U2, U3 and U5 over ten million rows against DuckDB, polars and numpy."""

from __future__ import annotations

import numpy as np
import polars as pl

from benchmarks.data import codes, survey
from benchmarks.results import Peer, Timing
from benchmarks.wall_time import compare_wall_time
from icefire.core.dataset import Dataset
from icefire.core.registry import get
from icefire.core.release import Case, Comparison, Truth

CROSSED = 6
COLUMN = "food"


def benchmark(rows: int | None) -> list[Timing]:
    """Ten million rows by default."""
    rows = rows or 10_000_000
    original = survey(rows)
    x = original.with_frame(pl.concat([codes(rows), original.frame.select(COLUMN)], how="horizontal"))
    y = x.with_frame(x.frame.with_columns((pl.col(COLUMN) * 1.01).cast(pl.Int32)))
    comparison = Comparison(Case(x, y), Truth(np.random.default_rng(0).permutation(rows)))
    return _cross(comparison) + _loss(comparison)


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1)


def _cross(comparison: Comparison) -> list[Timing]:
    import duckdb

    names = list(comparison.original.qi[:CROSSED])
    keys = ", ".join(names)
    connection = duckdb.connect()
    tables = {"x": comparison.original, "y": comparison.released}
    for name, table in tables.items():
        connection.register(f"{name}_", table.frame.select(*names, COLUMN).to_arrow())
        connection.execute(f"create table {name} as select * from {name}_")
    means = {t: f"(select {keys}, avg({COLUMN}) m from {t} group by {keys})" for t in tables}
    query = f"select avg(abs(a.m - b.m)) from {means['x']} a join {means['y']} b using ({keys})"

    def with_polars() -> float:
        a, b = (t.frame.group_by(names).agg(pl.col(COLUMN).mean()) for t in tables.values())
        return float(a.join(b, on=names).select((pl.col(COLUMN) - pl.col(f"{COLUMN}_right")).abs().mean()).item())

    measure = get("measure", "U2")
    return compare_wall_time(
        f"cross table of means, {comparison.original.height:,} rows",
        lambda: measure.function(comparison, sa=(COLUMN,)),
        [
            Peer("DuckDB", lambda: connection.execute(query).fetchone()[0], 2, same=_close),
            Peer("polars", with_polars, same=_close),
        ],
    )


def _loss(comparison: Comparison) -> list[Timing]:
    x, y = (_numbers(table) for table in (comparison.original, comparison.released))
    rows = comparison.truth.rows
    measure = get("measure", "U5")
    return compare_wall_time(
        f"information loss of one column, {len(x):,} rows",
        lambda: measure.function(comparison, columns=(COLUMN,)),
        [Peer("numpy", lambda: float(np.mean(np.abs(x[rows] - y) / np.ptp(x))), 2, same=_close)],
    )


def _numbers(table: Dataset) -> np.ndarray:
    return table.frame[COLUMN].cast(pl.Float64).to_numpy()

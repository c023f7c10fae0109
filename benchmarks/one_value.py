"""id_rand, id_sa and sa_nearest: one value, with and without quasi-identifiers."""

from __future__ import annotations

import bisect
from collections import defaultdict

import numpy as np
import polars as pl

from benchmarks.data import QI, noisy, survey, unseen
from benchmarks.results import Peer, Timing
from benchmarks.wall_time import compare_wall_time
from icefire.audit import judge
from icefire.core import registry, seeds
from icefire.core.dataset import Dataset
from icefire.core.release import Case

SA = "food"


def benchmark(rows: int | None) -> list[Timing]:
    """One million rows by default."""
    rows = rows or 1_000_000
    release = noisy(rows)
    x, y = _coded(rows), _coded(rows, release.released)
    return _id_rand(x, y, release.truth) + _id_sa(x, y) + _sa_nearest(x, y)


def _coded(rows: int, release: Dataset | None = None) -> Dataset:
    """Quasi-identifiers as small numbers in both tables, so that all peers read the same."""
    original = survey(rows)
    table = release or original
    ranks = {c: original.frame[c].unique().sort() for c in QI if original.frame[c].dtype == pl.String}
    frame = table.frame.with_columns(
        table.frame[c].replace_strict(values, pl.int_range(len(values), dtype=pl.Int8, eager=True)).alias(c)
        for c, values in ranks.items()
    )
    return table.with_frame(frame.rechunk())


def _attack(name: str, x: Dataset, y: Dataset, **parameters: object):
    entry = registry.get("attack", name)
    return entry.function(Case(unseen(x), unseen(y)), rng=seeds.generator(0, name), **entry.bind(parameters))


def _id_rand(x: Dataset, y: Dataset, truth) -> list[Timing]:
    def with_polars() -> float:
        counts = x.frame.group_by(QI).len()
        own = x.frame.select(QI).with_row_index("origin")
        joined = y.frame.select(QI).with_columns(origin=pl.Series(truth.rows, dtype=pl.UInt32))
        joined = joined.join(counts, on=QI, how="left").join(own, on="origin", how="left", suffix="_true")
        agrees = pl.all_horizontal(pl.col(c) == pl.col(f"{c}_true") for c in QI)
        return float(joined.select((agrees / pl.col("len")).sum()).item() / y.height)

    return compare_wall_time(
        f"id_rand, exact expectation, {x.height:,} rows",
        lambda: judge.score(truth, _attack("id_rand", x, y)).expected,
        [Peer("polars", with_polars, 2, same=lambda a, b: abs(a - b) < 1e-9)],
    )


def _agreement(ours, theirs) -> bool:
    return bool((np.asarray(ours) == np.asarray(theirs)).all())


def _id_sa(x: Dataset, y: Dataset) -> list[Timing]:
    import duckdb

    connection = duckdb.connect()
    known = x.frame.select(*QI, pl.col(SA).cast(pl.Int64).alias("v")).with_row_index("i")
    shown = y.frame.select(*QI, pl.col(SA).cast(pl.Int64).alias("v")).with_row_index("j")
    for name, frame in (("x", known), ("y", shown)):
        connection.register(f"{name}_", frame.to_arrow())
        connection.execute(f"create table {name} as select * from {name}_")
    on = " and ".join(f"y.{c} = x.{c}" for c in QI)
    first = f"select {', '.join(QI)}, v, min(i) as i from x group by all"
    query = f"""
        with x as ({first}),
        below as (select y.j, x.i, y.v - x.v as d from y asof left join x on {on} and y.v >= x.v),
        above as (select y.j, x.i, x.v - y.v as d from y asof left join x on {on} and y.v <= x.v)
        select case when b.i is null then a.i when a.i is null then b.i when b.d < a.d then b.i
                    when a.d < b.d then a.i else least(a.i, b.i) end as i
        from below b join above a using (j) order by j"""
    return compare_wall_time(
        f"id_sa inside classes, {x.height:,} rows",
        lambda: _attack("id_sa", x, y, column=SA).first,
        [
            Peer("DuckDB, two asof joins", lambda: connection.execute(query).fetchnumpy()["i"], 2, same=_agreement),
            Peer("polars join_asof", lambda: _polars_asof(known, shown)),
            Peer("dict of sorted lists", lambda: _dictionary(known, shown), 50, same=_agreement),
        ],
    )


def _polars_asof(known: pl.DataFrame, shown: pl.DataFrame) -> pl.DataFrame:
    return shown.sort("v").join_asof(known.sort("v"), on="v", by=QI, strategy="nearest", check_sortedness=False)


def _dictionary(known: pl.DataFrame, shown: pl.DataFrame) -> list[int]:
    """Find candidates by a dictionary and the nearest in a sorted list, in plain Python."""
    index = defaultdict(list)
    for *key, value, row in known.select(*QI, "v", "i").iter_rows():
        index[tuple(key)].append((value, row))
    for entry in index.values():
        entry.sort()
    answers = []
    for *key, value in shown.select(*QI, "v").iter_rows():
        entry = index.get(tuple(key), ())
        at = bisect.bisect_left(entry, (value, -1))
        left = bisect.bisect_left(entry, (entry[at - 1][0], -1)) if at else at
        near = [*entry[left : left + 1], *entry[at : at + 1]]
        answers.append(min(near, key=lambda e: (abs(e[0] - value), e[1]))[1] if near else -1)
    return answers


def _sa_nearest(x: Dataset, y: Dataset) -> list[Timing]:
    known = pl.DataFrame({"v": x.frame[SA].cast(pl.Float64), "i": np.arange(x.height)})
    shown = pl.DataFrame({"v": y.frame[SA].cast(pl.Float64)})

    def asof() -> pl.DataFrame:
        return shown.sort("v").join_asof(known.sort("v"), on="v", strategy="nearest")

    return compare_wall_time(
        f"sa_nearest, {x.height:,} rows",
        lambda: _attack("sa_nearest", x, y, column=SA).first,
        [Peer("polars join_asof (ties wrong)", asof, 1)],
    )

"""Who is identified, by what, and why: the findings of an audit beyond single rates."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from icefire.audit import judge
from icefire.core import blocks, registry, seeds
from icefire.core.release import Case, Comparison, Guess, Truth
from icefire.core.scorecard import ClassBin, Contribution, Contributions, Person
from icefire.kernels.types import Int

BIN_EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
CONTRIBUTION_TARGETS = 20_000
"""Leave-one-out attacks at most this many released rows, drawn at random, against all of the original."""


def records(comparison: Comparison, guesses: Mapping[str, Guess]) -> pl.DataFrame:
    """Tell for every released row which attacks identified it and how many agree."""
    found = {name: judge.hits(comparison.truth, guess) for name, guess in guesses.items()}
    frame = pl.DataFrame(
        {"released_row": np.arange(comparison.released.height), "original_row": comparison.truth.rows} | found
    )
    count = pl.sum_horizontal(pl.col(list(found)).cast(pl.Int64)) if found else pl.lit(0, dtype=pl.Int64)
    return frame.with_columns(count.alias("identified_by"))


def agreement(table: pl.DataFrame) -> list[int]:
    """Count the released rows identified by exactly 0, 1, 2, … attacks."""
    attacks = table.width - 3
    return [int(n) for n in np.bincount(table["identified_by"].to_numpy(), minlength=attacks + 1)]


def at_risk(comparison: Comparison, table: pl.DataFrame, most: int, show_data: bool) -> list[Person]:
    """List the people most attacks identify; among equals those in the smallest class, then by row."""
    sizes = _class_of_each(comparison)
    ranked = (
        table.with_columns(pl.Series("class_size", sizes))
        .filter(pl.col("identified_by") > 0)
        .sort("identified_by", "class_size", "original_row", descending=[True, False, False])
        .head(most)
    )
    attacks = [n for n in table.columns if n not in ("released_row", "original_row", "identified_by")]
    return [_person(comparison, row, attacks, show_data) for row in ranked.iter_rows(named=True)]


def _person(comparison: Comparison, row: Mapping[str, int], attacks: list[str], show_data: bool) -> Person:
    by = [name for name in attacks if row[name]]
    names = [*comparison.original.qi, *comparison.original.sa]
    values = comparison.original.frame.select(names).row(row["original_row"], named=True) if show_data else None
    if values:
        values = {n: v if isinstance(v, int | float | str | None) else str(v) for n, v in values.items()}
    return Person(row["original_row"], row["released_row"], by, row["class_size"], values)


def _class_of_each(comparison: Comparison) -> Int:
    """Size of the class of every released row; without quasi-identifiers all rows are one class."""
    classes = blocks.blocks_of_table(comparison.released.frame, comparison.released.qi)
    sizes: Int = classes.x_sizes[classes.x_labels]
    return sizes


def class_sizes(comparison: Comparison) -> list[ClassBin]:
    """Histogram of the class sizes of the release."""
    if not comparison.released.qi:
        return []
    sizes = blocks.class_sizes(comparison.released.frame, comparison.released.qi)
    bins = []
    for low, above in zip(BIN_EDGES, [*BIN_EDGES[1:], None], strict=True):
        inside = sizes[(sizes >= low) & (sizes < above)] if above else sizes[sizes >= low]
        bins.append(ClassBin(low, above - 1 if above else None, len(inside), int(inside.sum())))
    return bins


def contributions(comparison: Comparison, seed: int) -> Contributions | None:
    """Attack with EUC1 again and again, each time without one quasi-identifier."""
    known = comparison.original
    if not known.qi or not known.numeric_sa:
        return None
    rows = seeds.generator(seed, "contributions").permutation(comparison.released.height)[:CONTRIBUTION_TARGETS]
    case, truth = Case(known, comparison.released.take(rows)), Truth(comparison.truth.rows[rows])
    whole = _euc1_rate(case, truth, known.qi, seed)
    columns = []
    for name in known.qi:
        rate = _euc1_rate(case, truth, tuple(other for other in known.qi if other != name), seed)
        columns.append(Contribution(name, rate, whole - rate))
    return Contributions(whole, len(rows), sorted(columns, key=lambda column: -column.gain))


def _euc1_rate(case: Case, truth: Truth, qi: tuple[str, ...], seed: int) -> float:
    """Attack with EUC1 on these quasi-identifiers only; returns the share identified."""
    attack = registry.get("attack", "euc1")
    guess = attack.function(case, rng=seeds.generator(seed, "attack", attack.name), **attack.bind({"qi": qi}))
    return judge.score(truth, guess).rate

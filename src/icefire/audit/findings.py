"""Findings that every kind of data has: who was identified by which attack, and who is at highest risk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl

from icefire.audit import judge
from icefire.core.release import Guess, Truth
from icefire.core.scorecard import Person
from icefire.kernels.types import Int

BIN_EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 1000)


def records(truth: Truth, guesses: Mapping[str, Guess]) -> pl.DataFrame:
    """Tell for every released row or subject which attacks identified it and how many agree."""
    hits = {name: judge.hits(truth, guess) for name, guess in guesses.items()}
    rows = {"released_row": np.arange(len(truth)), "original_row": truth.rows}
    count = pl.sum_horizontal(pl.col(list(hits)).cast(pl.Int64)) if hits else pl.lit(0, dtype=pl.Int64)
    return pl.DataFrame(rows | hits).with_columns(count.alias("identified_by"))


def agreement(table: pl.DataFrame) -> list[int]:
    """Count the released rows identified by exactly 0, 1, 2, … attacks."""
    attacks = table.width - 3
    return [int(n) for n in np.bincount(table["identified_by"].to_numpy(), minlength=attacks + 1)]


def at_risk(
    table: pl.DataFrame, class_sizes: Int, most: int, values: Callable[[int], dict[str, Any]] | None
) -> list[Person]:
    """List the people most attacks identify; among equals those whom fewest others resemble, then by row.

    Args:
        table: The records.
        class_sizes: For each released row or subject, how many look the same.
        most: How many people to list.
        values: Returns the data of an original row or subject; None lists numbers only.

    Returns:
        The people, those at highest risk first.
    """
    ranked = (
        table.with_columns(pl.Series("class_size", class_sizes))
        .filter(pl.col("identified_by") > 0)
        .sort("identified_by", "class_size", "original_row", descending=[True, False, False])
        .head(most)
    )
    attacks = [name for name in table.columns if name not in ("released_row", "original_row", "identified_by")]
    return [_person(row, attacks, values) for row in ranked.iter_rows(named=True)]


def _person(row: Mapping[str, int], attacks: list[str], values: Callable[[int], dict[str, Any]] | None) -> Person:
    original = row["original_row"]
    by = [name for name in attacks if row[name]]
    return Person(original, row["released_row"], by, row["class_size"], None if values is None else values(original))


def histogram(sizes: Int) -> list[tuple[int, int | None, int, int]]:
    """Count groups by size: (smallest size, largest size or None, groups, members) for each bin."""
    bins = []
    for low, above in zip(BIN_EDGES, [*BIN_EDGES[1:], None], strict=True):
        inside = sizes[(sizes >= low) & (sizes < above)] if above else sizes[sizes >= low]
        bins.append((low, above - 1 if above else None, len(inside), int(inside.sum())))
    return bins

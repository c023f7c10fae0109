"""Everybody the release may have been made from: the records asked about first, then all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.membership import MembershipCase
from icefire.kernels.types import Int

NTH, PLACE = "__nth__", "__place__"


@dataclass(frozen=True, slots=True)
class People:
    """The people, those asked about first."""

    table: Dataset
    asked: int
    """How many of them are asked about."""
    held: bool
    """Whether the others are those of the original; otherwise released rows stand for them."""


def known_people(case: MembershipCase) -> People:
    """Return the records asked about, followed by the rest of the original or, where it is not held, by the release."""
    records = case.records.frame
    if case.original is None:
        others = case.released.frame
    else:
        others = _without(case.original.frame.select(records.columns), records)
    others = others[order_by_values(others)]
    shared = [name for name in records.columns if name in others.columns]
    stacked = pl.concat([records.select(shared), others.select(shared)], how="vertical_relaxed")
    return People(case.records.with_frame(stacked), records.height, case.original is not None)


def _without(table: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """Return a table without one row for each of the records; of equal rows the first ones go."""
    both = [t.with_columns(pl.int_range(pl.len()).over(records.columns).alias(NTH)) for t in (table, records)]
    return both[0].join(both[1], on=[*records.columns, NTH], how="anti", nulls_equal=True).drop(NTH)


def order_by_values(table: pl.DataFrame) -> Int:
    """Return the order of rows by their values, so that nothing depends on the order in which they came."""
    if not table.width:
        return np.arange(table.height)
    order = table.select(pl.arg_sort_by(sorted(table.columns), nulls_last=True, maintain_order=True))
    return order.to_series().to_numpy().astype(np.int64)


def order_by_place(table: pl.DataFrame, original: pl.DataFrame) -> Int:
    """Return the order of rows by where their values first are in the original; those that are not there come last.

    `scatter_rows` settles ties by the order of the table it was given: whoever holds that table can do so, too.
    """
    by_values = order_by_values(table)
    shared = [name for name in table.columns if name in original.columns and table[name].dtype == original[name].dtype]
    if not shared:
        return by_values
    places = original.select(shared).with_row_index(PLACE).group_by(shared).agg(pl.col(PLACE).min())
    here = table.select(shared)[by_values].with_row_index(NTH)
    first = here.join(places, on=shared, how="left", nulls_equal=True).sort(NTH)[PLACE]
    order = np.argsort(first.fill_null(original.height).to_numpy(), kind="stable")
    return by_values[order]

"""Everybody the release may have been made from: the records asked about first, then all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.membership import MembershipCase
from icefire.kernels.types import Int

NTH = "__nth__"


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

"""Make every combination of quasi-identifiers occur at least k times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
import polars as pl

from icefire import blocks
from icefire.dataset import Dataset
from icefire.errors import ParameterError
from icefire.kernels import mondrian
from icefire.methods.full_domain import full_domain
from icefire.parameters import Bounds, Columns, Share
from icefire.registry import method
from icefire.release import Int
from icefire.schema import Kind


@method("k_anonymize", needs=("qi",))
def k_anonymize(
    data: Dataset,
    *,
    rng: np.random.Generator,
    k: Annotated[int, Bounds(2)] = 3,
    mode: Literal["local", "full_domain"] = "local",
    max_suppressed: Share = 0.0,
    hierarchies: str | None = None,
    unseen: Literal["error", "top"] = "error",
    qi: Columns = None,
) -> Dataset:
    """Give groups of at least k similar rows the same quasi-identifiers.

    `qi` are the columns treated (default all quasi-identifiers).

    mode "local" keeps every row. The table is cut, Mondrian-wise, across its widest column into regions of k rows or
    more; inside a region a column takes the value in the middle if it is a number, the most frequent one if it is a
    category; so released values are always values that occur.

    mode "full_domain" generalises each column to one level of its hierarchy, the same for all rows, and leaves out the
    rows of classes that stay smaller than k: at most the share `max_suppressed` of all rows. Of all combinations of
    levels it finds the one that loses least (the loss of ARX, docs/hierarchies.md). `hierarchies` is a folder with one
    file per column, whose name ends in COLUMN.csv; without it hierarchies are inferred. A value its hierarchy does not
    list is an error or, with `unseen` "top", becomes * at every level above 0. Released values are the labels of the
    hierarchy, as text; a column at level 0 stays as it is. Levels, rows suppressed and loss stand in the scorecard.
    """
    names = data.schema.pick(qi, data.qi, "qi")
    if k > data.height:
        raise ParameterError(f"k_anonymize: k is {k}, but the table has {data.height} rows; choose a smaller k")
    if mode == "full_domain":
        return full_domain(data, names, k=k, max_suppressed=max_suppressed, hierarchies=hierarchies, unseen=unseen)
    if hierarchies is not None:
        raise ParameterError('k_anonymize: hierarchies are used by mode = "full_domain"; set it, or leave them out')
    return local(data, names, k=k)


def local(data: Dataset, names: Sequence[str], *, k: int) -> Dataset:
    """Cut the table into regions of at least k rows and give each region one value per column."""
    ranked = {name: _ranks(data.frame[name]) for name in names}
    rows, start = mondrian.regions(np.column_stack([ranks for ranks, _ in ranked.values()]), k)
    columns = []
    for name, (ranks, distinct) in ranked.items():
        choose = _middles if data.schema.kind(name) is Kind.NUMBER else _modes
        chosen = np.empty(data.height, np.int64)
        chosen[rows] = np.repeat(choose(ranks[rows], start), np.diff(start))
        columns.append(distinct[chosen].alias(name))
    return data.with_columns(*columns).noted(regions=len(start) - 1, suppressed=0)


def _ranks(column: pl.Series) -> tuple[Int, pl.Series]:
    """Number the values in order, missing first; returns the numbers and the values they stand for."""
    distinct = column.unique().sort(nulls_last=False)
    ranks = blocks.rank(column)
    if column.null_count():
        ranks = (ranks + 1).fill_null(0)
    return ranks.to_numpy().astype(np.int64), distinct


def _region_order(values: Int, start: Int) -> tuple[Int, Int]:
    """Sort values inside their regions; returns them and the region of each."""
    region = np.repeat(np.arange(len(start) - 1), np.diff(start))
    order = np.lexsort((values, region))
    return values[order], region


def _middles(values: Int, start: Int) -> Int:
    """The lower median of each region."""
    ordered, _ = _region_order(values, start)
    middle: Int = ordered[start[:-1] + (np.diff(start) - 1) // 2]
    return middle


def _modes(values: Int, start: Int) -> Int:
    """The most frequent value of each region; the lowest of several."""
    ordered, region = _region_order(values, start)
    fresh = np.concatenate([[True], (ordered[1:] != ordered[:-1]) | (region[1:] != region[:-1])])
    first = np.flatnonzero(fresh)
    length = np.diff(np.append(first, len(ordered)))
    by_length = np.lexsort((ordered[first], -length, region[first]))
    best = by_length[np.unique(region[first][by_length], return_index=True)[1]]
    modes: Int = ordered[first[best]]
    return modes

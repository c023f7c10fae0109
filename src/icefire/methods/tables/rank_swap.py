"""Swap numbers with others of nearly the same rank."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset, numbers
from icefire.core.errors import ParameterError
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method
from icefire.kernels.common import rank_swapping
from icefire.kernels.types import Int
from icefire.methods.common.columns import NUMBERS_BY_ROLE, numeric, numeric_check

Percent = Annotated[float, Bounds(0, 100)]


@method(
    "rank_swap",
    draws=True,
    drops_rows=False,
    check=numeric_check("rank_swap"),
    defaults={"columns": NUMBERS_BY_ROLE},
    in_partitions="partitions",
)
def rank_swap(
    data: Dataset,
    *,
    rng: np.random.Generator,
    p: Percent = 5.0,
    top: Percent = 0.0,
    bottom: Percent = 0.0,
    columns: Columns = None,
) -> Dataset:
    """Swap each value with a random one whose rank differs by at most p per cent of the values.

    Each column is swapped by itself, so that all its values stay, in other rows. Equal values are ranked by row.
    Missing values stay missing and have no rank.

    Args:
        data: The table.
        rng: Random generator.
        p: Largest difference of ranks, in per cent of the values.
        top: Per cent of the largest values that are left where they are.
        bottom: Per cent of the smallest values that are left where they are.
        columns: Columns to change. Default: the numeric sensitive attributes, or else the numeric quasi-identifiers.

    Returns:
        The table with swapped values; the notes count them by column.

    Raises:
        ParameterError: If a column would stay as it is because `p` reaches no other rank or `top` and `bottom` leave
            nothing to swap, if it holds no numbers, or if there is none to work on.
    """
    swapped, counts = [], {}
    for name in numeric(data, "rank_swap", columns):
        source = _sources(data.frame[name], p, top, bottom, rng)
        swapped.append(data.frame[name][source])
        counts[name] = int((source != np.arange(data.height)).sum())
    return data.with_columns(*swapped).noted(swapped_values=counts)


def _sources(column: pl.Series, p: float, top: float, bottom: float, rng: np.random.Generator) -> Int:
    """Return for each row the row its value comes from."""
    values = numbers(column)
    present = np.flatnonzero(~np.isnan(values))
    ranked = present[np.argsort(values[present], kind="stable")]
    reach = _share(p, len(ranked))
    inside = ranked[_share(bottom, len(ranked)) : len(ranked) - _share(top, len(ranked))]
    _check(column.name, p, top, bottom, len(ranked), reach, len(inside))
    source = np.arange(len(column))
    source[inside] = inside[rank_swapping.swap_partners(len(inside), reach, rng)]
    return source


def _share(percent: float, count: int) -> int:
    """So many per cent of a number, rounded down; a hair more, so that 7 % of 100 is 7 in floats too."""
    return int(percent * count / 100 + 1e-9)


def _check(name: str, p: float, top: float, bottom: float, count: int, reach: int, inside: int) -> None:
    """Refuse parameters that would quietly leave a column as it is."""
    if count > 1 and p > 0 and reach < 1:
        raise ParameterError(
            f"rank_swap: p = {p:g} % of the {count} values of {name!r} reaches no other rank; "
            f"choose p of at least {100 / count:.3g}, or leave the column out"
        )
    if count > 1 and inside < 2:
        raise ParameterError(
            f"rank_swap: top = {top:g} and bottom = {bottom:g} leave {inside} of the {count} values of {name!r} "
            "to swap; choose less"
        )

"""How numbers and prices were rounded or put into another unit, and whether the purchases of a good were merged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.attacks.histories.link.reading import ColumnReading, best_fitting, joint_codes, overlap, paired
from icefire.kernels.types import Float, Int

SMALLEST, OFFSET = 2.0**-32, 64
FEW = 2_000
"""Values are rounded to those of the release only where these are no more than this, or fewer than before."""


@dataclass(frozen=True)
class AmountReading(ColumnReading):
    """Amounts, and the powers of two they lie below."""

    own_power: Int
    shown_power: Int


def read_amounts(labels: tuple[Int, Int], goods: Int, own: Float, shown: Float) -> AmountReading:
    """Find out how the amounts of a column were rounded, and round the own ones likewise.

    Args:
        labels: The goods of both sides, as released.
        goods: The goods of the own side, as they were.
        own: The amounts of the own rows.
        shown: The amounts of the released rows.

    Returns:
        The amounts of both sides as numbers.
    """
    distinct = np.unique(shown)
    candidates: list[tuple[str, Callable[[], Float]]] = [("kept", lambda: own)]
    candidates += [(f"the {name} of the good", lambda how=how: _usual(goods, own, how)) for name, how in USUAL.items()]  # type: ignore[misc]
    candidates += [
        (f"the {name} of the kind of good", lambda how=how: _usual(labels[0], own, how))  # type: ignore[misc]
        for name, how in USUAL.items()
    ]
    if len(distinct) <= max(FEW, len(np.unique(own)) // 2):
        candidates += [
            ("rounded down", lambda: distinct[np.maximum(np.searchsorted(distinct, own, "right") - 1, 0)]),
            ("rounded", lambda: _nearest(distinct, own)),
            ("in another unit", lambda: _nearest(distinct, _same_ends(own, distinct))),
            ("rounded up", lambda: distinct[np.minimum(np.searchsorted(distinct, own), len(distinct) - 1)]),
        ]
    change, changed, fit = best_fitting(
        candidates, lambda values: overlap(*paired(labels, joint_codes(_cents(values), _cents(shown))))
    )
    powers = tuple(np.frexp(np.maximum(values, SMALLEST))[1].astype(np.int64) + OFFSET for values in (changed, shown))
    return AmountReading(*joint_codes(_cents(changed), _cents(shown)), change, fit, *powers)


USUAL: dict[str, pl.Expr] = {
    "median": pl.col("value").quantile(0.5, "lower"),
    "middle": pl.col("value").median(),
    "mean": pl.col("value").mean(),
}


def _cents(values: Float) -> Int:
    """Amounts as whole ten-thousandths, so that sums and means that were rounded are equal."""
    scaled: Int = np.rint(np.minimum(values, 1e14) * 1e4).astype(np.int64)
    return scaled


def _usual(groups: Int, values: Float, how: pl.Expr) -> Float:
    rows = pl.DataFrame({"group": groups, "value": values})
    usual: Float = rows.select(how.over("group").cast(pl.Float64)).to_series().to_numpy()
    return usual


def _same_ends(values: Float, distinct: Float) -> Float:
    """Return values times a factor and moved, so that the least and the largest are those of the release."""
    low, high = float(values.min()), float(values.max())
    factor = (distinct[-1] - distinct[0]) / ((high - low) or 1.0)
    scaled: Float = distinct[0] + (values - low) * factor
    return scaled


def _nearest(distinct: Float, values: Float) -> Float:
    above = np.minimum(np.searchsorted(distinct, values), len(distinct) - 1)
    below = np.maximum(above - 1, 0)
    return np.where(values - distinct[below] < distinct[above] - values, distinct[below], distinct[above])

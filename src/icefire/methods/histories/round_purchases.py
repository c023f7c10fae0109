"""Round the numbers and prices of purchases."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from icefire.core.dataset import numbers
from icefire.core.history import History
from icefire.core.registry import method


@method("round_purchases", data="history", draws=False, drops_rows=False)
def round_purchases(
    data: History,
    *,
    rng: np.random.Generator,
    number: Literal["keep", "powers", "one"] = "powers",
    price: Literal["keep", "powers", "usual"] = "usual",
) -> History:
    """Round how many were bought, and at what price.

    Without such a column nothing happens to it; missing values stay missing.

    Args:
        data: The history.
        rng: Unused; part of every method's signature.
        number: powers rounds down to 1, 2, 4, 8, …; one makes every purchase a single piece.
        price: powers rounds down likewise (… 0.5, 1, 2 …); usual gives all rows of a good its median price (the lower
            of two).

    Returns:
        The history with rounded numbers and prices.
    """
    rounded: list[pl.Series | pl.Expr] = []
    pieces, prices = data.column("number"), data.column("price")
    if pieces is not None and number == "one":
        rounded.append(pl.when(pieces.is_not_null()).then(pl.lit(1, pieces.dtype)).alias(pieces.name))
    elif pieces is not None and number == "powers":
        rounded.append(_power(pieces))
    if prices is not None and price == "usual":
        rounded.append(_usual(prices, data.fields.item))
    elif prices is not None and price == "powers":
        rounded.append(_power(prices))
    return data.with_frame(data.frame.with_columns(rounded))


def _power(column: pl.Series) -> pl.Series:
    """The largest power of two that is no greater."""
    exponents = np.frexp(numbers(column))[1]
    powers = pl.Series(column.name, np.ldexp(1.0, exponents - 1)).cast(column.dtype)
    return pl.select(pl.when(column.is_not_null()).then(powers)).to_series().alias(column.name)


def _usual(prices: pl.Series, item: str) -> pl.Expr:
    """The lower median over all rows of the good."""
    median = pl.col(prices.name).quantile(0.5, "lower").over(item).cast(prices.dtype)
    return pl.when(pl.col(prices.name).is_not_null()).then(median).alias(prices.name)

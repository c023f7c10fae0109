"""Merge all purchases of the same good by the same customer into one row."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.blocks import EncodedColumn
from icefire.core.errors import ParameterError
from icefire.core.history import History
from icefire.core.history.dates import DAY
from icefire.core.registry import method
from icefire.kernels.types import Float, Int


@method("merge_purchases", data="history", draws=False, drops_rows=True)
def merge_purchases(
    data: History, *, rng: np.random.Generator, within: Literal["all", "day", "receipt"] = "all"
) -> History:
    """Merge the rows in which a customer bought the same good: how often he came back no longer shows.

    The number is the sum, the price what was paid over that number; everything else is that of the latest row (the last
    in the file of equals), which stays in its place.

    Args:
        data: The history.
        rng: Unused; part of every method's signature.
        within: Merge over the whole history, or the rows of one day or of one receipt only.

    Returns:
        The history with merged rows; the notes count those that went.

    Raises:
        ParameterError: If there is no column for the day or the receipt.
    """
    group = _groups(data, within)
    order = np.lexsort((np.arange(data.height), data.when))
    last = np.zeros(int(group.max(initial=-1)) + 1, np.int64)
    last[group[order]] = order
    last = np.sort(last)
    merged_rows = data.frame[last]
    many = (np.bincount(group) > 1)[group[last]]
    for name, values in _amounts(data, group).items():
        merged = pl.Series(name, values[group[last]]).cast(merged_rows[name].dtype)
        # A row that stood alone keeps its value to the last digit.
        merged_rows = merged_rows.with_columns(
            pl.when(pl.Series(many)).then(merged).otherwise(pl.col(name)).alias(name)
        )
    return data.with_frame(merged_rows).noted(rows_merged=data.height - merged_rows.height)


def _groups(data: History, within: str) -> Int:
    digits = [
        EncodedColumn(data.codes, 0, max(data.subjects, 1)),
        EncodedColumn(data.items, 0, max(len(data.goods), 1)),
    ]
    if within != "all":
        meaning = "date" if within == "day" else "receipt"
        column = data.column(meaning)
        if column is None:
            raise ParameterError(f'merge_purchases: within "{within}" needs a {meaning} column; name it, or choose all')
        digits.append(blocks.encode(column if within == "receipt" else pl.Series(data.when // DAY)))
    groups: Int = np.unique(blocks.pack_keys(digits, data.height)[0], return_inverse=True)[1].reshape(-1)
    return groups


def _amounts(data: History, group: Int) -> dict[str, Float]:
    """Number and price of every group, by column."""
    pieces = np.bincount(group, weights=data.numbers).astype(np.float64)
    paid = np.bincount(group, weights=data.numbers * data.prices)
    amounts: dict[str, Float] = {"number": pieces, "price": paid / pieces}
    return {column: amounts[meaning] for meaning, column in data.fields.present.items() if meaning in amounts}

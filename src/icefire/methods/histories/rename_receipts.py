"""Replace receipt numbers by random ones."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.blocks import EncodedColumn
from icefire.core.history import History
from icefire.core.history.dates import DAY
from icefire.core.registry import method


@method("rename_receipts", data="history", needs=("receipt",), draws=True, drops_rows=False)
def rename_receipts(
    data: History, *, rng: np.random.Generator, per: Literal["receipt", "day", "customer"] = "receipt"
) -> History:
    """Replace receipt numbers by random ones, from 1, the same one wherever a customer's receipt occurs.

    Missing receipt numbers stay missing if receipts are kept.

    Args:
        data: The history.
        rng: Random generator.
        per: receipt keeps together what was on one receipt; day puts all that a customer bought on one day on one
            receipt, customer all that he ever bought.

    Returns:
        The history with other receipt numbers; the notes count them.
    """
    receipts = data.frame[data.fields.present["receipt"]]
    digits = [EncodedColumn(data.codes, 0, max(data.subjects, 1))]
    if per == "receipt":
        digits.append(blocks.encode(receipts))
    elif per == "day":
        digits.append(blocks.encode(pl.Series(data.when // DAY)))
    there = receipts.is_not_null().to_numpy() if per == "receipt" else np.ones(data.height, bool)
    distinct, place = np.unique(blocks.pack_keys(digits, data.height)[0][there], return_inverse=True)
    numbers = np.zeros(data.height, np.int64)
    numbers[there] = rng.permutation(len(distinct))[place.reshape(-1)] + 1
    renamed = pl.select(pl.when(pl.Series(there)).then(pl.Series(numbers))).to_series().cast(pl.String)
    return data.with_frame(data.frame.with_columns(renamed.alias(receipts.name))).noted(receipts=len(distinct))

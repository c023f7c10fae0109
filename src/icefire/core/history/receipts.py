"""Receipts: the items bought together. A receipt is named by its number and its subject."""

from __future__ import annotations

import numpy as np

from icefire.core import blocks
from icefire.core.blocks import EncodedColumn
from icefire.core.history.baskets import Baskets
from icefire.core.history.history import History
from icefire.kernels.common.distinct import distinct_keys
from icefire.kernels.types import Int


def per_subject(history: History) -> Int:
    """Count the receipts of every subject. There must be a receipt column."""
    named = _named(history)
    keys, _ = blocks.pack_keys(named, history.height)
    return np.bincount(distinct_keys(keys) // named[1].size, minlength=history.subjects)


def baskets(history: History, items: Int, goods: int) -> Baskets:
    """Collect the distinct items of every receipt; `items` numbers them, one for each row."""
    size = max(goods, 1)
    keys, _ = blocks.pack_keys([*_named(history), EncodedColumn(items, 0, size)], history.height)
    owners, items = np.divmod(distinct_keys(keys), size)
    ends = np.flatnonzero(np.diff(owners, append=-1))
    start = np.concatenate(([0], ends + 1)).astype(np.int64)
    return Baskets(start, items.astype(np.int32), goods)


def _named(history: History) -> list[EncodedColumn]:
    """Subject and receipt of every row; both number at most the rows, so together they always fit into a key."""
    column = history.frame[history.fields.present["receipt"]]
    return [EncodedColumn(history.codes, 0, max(history.subjects, 1)), blocks.encode_jointly(column, column.clear())]

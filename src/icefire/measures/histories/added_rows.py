"""Δm and its relatives: released rows that are not in the original, and original rows that are lost."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.blocks import EncodedColumn
from icefire.core.errors import ParameterError, UndefinedError, did_you_mean
from icefire.core.history import History, HistoryComparison
from icefire.core.history.dates import DAY
from icefire.core.parameters import Columns
from icefire.core.registry import measure
from icefire.kernels.baskets import multisets
from icefire.kernels.common import threads
from icefire.kernels.types import Float, Int

COMPARED = ("item", "date", "time", "price", "number")
"""Receipt numbers may be replaced without any loss, so they are compared only where they are named."""
KNOWN = (*COMPARED, "receipt")
WHOLE = 2**53


@measure("rows_added", code="Δm", data="history", needs=("original", "truth"))
def rows_added(comparison: HistoryComparison, *, by: Columns = None) -> float:
    """Number of released rows that are not among the original rows of the same customer: dummies.

    A row is the same if all of `by` agree: by default item, date, time, price and number, as far as both files have
    them; "receipt" may be added. A row that occurs more often than in the original counts as often as it is too many.
    A changed row counts as one added and one lost.

    Args:
        comparison: The original history, the released one, and the original customer of each released one.
        by: What must agree for two rows to be the same: some of "item", "date", "time", "price", "number" or "receipt".
            Default: all but the receipt, as far as both files have them.

    Returns:
        The number of rows added.

    Raises:
        ParameterError: If what `by` names is not in both files.
    """
    return float(_difference(comparison, by)[0])


@measure("rows_lost", data="history", needs=("original", "truth"))
def rows_lost(comparison: HistoryComparison, *, by: Columns = None) -> float:
    """Number of original rows that are not among the released rows of the same customer.

    Rows are compared as for `rows_added`.

    Args:
        comparison: The original history, the released one, and the original customer of each released one.
        by: What must agree for two rows to be the same: some of "item", "date", "time", "price", "number" or "receipt".
            Default: all but the receipt, as far as both files have them.

    Returns:
        The number of rows lost.

    Raises:
        ParameterError: If what `by` names is not in both files.
    """
    return float(_difference(comparison, by)[1])


@measure("dummy_share", data="history", needs=("original", "truth"))
def dummy_share(comparison: HistoryComparison, *, by: Columns = None) -> float:
    """Share of the released rows that the same customer does not have in the original, as far as goods tell.

    A changed date, number or price makes no dummy: by default rows are compared by the good alone, each as often as it
    occurs; where goods were generalised, a customer's rows are only counted. 0 where no row was added.

    Args:
        comparison: The original history, the released one, and the original customer of each released one.
        by: What must agree for two rows to be the same: some of "item", "date", "time", "price", "number" or "receipt".
            Default: the item where all released goods are goods of the original, and else nothing.

    Returns:
        The share of rows added, 0 to 1.

    Raises:
        ParameterError: If what `by` names is not in both files.
        UndefinedError: If the release has no rows.
    """
    if not comparison.released.height:
        raise UndefinedError("the release has no rows, so no share of them is made up")
    if by is None and not comparison.released.goods.is_in(comparison.original.goods.implode()).all():
        return _surplus_rows(comparison) / comparison.released.height
    return _difference(comparison, ("item",) if by is None else by)[0] / comparison.released.height


def _surplus_rows(comparison: HistoryComparison) -> int:
    """Count the rows that customers have in the release beyond the number they have in the original."""
    owners = comparison.owners
    after = np.bincount(owners[owners >= 0], minlength=comparison.original.subjects)
    before = np.bincount(comparison.original.codes, minlength=comparison.original.subjects)
    return int(np.maximum(after - before, 0).sum() + (owners < 0).sum())


def _difference(comparison: HistoryComparison, by: Columns) -> tuple[int, int]:
    """Count the rows added and the rows lost."""
    original = comparison.original
    columns = [_digits(comparison, meaning) for meaning in _meanings(comparison, by)]
    keys, _ = blocks.pack_keys(columns, original.height + comparison.released.height)
    before, after = keys[: original.height], keys[original.height :]
    owned = comparison.owners >= 0
    added, lost = multisets.surplus(original.codes, before, comparison.owners[owned], after[owned], original.subjects)
    return added + int((~owned).sum()), lost


def _meanings(comparison: HistoryComparison, by: Columns) -> list[str]:
    shared = [m for m in KNOWN if all(side.has(m) for side in (comparison.original, comparison.released))]
    if by is None:
        return [meaning for meaning in COMPARED if meaning in shared]
    for meaning in by:
        if meaning not in shared:
            raise ParameterError(f"parameter 'by': {meaning!r} is not in both files; {did_you_mean(meaning, shared)}")
    return list(by)


def _digits(comparison: HistoryComparison, meaning: str) -> EncodedColumn:
    """Encode what has this meaning over both files: as values, so that 2010/12/1 equals 2010-12-01."""
    if meaning == "item":
        before, after, goods = comparison.case.coded
        return EncodedColumn(np.concatenate((before, after)), 0, max(goods, 1))
    sides = (comparison.original, comparison.released)
    if meaning == "receipt":
        return blocks.encode_jointly(*(side.frame[side.fields.present["receipt"]].cast(pl.String) for side in sides))
    return _coded(np.concatenate([_values(side, meaning) for side in sides]))


def _values(side: History, meaning: str) -> Int | Float:
    if meaning in ("date", "time"):
        return side.when // DAY if meaning == "date" else side.when % DAY
    return side.prices if meaning == "price" else side.numbers


def _coded(values: Int | Float) -> EncodedColumn:
    """Number the values. Few of those that are not whole differ, so looking each up is faster than ranking all."""
    if (np.floor(values) == values).all() and np.abs(values).max(initial=0) < WHOLE:
        return blocks.encode(pl.Series(values.astype(np.int64)))
    distinct = pl.Series(values).unique().sort().to_numpy()
    codes = np.empty(len(values), np.int64)

    def look_up(start: int, stop: int) -> None:
        codes[start:stop] = np.searchsorted(distinct, values[start:stop])

    threads.starmap(look_up, threads.spans(len(values), 1 << 16))
    return EncodedColumn(codes, 0, max(len(distinct), 1))

"""A sensitive attribute as numbers: 0, 1, … in the order of its values."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.kernels.types import Int, Int32


@dataclass(frozen=True, slots=True)
class CodedAttribute:
    """A column as codes, and how many rows of the table it is compared with have each code.

    Values are numbered in ascending order, text alphabetically. Missing is a value of its own, the last one.
    """

    codes: Int32
    totals: Int

    @property
    def distinct(self) -> int:
        """Number of distinct values."""
        return len(self.totals)

    def over(self, rows: Int) -> CodedAttribute:
        """Return the column to be compared with these rows alone; a value none of them holds is no value any more."""
        totals = np.bincount(self.codes[rows], minlength=self.distinct)
        present = totals > 0
        if present.all():
            return replace(self, totals=totals)
        return CodedAttribute((np.cumsum(present) - 1)[self.codes].astype(np.int32), totals[present])


def encode(column: pl.Series) -> CodedAttribute:
    """Number the values of a column."""
    digits = blocks.encode(column)
    codes = digits.values.astype(np.int64) - digits.lowest
    if column.null_count():
        # The digits of a column begin with its missing values.
        codes = np.where(codes == 0, digits.size - 1, codes - 1)
    totals = np.bincount(codes, minlength=1)
    present = totals > 0
    if not present.all():
        codes = (np.cumsum(present) - 1)[codes]
    return CodedAttribute(codes.astype(np.int32), totals[present])

"""Classes where a suppressed cell may be any value: a row is like every row it does not contradict.

Classes then overlap: the size of a row's class is the number of rows compatible with it, itself included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import Dataset
from icefire.core.errors import UndefinedError
from icefire.kernels.grouping import wildcard_matches
from icefire.kernels.types import Float, Int, UInt64

WORD = 64
MOST_STEPS = 1_000_000_000
"""Ten to twenty seconds of one core. Beyond, a measure says that it was not computed."""
ROWS_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class Gaps:
    """The distinct rows of a table over some columns, sorted by which cells are missing, complete ones first."""

    words: UInt64
    """The codes of the cells side by side, one line per distinct row."""
    gaps: UInt64
    """The same with all bits of the missing cells set."""
    rows: Int
    start: Int
    """Line i stands for the rows rows[start[i]:start[i + 1]] of the table."""

    @staticmethod
    def of_table(table: pl.DataFrame, columns: Sequence[str]) -> Gaps:
        """Find the distinct rows of one table."""
        return _pack([_with_gaps(table[name]) for name in columns], table.height)[0]

    @staticmethod
    def of_tables(x: pl.DataFrame, y: pl.DataFrame, columns: Sequence[str]) -> tuple[Gaps, Gaps]:
        """Find the distinct rows of two tables, encoded jointly."""
        left, right = _pack([_with_gaps(pl.concat([x[name], y[name]])) for name in columns], x.height, y.height)
        return left, right

    @property
    def sizes(self) -> Int:
        """Rows of the table behind each line."""
        return np.diff(self.start)

    def patterns(self) -> Int:
        """Return where each pattern of missing cells begins, and the number of lines."""
        changes = np.flatnonzero((self.gaps[1:] != self.gaps[:-1]).any(axis=1)) + 1
        return np.concatenate([[0], changes, [len(self.gaps)]])

    def compatible(self, others: Gaps, weights: Float | None = None) -> Float:
        """Sum for each line the weights of the lines of others that do not contradict it; default, their rows."""
        first, other_first = self.patterns(), others.patterns()
        _check_steps((len(first) - 1) * len(others.words) + (len(other_first) - 1) * len(self.words))
        weights = others.sizes.astype(np.float64) if weights is None else weights
        return wildcard_matches.matching_weights(
            self.words, self.gaps, first, others.words, others.gaps, other_first, weights
        )

    def classes(self) -> Iterator[tuple[Int, Int]]:
        """Give for each line the rows compatible with it, as rows and starts, a few million rows at once."""
        ends = np.cumsum(self.compatible(self).astype(np.int64))
        _check_steps(int(ends[-1]) + len(self.words) ** 2)
        begin = done = 0
        while begin < len(ends):
            end = max(begin + 1, int(np.searchsorted(ends, done + ROWS_AT_ONCE, side="right")))
            rows = wildcard_matches.matching_rows(self.words, self.gaps, self.rows, self.start, begin, end, ends)
            yield rows, np.concatenate([[0], ends[begin:end] - done])
            begin, done = end, int(ends[end - 1])


def sizes(data: Dataset, columns: Sequence[str]) -> tuple[Int, Int]:
    """Return the rows of each class by own value, and the number of rows compatible with each of them."""
    table = data.frame
    if not any(table[name].null_count() for name in columns):
        own = data.class_sizes(columns)
        return own, own
    distinct = Gaps.of_table(table, columns)
    return distinct.sizes, distinct.compatible(distinct).astype(np.int64)


def _with_gaps(column: pl.Series) -> Int:
    """Number the values from 0; missing is -1."""
    digits = blocks.encode(column)
    codes: Int = digits.values.astype(np.int64) - digits.lowest - (1 if column.null_count() else 0)
    return codes


def _pack(columns: Sequence[Int], *heights: int) -> list[Gaps]:
    """Put the codes of every column into a field of a word, and bring equal rows of each table together."""
    fields = [max(1, int(codes.max(initial=0)).bit_length()) for codes in columns]
    tables, below = [], 0
    for height in heights:
        tables.append(_gaps([codes[below : below + height] for codes in columns], fields, height))
        below += height
    return tables


def _gaps(columns: Sequence[Int], fields: Sequence[int], height: int) -> Gaps:
    # Whether cells are missing makes the highest digits of the key, so that the blocks come sorted by pattern.
    digits = [blocks.encode(pl.Series(codes < 0)) for codes in columns] + [
        blocks.encode(pl.Series(codes)) for codes in columns
    ]
    classes = blocks.blocks_of_columns(digits, height, 0)
    lines = classes.x_rows[classes.x_start[:-1]]
    words, gaps = [np.zeros(len(lines), np.uint64)], [np.zeros(len(lines), np.uint64)]
    used = 0
    for codes, bits in zip(columns, fields, strict=True):
        if used + bits > WORD:
            words, gaps, used = [*words, np.zeros_like(words[0])], [*gaps, np.zeros_like(gaps[0])], 0
        cells, field = codes[lines], np.uint64((1 << bits) - 1)
        words[-1] |= np.maximum(cells, 0).astype(np.uint64) << np.uint64(used)
        gaps[-1] |= np.where(cells < 0, field, np.uint64(0)) << np.uint64(used)
        used += bits
    return Gaps(np.stack(words, axis=1), np.stack(gaps, axis=1), classes.x_rows, classes.x_start)


def _check_steps(steps: int) -> None:
    if steps > MOST_STEPS:
        raise UndefinedError(
            f"not computed: reading missing cells as wildcards would take {steps:.0e} comparisons; "
            "name fewer quasi-identifiers with the parameter qi"
        )

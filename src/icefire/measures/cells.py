"""The cells of a cross table over the rows of two tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.kernels.grouping.packed_keys import TABLE_LIMIT
from icefire.kernels.types import Int


def number_cells(columns: Sequence[blocks.EncodedColumn], rows: int) -> tuple[Int, int]:
    """Number the cells that encoded columns make together; returns the cell of every row and the number of cells.

    Cells without rows are numbered as well, unless there would be too many to count in.
    """
    return _few(*blocks.pack_keys(columns, rows))


def number_cells_of_tables(x: pl.DataFrame, y: pl.DataFrame, columns: Sequence[str]) -> tuple[Int, int]:
    """Number the cells that columns of two tables make together; returns the cell of every row, those of x first."""
    return _few(*blocks.pack_keys_of_tables(x, y, columns))


def _few(cells: Int, size: int) -> tuple[Int, int]:
    if size <= TABLE_LIMIT:
        return cells, size
    occupied, cells = np.unique(cells, return_inverse=True)
    return cells, len(occupied)

"""The verb `swap_candidates`: for each row of a table the other rows it could be exchanged with (P3)."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.parameters import Columns
from icefire.io.options import DataSource, ReadOptions, takes_read_options
from icefire.io.read import read

MOST = 50_000_000
"""Candidates of all rows together that are listed; more would not fit into the memory of a small machine."""


@takes_read_options
def swap_candidates(
    table: DataSource,
    *,
    limit: float = 4.0,
    numbers: Columns = None,
    categories: Columns = None,
    **reading: Unpack[ReadOptions],
) -> pl.DataFrame:
    """List for each row the rows within a limit of iloss: those whose values it could take.

    Rows with few candidates are easily guessed after `swap_rows`, and are those that `delete_by_candidates` leaves out.

    Args:
        table: The data, one row per person.
        limit: Largest difference of a number, and most categories that may differ, between a row and a candidate.
        numbers: Columns compared as numbers. Default: the numbers among the quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories. Default: the others among them.

    Returns:
        A line per row: `row` (from 0), `count`, and `candidates`, a list of rows in ascending order.

    Raises:
        ParameterError: If the limit is negative, there is no column to compare rows by, or there are too many
            candidates to list.
        SchemaError: If a column of `numbers` holds none.
    """
    from icefire.kernels.records import candidates
    from icefire.methods.surveys import rows

    if not limit >= 0:
        raise ParameterError(f"swap candidates: the limit is {limit:g}; it must be 0 or more")
    data = read(table, **reading)
    if not isinstance(data, Dataset):
        raise ParameterError("swap candidates are of a table with one row per person, but this is a history")
    known = rows.encoded(data, *rows.columns(data, "swap candidates", numbers, categories))
    own = np.arange(data.height)
    counts = candidates.counts(known, known, limit, own)
    if counts.sum() > MOST:
        raise ParameterError(
            f"swap candidates: {counts.sum():,} within a limit of {limit:g} are too many to list (at most {MOST:,}); "
            "choose a smaller limit, or more columns to compare rows by"
        )
    start, listed = candidates.lists(known, known, limit, own=own)
    pairs = pl.DataFrame({"row": np.repeat(own, np.diff(start)), "candidates": listed})
    lists = pairs.group_by("row", maintain_order=True).agg("candidates")
    lines = pl.DataFrame({"row": own, "count": counts}).join(lists, on="row", how="left", maintain_order="left")
    return lines.with_columns(pl.col("candidates").fill_null(pl.lit([], dtype=pl.List(pl.Int32))))


def as_text(lines: pl.DataFrame) -> pl.DataFrame:
    """Return the list for a file of text: the candidates of a row in one cell, separated by spaces."""
    return lines.with_columns(pl.col("candidates").cast(pl.List(pl.String)).list.join(" "))

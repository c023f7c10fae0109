"""Control tables: people who must not be in the original. Who is there all the same is left out and counted."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.core.scorecard.synthetic import ControlTable
from icefire.kernels.types import Bool

DEVIATIONS = 3.0
"""Equal rows are coincidence up to so many standard deviations above what is expected."""
ROWS_NAMED = 10


def without_overlap(role: str, control: Dataset, original: Dataset) -> tuple[Dataset, ControlTable]:
    """Leave out the rows of a control table that are people of the original.

    Different people may have equal values: as many control rows as coincidence makes may equal an original row. How
    many that are is known from the original itself, from how often its own rows have a twin.

    Args:
        role: What the table is, for messages.
        control: Hold-out or background, over the compared columns.
        original: The original, over the same columns.

    Returns:
        The rows that are used, and what was counted.

    Raises:
        InputError: If most rows are people of the original.
    """
    equal = equal_to_some_row(original.frame, control.frame)
    count = int(equal.sum())
    if count <= _by_coincidence(original.frame, control.height):
        return control, ControlTable(control.name, control.height, coincidences=count)
    rows = [int(row) for row in np.flatnonzero(equal)[:ROWS_NAMED]]
    if 2 * count > control.height:
        named = ", ".join(str(row) for row in rows[:3])
        raise InputError(
            f"the {role} {control.name!r} overlaps the original: {count:,} of its {control.height:,} rows equal rows "
            f"of the original (the first are rows {named}); a {role} holds people who were not in the data"
        )
    kept = control.take(np.flatnonzero(~equal))
    return kept, ControlTable(control.name, kept.height, count, rows)


def equal_to_some_row(known: pl.DataFrame, asked: pl.DataFrame) -> Bool:
    """Tell for each row of `asked` whether a row of `known` equals it in every column."""
    equal: Bool = blocks.blocks_of_tables(known, asked, known.columns).candidates.sizes > 0
    return equal


def _by_coincidence(original: pl.DataFrame, rows: int) -> float:
    """Return how many control rows equal an original row by coincidence, at most."""
    twins = int(original.is_duplicated().sum())
    share = (twins + 1) / (original.height + 2)
    return rows * share + DEVIATIONS * math.sqrt(rows * share * (1 - share)) + 1

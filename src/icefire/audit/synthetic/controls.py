"""Control tables: people who must not be in the original. Who is there all the same is left out and counted."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from icefire.audit.judge import wilson
from icefire.audit.obstacles import verbatim
from icefire.core import blocks
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.core.scorecard.synthetic import ControlTable
from icefire.kernels.types import Bool, Int

DEVIATIONS = 3.0
"""Equal rows are coincidence up to so many standard deviations above what is expected."""
UNLIKELY = 0.25
"""Where fewer equal rows are expected than this part of those found, they are no coincidence."""
ROWS_NAMED = 10


def without_overlap(
    role: str, control: Dataset, original: Dataset, with_holdout: bool = False
) -> tuple[Dataset, ControlTable]:
    """Leave out the rows of a control table that are people of the original.

    Different people may have equal values: as many control rows as coincidence makes may equal an original row. How
    many that are is known from how often people are alike in the original, and in the control table itself. Where
    columns have so many values that none may be expected, a single equal row is a person of the original.

    Args:
        role: What the table is, for messages.
        control: Hold-out or background, over the compared columns.
        original: The original, over the same columns.
        with_holdout: Below the people of the original stand those of the hold-out.

    Returns:
        The rows that are used, and what was counted.

    Raises:
        InputError: If most rows are people of the original.
    """
    equal = equal_to_some_row(original.frame, control.frame)
    count = int(equal.sum())
    if count <= _by_coincidence(original.frame, control.frame) and not _impossible(
        original.frame, control.frame, count
    ):
        return control, ControlTable(control.name, control.height, coincidences=count)
    rows = [int(row) for row in np.flatnonzero(equal)[:ROWS_NAMED]]
    if 2 * count > control.height:
        named = ", ".join(str(row) for row in rows[:3])
        if with_holdout:
            raise InputError(
                f"the {role} {control.name!r} overlaps the original or the hold-out: {count:,} of its "
                f"{control.height:,} rows equal rows of the original or the hold-out (the first are rows {named}); a "
                f"{role} holds people who were not in the data"
            )
        raise InputError(
            f"the {role} {control.name!r} overlaps the original: {count:,} of its {control.height:,} rows equal rows "
            f"of the original (the first are rows {named}); a {role} holds people who were not in the data"
        )
    kept = control.take(np.flatnonzero(~equal))
    return kept, ControlTable(control.name, kept.height, count, rows)


def equal_to_some_row(known: pl.DataFrame, asked: pl.DataFrame) -> Bool:
    """Tell for each row of `asked` whether a row of `known` equals it in every column."""
    equal: Bool = equal_rows(known, asked) > 0
    return equal


def equal_rows(known: pl.DataFrame, asked: pl.DataFrame) -> Int:
    """Count for each row of `asked` the rows of `known` that equal it in every column of `known`."""
    counts: Int = blocks.blocks_of_tables(known, asked, known.columns).candidates.sizes
    return counts


def _by_coincidence(original: pl.DataFrame, control: pl.DataFrame) -> float:
    """Return how many control rows equal an original row by coincidence, at most.

    Either table tells how often people are alike. The original does by the rows that have a twin; of few rows this is
    uncertain, and the upper end of the interval counts. The control does by how often each of its rows occurs in it.
    """
    twins, people, rows = int(original.is_duplicated().sum()), original.height, control.height
    share = wilson(twins, people)[1] if twins else 1 / (people + 2)
    share = max(share, _met_by_chance(control, people))
    return rows * share + DEVIATIONS * math.sqrt(rows * share * (1 - share)) + 1


def _impossible(original: pl.DataFrame, control: pl.DataFrame, count: int) -> bool:
    """Tell whether coincidence is out of the question: nobody has a twin, and columns of so many values hardly meet."""
    if original.is_duplicated().any() or control.is_duplicated().any():
        return False
    expected = float(original.height * control.height)
    for name in original.columns:
        expected *= _pairs_alike(original[name])
    return verbatim.FACTOR * expected < UNLIKELY * count


def _pairs_alike(column: pl.Series) -> float:
    """Return the share of the pairs of people with the same value; one pair more is counted, so that it is not 0."""
    sizes = blocks.class_sizes(column.to_frame(), [column.name]).astype(np.float64)
    return float(((sizes * (sizes - 1)).sum() + 2) / (len(column) * (len(column) - 1) + 2))


def _met_by_chance(control: pl.DataFrame, people: int) -> float:
    """Return how probably a control row equals one of so many people who are drawn as the other control rows are."""
    if control.height < 2:
        return 0.0
    sizes = blocks.class_sizes(control, control.columns)
    alike = np.repeat(sizes - 1, sizes)
    return float(np.mean(1 - (1 - alike / (control.height - 1)) ** people))

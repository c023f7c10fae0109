"""Steps for another kind of data: numbers asked of words, dates of numbers. Found before anything runs.

No signature says what a column must hold, so a step is tried on a few rows. It is refused for the kind of its columns
if it fails on them, fails on the whole table with the same words, and goes through on the same rows with their values
written as numbers, as dates or as words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import Dataset, kinds
from icefire.core.errors import IcefireError
from icefire.core.schema import Schema
from icefire.recipe.applying import apply, with_origin
from icefire.recipe.faults import Fault
from icefire.recipe.steps import Step

PROBE_ROWS = 50
VARIANTS = (pl.Int64, pl.Date, pl.String)
OURS = "icefire.methods."


def faults(data: Dataset, steps: Mapping[int, Step]) -> Iterator[Fault]:
    """Find the steps that this table has columns for, but of the wrong kind."""
    few = data.take(np.linspace(0, data.height - 1, min(data.height, PROBE_ROWS)).astype(np.int64))
    for number, step in steps.items():
        error = _refusal(few, number, step)
        if error and any(_refusal(_written_as(few, kind), number, step) is None for kind in VARIANTS):
            whole = _refusal(data, number, step)
            if whole and str(whole) == str(error):
                yield Fault(str(error), number, type(error))
        if not step.entry.module.startswith(OURS):
            # Nobody knows what a plug-in makes of the columns, so that the steps after it are left to the run.
            return


def _refusal(data: Dataset, number: int, step: Step) -> IcefireError | None:
    """Try a step and return the error it raises, if any."""
    try:
        apply(with_origin(data), number, step, step.generator(0))
    except IcefireError as error:
        return error
    except Exception:
        # A few rows of another kind may break what a whole table would not; then nothing is learnt.
        return IcefireError("something else")
    return None


def _written_as(data: Dataset, kind: type[pl.DataType]) -> Dataset:
    """Return the same rows with every column numbered, and the numbers written as another kind."""
    made = data.frame.select(
        (blocks.dense_ranks(data.frame[name]).cast(pl.Int32).cast(kind)).alias(name) for name in data.frame.columns
    )
    found = kinds(made)
    columns = tuple(replace(column, kind=found[column.name]) for column in data.schema.columns)
    return replace(data, frame=made, schema=Schema(columns, data.schema.origin))

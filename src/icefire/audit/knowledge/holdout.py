"""The hold-out: people of the same population who are not in the data; what is guessed about them is no disclosure."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polars as pl

from icefire.audit.synthetic.controls import without_overlap
from icefire.core import align
from icefire.core.dataset import Dataset
from icefire.core.errors import SchemaError
from icefire.core.schema import Role
from icefire.io.format import Format
from icefire.io.tables import read_frame


def read_holdout(source: Any, original: Dataset, how: Format | None = None) -> Dataset:
    """Read a hold-out and check that it holds other people.

    Args:
        source: A file or a table with the columns of the original.
        original: The people the release was made from.
        how: How a text file is read.

    Returns:
        The hold-out with the roles of the original, without people of the original; its notes say how many they were,
        and in which rows.

    Raises:
        SchemaError: If a quasi-identifier or a sensitive column is missing.
        InputError: If it cannot be read, has fewer than two rows, or most of its people are in the original.
    """
    name = Path(source).name if isinstance(source, str | os.PathLike) else "hold-out"
    frame = source.frame if isinstance(source, Dataset) else read_frame(source, how, original.expected)
    align.check_rows(frame, name)
    for column in original.schema.columns:
        if column.role in (Role.QI, Role.SA) and column.name not in frame.columns:
            raise SchemaError(
                f"the hold-out {name!r} has no column {column.name!r}, which is {column.role} in the original; "
                "give people with the same columns"
            )
    holdout = fit_holdout(Dataset(frame, original.schema, name), original)
    ids = original.schema.named(Role.ID)
    compared = [column for column in holdout.frame.columns if column not in ids]
    people = original.with_frame(original.frame.select(compared))
    kept, counted = without_overlap("hold-out", holdout.with_frame(holdout.frame.select(compared)), people)
    return kept.noted(
        people_of_the_original=counted.overlap,
        their_rows=counted.overlapping_rows,
        alike_by_coincidence=counted.coincidences,
    )


def fit_holdout(holdout: Dataset, original: Dataset) -> Dataset:
    """Return a hold-out whose values compare with those of an original, columns in the order of that."""
    columns = []
    for column in original.schema.columns:
        if column.name not in holdout.frame.columns or column.name not in original.frame.columns:
            continue
        known, values = original.frame[column.name], holdout.frame[column.name]
        if known.dtype == pl.String and values.dtype != pl.String:
            columns.append(align.as_text(values))
        else:
            columns.append(align.harmonise(known, values, column)[1])
    return Dataset(pl.DataFrame(columns), original.schema, holdout.name, holdout.digest)

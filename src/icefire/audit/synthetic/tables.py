"""The tables of a synthetic audit: original, release, hold-out and background, each column with one type in all."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from icefire.audit.adapter import ReleaseFiles
from icefire.audit.tables import open_table
from icefire.core import align, date_texts
from icefire.core.dataset import Dataset, kinds
from icefire.core.errors import InputError, SchemaError, listing
from icefire.core.mixed_distances import Scales, column_scales
from icefire.core.schema import Column, Kind, Role, Schema
from icefire.io.tables import read_frame


@dataclass(frozen=True, slots=True)
class SyntheticTables:
    """The tables, those that are compared reduced to the columns that all of them have."""

    original: Dataset
    released: Dataset
    holdout: Dataset | None
    background: Dataset | None
    published: pl.DataFrame
    """The released table with every column it has."""
    original_as_read: Dataset
    scales: Scales
    """What differences of numbers are divided by: interquartile ranges of the original."""
    recipe: dict[str, Any]

    @property
    def compared(self) -> list[str]:
        """Columns that all tables have, identifiers excepted."""
        return self.original.frame.columns

    @property
    def not_released(self) -> list[str]:
        """Columns of the original that the release does not have, identifiers excepted."""
        hidden = self.original_as_read.schema.named(Role.ID)
        names = self.original_as_read.frame.columns
        return [name for name in names if name not in hidden and name not in self.published.columns]

    def with_release(self, original: Dataset, released: Dataset, holdout: Dataset) -> SyntheticTables:
        """Return another original, release and hold-out over the same columns."""
        return replace(self, original=original, released=released, holdout=holdout)

    def with_background(self, background: Dataset) -> SyntheticTables:
        """Return the same tables with another background."""
        return replace(self, background=background)


def load_tables(original: Dataset, released: ReleaseFiles, holdout: Any, background: Any) -> SyntheticTables:
    """Open the release and the control tables, and bring all to the same columns and types.

    Args:
        original: The original, as it was read.
        released: The release as the user names it.
        holdout: People who are not in the data: a file, a table or None.
        background: Other people of the same population: a file, a table or None.

    Raises:
        InputError: If a table cannot be read or has too few rows.
        SchemaError: If tables have no column in common, or a control table lacks one.
    """
    opened = open_table(released, original)
    align.check_rows(original.frame, original.name)
    align.check_rows(opened.frame, opened.name)
    hidden = original.schema.named(Role.ID)
    shared = [n for n in original.frame.columns if n in opened.frame.columns and n not in hidden]
    if not shared:
        raise SchemaError(
            f"{opened.name!r} and the original have no column in common; "
            f"the original has {listing(original.frame.columns)}, the release {listing(opened.frame.columns)}"
        )
    frames = {"original": original.frame, "released": opened.frame}
    names = {"original": original.name, "released": opened.name}
    for role, source in (("hold-out", holdout), ("background", background)):
        if source is not None:
            names[role], frames[role] = _control(role, source, shared, original, released)
    common = _with_one_type(frames, shared, original.schema)
    schema = _schema(original.schema, common["original"])
    datasets = {role: Dataset(frame, schema, names[role]) for role, frame in common.items()}
    datasets["original"] = replace(datasets["original"], digest=original.digest)
    datasets["released"] = replace(datasets["released"], digest=opened.digest)
    return SyntheticTables(
        original=datasets["original"],
        released=datasets["released"],
        holdout=datasets.get("hold-out"),
        background=datasets.get("background"),
        published=opened.frame,
        original_as_read=original,
        scales=column_scales(common["original"], shared),
        recipe=opened.recipe,
    )


def _control(
    role: str, source: Any, shared: list[str], original: Dataset, released: ReleaseFiles
) -> tuple[str, pl.DataFrame]:
    """Read a control table, and refuse one that lacks a column that is compared."""
    name = role
    if isinstance(source, Dataset):
        frame, name = source.frame, source.name
    else:
        frame = read_frame(source, released.how, original.expected)
        if isinstance(source, str | os.PathLike):
            name = Path(source).name
    if not frame.height:
        raise InputError(f"the {role} {name!r} has no rows; give people of the same population, or leave it out")
    lacking = [column for column in shared if column not in frame.columns]
    if len(lacking) == len(shared):
        raise SchemaError(
            f"the {role} {name!r} has no column in common with the original and the release; it has "
            f"{listing(frame.columns)}, they have {listing(shared)}: check the file and its header"
        )
    if lacking:
        raise SchemaError(
            f"the {role} {name!r} lacks {listing(lacking)}, which the original and the release have; "
            f"give a {role} with the same columns"
        )
    return name, frame


def _with_one_type(frames: dict[str, pl.DataFrame], columns: list[str], schema: Schema) -> dict[str, pl.DataFrame]:
    known = {column.name: column for column in schema.columns}
    typed = {role: {} for role in frames}  # type: dict[str, dict[str, pl.Series]]
    for name in columns:
        for role, series in _column_with_one_type(frames, known[name]).items():
            typed[role][name] = series
    return {role: pl.DataFrame(series) for role, series in typed.items()}


def _column_with_one_type(frames: dict[str, pl.DataFrame], column: Column) -> dict[str, pl.Series]:
    """Return a column of all tables as numbers where it is one everywhere, else as text written alike."""
    original, _ = date_texts.same_writing(frames["original"][column.name], frames["released"][column.name])
    pairs = {role: align.harmonise(original, frame[column.name], column) for role, frame in frames.items()}
    sides = {role: other for role, (_, other) in pairs.items()}
    numeric = all(one.dtype.is_numeric() and other.dtype.is_numeric() for one, other in pairs.values())
    if numeric and column.kind is Kind.NUMBER:
        for role, series in sides.items():
            if series.null_count() < len(series):
                align.check_values(series, role)
        return {role: series.cast(pl.Float64) for role, series in sides.items()}
    return {role: align.as_text(series).cast(pl.String) for role, series in sides.items()}


def _schema(schema: Schema, frame: pl.DataFrame) -> Schema:
    """Return the roles of the compared columns, with the kinds they have now."""
    seen = kinds(frame)
    columns = (Column(c.name, c.role, seen[c.name]) for c in schema.columns if c.name in seen)
    return Schema(tuple(columns), schema.origin)

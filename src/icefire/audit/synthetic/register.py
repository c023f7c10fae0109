"""A register and a synthetic release: who of the people in the register was in the data?

The register's own strangers are the people outside. They are known as well as its other people, so neither a hold-out
nor a release made anew is needed for this attacker.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from icefire.audit.attributes.targets import known_part
from icefire.audit.knowledge.register import RegisterSource, read_register
from icefire.audit.synthetic.controls import without_overlap
from icefire.audit.synthetic.known_people import PeopleAsKnown
from icefire.audit.synthetic.tables import SyntheticTables
from icefire.core import align
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError, ParameterError, SchemaError, listing
from icefire.core.release import NO_ANSWER, Truth
from icefire.core.schema import Column, Kind
from icefire.core.views import View


def known_by_register(source: RegisterSource, tables: SyntheticTables) -> PeopleAsKnown:
    """Return what the holder of a register knows.

    Args:
        source: The register.
        tables: The tables compared.

    Raises:
        ParameterError: If it names rows of the release, which are nobody's.
        SchemaError: If it has no column in common with the release.
        InputError: If it cannot be read, or everybody in it is in the data, or nobody.
    """
    source.check()
    if source.rows_of == "released":
        raise ParameterError(
            "--register-of released names rows of the release, but the rows of a synthetic release come from nobody; "
            "name rows of the original"
        )
    frame, people = read_register(source, tables.original_as_read, Truth(np.arange(0)))
    name = Path(source.table).name if isinstance(source.table, str | os.PathLike) else "register"
    known = _as_compared(frame, tables, name)
    inside, outside = (np.flatnonzero(chosen) for chosen in (people != NO_ANSWER, people == NO_ANSWER))
    if not len(inside) or not len(outside):
        who = "strangers (-1), so nobody" if not len(inside) else "people of the original, so everybody"
        needed = "people of the original" if not len(inside) else "people who were not, with -1"
        raise InputError(
            f"the register {name!r} holds only {who} in it was in the data; which of them were is what is asked "
            f"with --synthetic: add {needed}, or leave the register out"
        )
    columns = tuple(known.frame.columns)
    strangers = replace(known.take(outside), name=name)
    _, counted = without_overlap("list of strangers in the register", strangers, known_part(tables.original, columns))
    if counted.overlap:
        rows = listing(str(outside[row]) for row in counted.overlapping_rows)
        raise InputError(
            f"{counted.overlap:,} strangers of the register {name!r} have the values of people in the original, more "
            f"than by coincidence (rows {rows}); say who they are, or take them out"
        )
    return PeopleAsKnown(
        source.name,
        source.holds(len(people), columns),
        View(known.take(inside), people[inside], tables.original.height),
        strangers,
        None if tables.background is None else known_part(tables.background, columns),
        {},
        holds_register=True,
        strangers=len(outside),
    )


def register_in_original(known: PeopleAsKnown, tables: SyntheticTables) -> View[Dataset]:
    """Return the people of a register with the values that they have in the original.

    Hidden values are asked with these: people of the hold-out are known as they are, and would be known better than
    those inside if the register had errors.
    """
    part = known_part(tables.original, tuple(known.columns))
    return View(part.take(known.inside.people), known.inside.people, tables.original.height)


def _as_compared(frame: pl.DataFrame, tables: SyntheticTables, name: str) -> Dataset:
    """Return the columns of a register that are compared, with the types they have in the other tables."""
    common = [column for column in tables.original.schema.columns if column.name in frame.columns]
    if not common:
        raise SchemaError(
            f"the register {name!r} has no column in common with the release; its columns are "
            f"{listing(frame.columns)}, those compared {listing(tables.compared)}: rename its columns"
        )
    part = known_part(tables.original, tuple(column.name for column in common))
    return part.with_frame(pl.DataFrame([_values(frame[column.name], tables, column, name) for column in common]))


def _values(values: pl.Series, tables: SyntheticTables, column: Column, name: str) -> pl.Series:
    as_read = tables.original_as_read.schema[column.name]
    known, held = align.harmonise(tables.original_as_read.frame[column.name], values, as_read)
    if tables.original.frame[column.name].dtype != pl.Float64 or column.kind is not Kind.NUMBER:
        return align.as_text(held).cast(pl.String)
    if not (known.dtype.is_numeric() and held.dtype.is_numeric()):
        raise SchemaError(
            f"column {column.name!r} holds numbers in the original, but the register {name!r} has text in it; "
            "write its numbers, or rename the column"
        )
    align.check_values(held, name)
    return held.cast(pl.Float64)

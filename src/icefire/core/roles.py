"""Choose the roles of columns: as given, from a file, or inferred from the values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from icefire.core import schema
from icefire.core.dataset import kinds
from icefire.core.schema import Role, Schema

CODE_SPAN = 150
"""Whole numbers that span no more than this are codes, counts or ages; wider ones are amounts."""


def choose(
    frame: pl.DataFrame,
    qi: Sequence[str] | None = None,
    sa: Sequence[str] | None = None,
    ids: Sequence[str] = (),
    file: str | Path | None = None,
) -> Schema:
    """Take the roles given by name or by file; with neither, infer them."""
    if file is not None:
        return schema.from_file(schema.load_schema_file(file), kinds(frame))
    if qi is not None or sa is not None:
        return schema.assign(kinds(frame), qi or (), sa or (), ids)
    return infer(frame, ids)


def infer(frame: pl.DataFrame, ids: Sequence[str] = ()) -> Schema:
    """Guess: amounts are sensitive, everything else that repeats is a quasi-identifier, the rest identifies."""
    roles = {name: Role.ID if name in ids else _guess(frame[name]) for name in frame.columns}
    named = {role: [n for n, r in roles.items() if r is role] for role in Role}
    return schema.assign(kinds(frame), named[Role.QI], named[Role.SA], named[Role.ID], origin="inferred")


def _guess(column: pl.Series) -> Role:
    distinct = column.drop_nulls().n_unique()
    if distinct == 0:
        return Role.OTHER
    if column.dtype.is_float():
        return Role.SA
    if distinct == len(column) > CODE_SPAN and (not column.dtype.is_integer() or _counts_up(column)):
        return Role.ID
    if column.dtype.is_integer() and int(column.max()) - int(column.min()) > CODE_SPAN:  # type: ignore[arg-type]
        return Role.SA
    return Role.QI


def _counts_up(column: pl.Series) -> bool:
    """Tell a running number from an amount: distinct whole numbers without wide gaps."""
    return int(column.max()) - int(column.min()) < 2 * len(column)  # type: ignore[arg-type]

"""A register: another table of people that an attacker holds, with who they are in the original."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from icefire.audit.correspondence import LoadedRelease, as_truth
from icefire.core import align
from icefire.core.dataset import Dataset, kinds
from icefire.core.errors import InputError, ParameterError, SchemaError, did_you_mean, listing
from icefire.core.formatting import counted
from icefire.core.release import NO_ANSWER, Truth
from icefire.core.schema import Column, Role, Schema
from icefire.core.views import View
from icefire.io.format import Format
from icefire.io.tables import read_frame
from icefire.kernels.types import Int

RegisterOf = Literal["original", "released"]


@dataclass(frozen=True, slots=True)
class RegisterSource:
    """A register as the user names it."""

    table: Any
    truth: Any = None
    """For each row of the register the row it is, -1 for a stranger: a file or whole numbers."""
    key: str | None = None
    """Column that names the person in the register and in the original; other names are strangers."""
    rows_of: RegisterOf = "original"
    """Of which table the rows in `truth` are."""
    how: Format | None = None
    name: str = "register"
    """What its holder is called."""
    words: str = ""
    """What is known, completing "an attacker who knows …"; empty for the number of people and the columns."""

    def check(self) -> None:
        """Refuse a register of which nobody says who is who, or two ways say it."""
        if (self.truth is None) == (self.key is None):
            raise ParameterError(
                "who is who in the register is " + ("not known" if self.key is None else "said twice") + "; pass "
                "either --register-truth FILE (for each row the original row, -1 for a stranger) or "
                "--register-key COLUMN, in a TOML file register_truth or register_key"
            )

    def holds(self, people: int, columns: Sequence[str]) -> str:
        """Say what the holder of the register knows."""
        return self.words or f"a register of {counted(people, 'person', 'people')} with {', '.join(columns)}"


def view_of_register(
    release: LoadedRelease[Dataset], source: RegisterSource, truth: Truth
) -> tuple[View[Dataset], Dataset]:
    """Read a register and lay it out like the release.

    Args:
        release: The release, and the original laid out like it.
        source: The register.
        truth: Which original row each released row comes from.

    Returns:
        The people of the register, and the release with values that compare with theirs.

    Raises:
        SchemaError: If the register has no column in common with the release, or lacks the key.
        InputError: If it cannot be read, or says of the wrong rows, or of one person twice, who they are.
    """
    source.check()
    original = release.original_as_read
    name = Path(source.table).name if isinstance(source.table, str | os.PathLike) else "register"
    frame, people = read_register(source, original, truth)
    known = _with_roles(frame, original, release.published.columns, name)
    aligned, shown = align.match(known, release.published, more_rows=True)
    return View(aligned, people, original.height), release.released.with_frame(
        release.released.frame.with_columns(shown.frame.get_columns())
    )


def read_register(source: RegisterSource, original: Dataset, truth: Truth) -> tuple[pl.DataFrame, Int]:
    """Read a register, and of everybody in it the original row, -1 for strangers.

    Args:
        source: The register.
        original: The original, as it was read.
        truth: Which original row each released row comes from; nothing where nobody asks for released rows.

    Raises:
        SchemaError: If the key is not there.
        InputError: If it cannot be read, or says of the wrong rows, or of one person twice, who they are.
    """
    frame = read_frame(source.table, source.how, original.expected)
    return frame, _people(frame, original, source, truth)


def _with_roles(frame: pl.DataFrame, original: Dataset, published: list[str], name: str) -> Dataset:
    """Keep the columns in common with the original and the release, with the roles they have in the original."""
    common = [
        column
        for column in original.schema.columns
        if column.name in frame.columns and column.name in published and column.role is not Role.ID
    ]
    if not common:
        compared = [c.name for c in original.schema.columns if c.name in published and c.role is not Role.ID]
        raise SchemaError(
            f"the register {name!r} has no column in common with the release; its columns are "
            f"{listing(frame.columns)}, those compared {listing(compared)}: rename its columns"
        )
    schema = Schema(tuple(common), original.schema.origin)
    typed = align.with_declared_kinds(frame.select(schema.names), schema, name)
    seen = kinds(typed)
    columns = tuple(Column(column.name, column.role, seen[column.name]) for column in common)
    return Dataset(typed, Schema(columns, original.schema.origin), name)


def _people(frame: pl.DataFrame, original: Dataset, source: RegisterSource, truth: Truth) -> Int:
    """Return the original row of everybody in the register, -1 for strangers."""
    if source.key is not None:
        people = _people_by_key(frame, original, source.key)
    else:
        rows = as_truth(source.truth).rows
        last = original.height if source.rows_of == "original" else len(truth)
        _check_rows(rows, frame.height, last, source.rows_of)
        people = rows if source.rows_of == "original" else np.append(truth.rows, NO_ANSWER)[rows]
    named, counts = np.unique(people[people != NO_ANSWER], return_counts=True)
    if (counts > 1).any():
        person = int(named[counts > 1][0])
        first, second = np.flatnonzero(people == person)[:2].tolist()
        raise InputError(
            f"rows {first} and {second} of the register are both said to be original row {person}; "
            "a register has one row for a person: remove the other, or call it a stranger (-1)"
        )
    return people


def _check_rows(rows: Int, height: int, last: int, rows_of: RegisterOf) -> None:
    if len(rows) != height:
        raise InputError(
            f"--register-truth has {len(rows):,} rows, the register {height:,}; give one row for each, -1 for strangers"
        )
    wrong = np.flatnonzero((rows < NO_ANSWER) | (rows >= last))
    if len(wrong):
        table = "original" if rows_of == "original" else "release"
        raise InputError(
            f"--register-truth is out of range: row {wrong[0]} holds {rows[wrong[0]]}; allowed are the rows of the "
            f"{table}, 0 to {last - 1} (counted from 0), and -1 for a stranger"
        )


def _people_by_key(frame: pl.DataFrame, original: Dataset, key: str) -> Int:
    for table, columns in (("register", frame.columns), ("original table", original.frame.columns)):
        if key not in columns:
            raise SchemaError(f"--register-key: no column {key!r} in the {table}; its columns are {listing(columns)}")
    held, known = align.comparable_text(frame[key], original.frame[key])
    repeated = known.drop_nulls().is_duplicated().arg_true()
    if len(repeated):
        raise InputError(
            f"--register-key: {known.drop_nulls()[repeated[0]]!r} occurs more than once in {key!r} of the original; "
            "a key names one person"
        )
    rows = pl.DataFrame({"key": known, "row": np.arange(len(known))})
    place = pl.DataFrame({"key": held}).join(rows, on="key", how="left", maintain_order="left")["row"]
    return place.fill_null(NO_ANSWER).to_numpy().astype(np.int64)


def register_source(table: Any, truth: Any, key: str | None, rows_of: RegisterOf, how: Any) -> RegisterSource | None:
    """Return the register named, checked; None without one."""
    if rows_of not in ("original", "released"):
        raise ParameterError(f"register_of is {rows_of!r}; {did_you_mean(str(rows_of), ('original', 'released'))}")
    if table is None:
        if truth is not None or key is not None:
            raise ParameterError("--register-truth and --register-key say who is who in --register FILE; name the file")
        return None
    source = RegisterSource(table, truth, key, rows_of, how)
    source.check()
    return source

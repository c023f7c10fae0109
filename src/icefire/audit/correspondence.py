"""Which original row each released row comes from: by a truth file, by order, or by a key in both files."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from icefire.core import align
from icefire.core.errors import InputError, ParameterError
from icefire.core.release import Release, Truth
from icefire.io import files, folder
from icefire.io.files import Format


@dataclass(frozen=True, slots=True)
class Opened:
    """A released table as it was given, with what came along."""

    frame: pl.DataFrame
    name: str = "released"
    digest: str = ""
    truth: Truth | Path | None = None
    recipe: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Named:
    """What the user said about how the release corresponds to the original."""

    truth: Any = None
    aligned: bool = False
    key: str | None = None

    def check(self) -> None:
        """Refuse two ways at once."""
        ways = {"--truth": self.truth is not None, "--aligned": self.aligned, "--key": self.key is not None}
        given = [option for option, there in ways.items() if there]
        if len(given) > 1:
            raise ParameterError(f"{' and '.join(given)} both say who is who; give only one of them")


def open_release(source: Any, how: Format | None = None) -> Opened:
    """Open a released file, a release folder, a frame or a `Release`. A truth beside it is not read."""
    if isinstance(source, Release):
        return Opened(source.released.frame, truth=source.truth, recipe=source.recipe)
    if not isinstance(source, str | os.PathLike):
        return Opened(files.read_frame(source, how))
    given = Path(source)
    path = folder.table(given)
    frame = files.read_frame(path, how if path == given else None)
    secret = given / folder.TRUTH if given.is_dir() and (given / folder.TRUTH).exists() else None
    return Opened(frame, path.name, files.digest(path), secret, folder.recipe(given))


def find(original: pl.DataFrame, made: Opened, named: Named) -> Truth:
    """Establish the correspondence in the one way that was named."""
    named.check()
    if named.truth is not None:
        return as_truth(named.truth)
    if named.key is not None:
        return _by_key(original, made.frame, named.key)
    if named.aligned:
        return _by_order(original, made.frame)
    if made.truth is not None:
        return as_truth(made.truth)
    raise ParameterError(
        "how released rows correspond to original ones is not known; pass --truth FILE, --aligned or --key COLUMN"
    )


def describe(made: Opened, named: Named) -> str:
    """Say in words how rows were matched."""
    if named.key is not None:
        return f"by the key column {named.key!r}"
    if named.aligned:
        return "row by row: both files in the same order"
    if named.truth is None and made.truth is not None:
        return "by the truth kept with the release"
    return "by a truth file" if isinstance(named.truth, str | os.PathLike) else "by a truth given"


def as_truth(source: str | Path | ArrayLike | Truth) -> Truth:
    """Take a truth, a file of integers, or integers."""
    if isinstance(source, Truth):
        return source
    if isinstance(source, str | os.PathLike):
        return folder.read_truth(source)
    values = np.asarray(source)
    if values.dtype.kind not in "iu":
        raise InputError(f"the truth holds {values.dtype} values; give whole numbers, one per released row")
    return Truth(values.reshape(-1).astype(np.int64))


def _by_order(original: pl.DataFrame, released: pl.DataFrame) -> Truth:
    if original.height != released.height:
        raise InputError(
            f"--aligned: the original has {original.height:,} rows, the release {released.height:,}; "
            "rows can only be matched by order when there are as many: pass --truth or --key"
        )
    return Truth(np.arange(released.height, dtype=np.int64))


def _by_key(original: pl.DataFrame, released: pl.DataFrame, key: str) -> Truth:
    for table, frame in (("original", original), ("released", released)):
        align.check_key_column(frame, key, table)
        _check_key(frame[key], table)
    known, shown = align.as_text(original[key]), align.as_text(released[key])
    rows = pl.DataFrame({"key": known, "row": np.arange(len(known))})
    found = pl.DataFrame({"key": shown}).join(rows, on="key", how="left", maintain_order="left")["row"]
    lost = found.is_null().arg_true()
    if len(lost):
        raise InputError(
            f"--key: {shown[lost[0]]!r} in row {lost[0]} of the release is no {key!r} of the original; "
            "every released key must occur there"
        )
    return Truth(found.to_numpy().astype(np.int64))


def _check_key(column: pl.Series, table: str) -> None:
    if column.null_count():
        raise InputError(
            f"--key: {column.name!r} of the {table} table is missing in row {column.is_null().arg_true()[0]}; fill it"
        )
    repeated = column.is_duplicated().arg_true()
    if len(repeated):
        raise InputError(
            f"--key: {column[repeated[0]]!r} occurs more than once in {column.name!r} of the {table} table; "
            "a key names one row"
        )

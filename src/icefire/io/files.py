"""Files that are read: checked, their digests, files of whole numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from icefire.core.errors import InputError
from icefire.kernels.types import Float, Int


def check_readable(path: Path) -> None:
    """Refuse a path that is no file, or an empty one."""
    if not path.exists():
        raise InputError(f"file {str(path)!r} does not exist; check the path")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give a file inside it")
    if path.stat().st_size == 0:
        raise InputError(f"file {str(path)!r} is empty; give a table with a header and at least two rows")


def digest(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_integers(path: Path, what: str) -> Int:
    """Read a header-less file of integers, one row per target, as a matrix; `what` names it in errors."""
    cells = _cells(path)
    numbers = cells.select(pl.all().cast(pl.Int64, strict=False))
    for name in cells.columns:
        wrong = numbers[name].is_null().arg_true()
        if len(wrong):
            row, value = wrong[0], cells[name][wrong[0]]
            raise InputError(
                f"{what} {str(path)!r}: row {row} holds {value!r}; each row is whole numbers (-1 = none), no header"
            )
    return np.ascontiguousarray(numbers.to_numpy())


def read_scores(path: Path) -> Float:
    """Read a header-less file of one number per row; NaN is read as such, for whoever checks the numbers."""
    cells = _cells(path)
    if cells.width > 1:
        raise InputError(f"scores {str(path)!r}: row 0 has {cells.width} cells; each row is one number, no header")
    column = cells.to_series()
    numbers = column.cast(pl.Float64, strict=False)
    wrong = numbers.is_null().arg_true()
    if len(wrong):
        raise InputError(
            f"scores {str(path)!r}: row {wrong[0]} holds {column[wrong[0]]!r}; each row is one number, no header"
        )
    return numbers.to_numpy()


def _cells(path: Path) -> pl.DataFrame:
    """Read a header-less file as texts without blanks around them."""
    check_readable(path)
    try:
        return pl.read_csv(path, has_header=False, infer_schema=False).select(pl.all().str.strip_chars())
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"file {str(path)!r} cannot be read as a table: {reason}; check its format") from None


def write_integers(rows: Int, path: Path) -> None:
    """Write a vector or matrix of integers without a header."""
    columns: Sequence[Int] = [rows] if rows.ndim == 1 else list(rows.T)
    pl.DataFrame({str(i): column for i, column in enumerate(columns)}).write_csv(path, include_header=False)

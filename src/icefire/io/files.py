"""Read tables from files and other libraries; write tables."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from icefire.core import align, codes
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError, listing
from icefire.kernels.types import Int

DELIMITERS = ",;\t|"
HEAD_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Format:
    """How to read a text table."""

    header: bool = True
    columns: tuple[str, ...] | None = None
    delimiter: str | None = None
    missing: tuple[str, ...] = ()


def read_frame(source: Any, how: Format | None = None, text: Collection[str] = ()) -> pl.DataFrame:
    """Read a path (CSV, gzipped CSV, Parquet, Arrow IPC) or take a frame (polars, pandas, Arrow).

    Columns of digits that are names (leading zeros, at least 15 digits) stay text, and so do the columns in `text`
    as far as the file writes them as text.
    """
    how = how or Format()
    frame = _read_path(Path(source), how, text) if isinstance(source, str | os.PathLike) else _taken(source)
    _check_types(frame)
    frame = frame.with_columns(pl.col(pl.Duration).dt.total_microseconds() / 1e6)
    return frame.with_columns(align.as_text(column) for column in frame if codes.holds_long_codes(column))


def _check_types(frame: pl.DataFrame) -> None:
    for name, dtype in frame.schema.items():
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
            raise InputError(
                f"column {name!r} holds values of type {dtype}; a cell is one number, text, date or truth value: "
                "split the column or leave it out"
            )


def _taken(source: Any) -> pl.DataFrame:
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if isinstance(source, pl.DataFrame):
        return source
    if isinstance(source, Dataset):
        return source.frame
    try:
        is_pandas = type(source).__module__.partition(".")[0] == "pandas"
        return pl.from_pandas(source) if is_pandas else pl.DataFrame(source)
    except Exception as error:
        raise InputError(
            f"cannot read a table from {type(source).__name__} ({_first_line(error)}); "
            "give a path, or a polars, pandas or Arrow table whose columns each hold values of one type"
        ) from None


def _read_path(path: Path, how: Format, text: Collection[str]) -> pl.DataFrame:
    check_readable(path)
    suffix = path.suffix.lower()
    with _readable(path):
        if suffix in (".parquet", ".pq"):
            return _named(pl.read_parquet(path), how)
        if suffix in (".arrow", ".ipc", ".feather"):
            return _named(pl.read_ipc(path), how)
        return _read_text(path, how, text)


def check_readable(path: Path) -> None:
    """Refuse a path that is no file, or an empty one."""
    if not path.exists():
        raise InputError(f"file {str(path)!r} does not exist; check the path")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give a file inside it")
    if path.stat().st_size == 0:
        raise InputError(f"file {str(path)!r} is empty; give a table with a header and at least two rows")


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn whatever a reader says about a broken file into one line."""
    try:
        yield
    except (OSError, EOFError, pl.exceptions.PolarsError) as error:
        reason = _first_line(error)
        raise InputError(f"file {str(path)!r} cannot be read as a table: {reason}; check its format") from None


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _named(frame: pl.DataFrame, how: Format) -> pl.DataFrame:
    return frame if how.columns is None else frame.rename(dict(zip(frame.columns, how.columns, strict=True)))


def _read_text(path: Path, how: Format, text: Collection[str]) -> pl.DataFrame:
    head = _head(path)
    delimiter = how.delimiter or _sniff(head)
    first = next(csv.reader(io.StringIO(head), delimiter=delimiter), [])
    names = _column_names(path, first, how)
    options: dict[str, Any] = {
        "separator": delimiter,
        "has_header": how.header,
        "new_columns": names,
        "null_values": list(how.missing) or None,
    }
    frame = _read_typed(path, options)
    numeric = {name: dtype for name, dtype in frame.schema.items() if dtype.is_numeric()}
    cells = pl.scan_csv(path, infer_schema=False, **options)
    names = [name for name in numeric if name in text]
    names += _columns_of_codes(cells, {name: dtype for name, dtype in numeric.items() if name not in text})
    return frame.with_columns(cells.select(names).collect()) if names else frame


def _read_typed(path: Path, options: dict[str, Any]) -> pl.DataFrame:
    """Read a text file with a type for each column: by its first rows if they tell, otherwise by all."""
    for rows in (10_000, None):
        try:
            return pl.read_csv(path, infer_schema_length=rows, **options)
        except pl.exceptions.ComputeError:
            continue
    # Digits too long for any type of number; what else is wrong with the file this attempt says.
    return pl.DataFrame([_typed(column) for column in pl.read_csv(path, infer_schema=False, **options)])


def _typed(column: pl.Series) -> pl.Series:
    """Return a column of text as numbers, if all of it are numbers and none a long code."""
    if column.str.contains(codes.LONG_CODE).any():
        return column
    for dtype in (pl.Int64, pl.Float64):
        read = column.cast(dtype, strict=False)
        if read.null_count() == column.null_count():
            return read
    return column


def _columns_of_codes(cells: pl.LazyFrame, numeric: dict[str, pl.DataType]) -> list[str]:
    """Name the columns that read as numbers but hold codes, which only their cells as text tell."""
    if not numeric:
        return []
    holds = cells.select(codes.holds_codes(name, dtype) for name, dtype in numeric.items())
    return [name for name, holds_codes in holds.collect(engine="streaming").row(0, named=True).items() if holds_codes]


def _head(path: Path) -> str:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    opener: Any = gzip.open if packed else open
    with opener(path, "rb") as file:
        head: bytes = file.read(HEAD_BYTES)
    if b"\x00" in head:
        raise InputError(f"file {str(path)!r} is not text; CSV must be UTF-8, other tables end in .parquet or .arrow")
    try:
        # The cut may fall inside a character: only errors before the last few bytes count.
        text = head[:-4].decode("utf-8-sig") + head[-4:].decode("utf-8", errors="ignore")
    except UnicodeDecodeError as error:
        raise InputError(
            f"file {str(path)!r} is not UTF-8 (byte {error.start}); save it as UTF-8 and try again"
        ) from None
    return text


def _sniff(head: str) -> str:
    """Take the delimiter that cuts the first line into most fields."""
    line = head.partition("\n")[0]
    return max(DELIMITERS, key=lambda d: len(next(csv.reader([line], delimiter=d), [])))


def _column_names(path: Path, first: list[str], how: Format) -> list[str]:
    names = list(how.columns) if how.columns else ([] if how.header else [f"c{i}" for i in range(len(first))])
    names = names or [name.strip() for name in first]
    if len(names) != len(first):
        raise InputError(
            f"{str(path)!r} has {len(first)} columns but --columns names {len(names)} ({listing(names)}); name each one"
        )
    for place, name in enumerate(names, 1):
        if not name:
            raise InputError(f"{str(path)!r}: column {place} has no name; name it in the header")
        if names.count(name) > 1:
            raise InputError(
                f"{str(path)!r} has two columns named {name!r}; column names must differ: rename one of them"
            )
    return names


def digest(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_integers(path: Path, what: str) -> Int:
    """Read a header-less file of integers, one row per target, as a matrix; `what` names it in errors."""
    check_readable(path)
    with _readable(path):
        cells = pl.read_csv(path, has_header=False, infer_schema=False).select(pl.all().str.strip_chars())
    numbers = cells.select(pl.all().cast(pl.Int64, strict=False))
    for name in cells.columns:
        wrong = numbers[name].is_null().arg_true()
        if len(wrong):
            row, value = wrong[0], cells[name][wrong[0]]
            raise InputError(
                f"{what} {str(path)!r}: row {row} holds {value!r}; each row is whole numbers (-1 = none), no header"
            )
    return np.ascontiguousarray(numbers.to_numpy())


def write_frame(frame: pl.DataFrame, path: Path) -> None:
    """Write a table by the ending of its name: .parquet, .arrow, or CSV."""
    if path.suffix.lower() in (".parquet", ".pq"):
        frame.write_parquet(path)
    elif path.suffix.lower() in (".arrow", ".ipc", ".feather"):
        frame.write_ipc(path)
    else:
        frame.write_csv(path)


def write_integers(rows: Int, path: Path) -> None:
    """Write a vector or matrix of integers without a header."""
    columns: Sequence[Int] = [rows] if rows.ndim == 1 else list(rows.T)
    pl.DataFrame({str(i): column for i, column in enumerate(columns)}).write_csv(path, include_header=False)

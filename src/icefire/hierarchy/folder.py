"""Hierarchies on disk: ARX-style CSV files, and the one that belongs to a column."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from icefire.core.errors import InputError, listing, nearest
from icefire.hierarchy.core import Hierarchy, build
from icefire.io.format import DELIMITERS

HEAD_LINES = 20


def read(path: str | Path, name: str | None = None) -> Hierarchy:
    """Read one line per value: value;level1;level2;…, no header, any usual delimiter. An empty value is missing."""
    file = Path(path)
    text = _text(file)
    lines = [(number, row) for number, row in enumerate(_split(text), 1) if any(cell.strip() for cell in row)]
    if not lines:
        raise InputError(f"hierarchy {str(file)!r} is empty; write one line per value: value;level1;level2;…")
    levels = len(lines[0][1])
    if levels < 2:
        raise InputError(
            f"hierarchy {str(file)!r} has one column; write value;level1;… with one of {' '.join(';,|')} or tab between"
        )
    for number, row in lines:
        _check_row(file, number, row, levels)
    columns = [pl.Series([row[level] or None for _, row in lines], dtype=pl.String) for level in range(levels)]
    return build(name or file.stem, columns, f"read from {file.name}")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"hierarchy {str(file)!r} is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        raise InputError(f"hierarchy {str(file)!r} cannot be read ({error.strerror}); check the path") from None


def _split(text: str) -> list[list[str]]:
    """Cut into cells at the delimiter that gives the first lines most cells, all of them the same number."""
    head = text.splitlines()[:HEAD_LINES]

    def fitness(delimiter: str) -> tuple[bool, int]:
        widths = [len(row) for row in csv.reader(head, delimiter=delimiter) if row]
        return len(set(widths)) == 1 and widths[0] > 1, max(widths, default=0)

    best = max(DELIMITERS, key=fitness)
    return list(csv.reader(io.StringIO(text), delimiter=best))


def _check_row(file: Path, number: int, row: list[str], levels: int) -> None:
    if len(row) != levels:
        raise InputError(
            f"hierarchy {str(file)!r} is ragged: line {number} has {len(row)} cells, the first has {levels} "
            f"(the value and {levels - 1} levels); give every value as many"
        )
    empty = [level for level, cell in enumerate(row) if not cell]
    if row[0] and empty:
        raise InputError(
            f"hierarchy {str(file)!r}: line {number} (value {row[0]!r}) is empty at level {empty[0]}; "
            "write what the value becomes there"
        )


def find_file(folder: str | Path, column: str) -> Path:
    """Return the file for a column: the one whose name ends in COLUMN.csv.

    Of several, the one named COLUMN.csv, or else the one that ends in _COLUMN.csv.
    """
    place = Path(folder)
    if not place.is_dir():
        problem = "is a file" if place.exists() else "does not exist"
        raise InputError(f"hierarchies: folder {str(place)!r} {problem}; give a folder with one CSV file per column")
    names = sorted(path.name for path in place.iterdir() if path.is_file())
    wanted = f"{column}.csv"
    ending = [name for name in names if name.endswith(wanted)]
    exact, apart = [n for n in ending if n == wanted], [n for n in ending if n.endswith(f"_{wanted}")]
    files = exact or apart or ending
    if len(files) > 1:
        raise InputError(
            f"hierarchies: {listing(files)} in {str(place)!r} all end in {wanted!r}; rename the one for {column!r} to "
            f"{wanted!r}"
        )
    if files:
        return place / files[0]
    raise InputError(_no_file(place, column, [name for name in names if name.lower().endswith(".csv")]))


def _no_file(place: Path, column: str, names: list[str]) -> str:
    said = f"hierarchies: no file in {str(place)!r} has a name that ends in '{column}.csv' for column {column!r}"
    tails = {name[:-4].rpartition("_")[2]: name for name in names} | {name[:-4]: name for name in names}
    close = nearest(column, tails)
    if close:
        return f"{said}; the nearest is {tails[close]!r}: rename it, or add a file"
    return f"{said}; there are: {listing(names) if names else 'no CSV files'}; add a file, or leave the column out"


def read_folder(folder: str | Path, columns: Iterable[str]) -> dict[str, Hierarchy]:
    """Read the hierarchy of every column."""
    paths = {column: find_file(folder, column) for column in columns}
    return {column: read(path, column) for column, path in paths.items()}

"""A truth given as a table of two columns: the name of a person in the original and in the release."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from icefire.core import align
from icefire.core.errors import InputError, listing
from icefire.core.history.history import positions
from icefire.core.release import Truth
from icefire.io import files
from icefire.io.tables import read_source
from icefire.kernels.types import Int


def read_name_pairs(source: Any) -> pl.DataFrame | None:
    """Return the pairs of names that a file, a table or a dictionary holds; None if it is a truth of another form."""
    if isinstance(source, Mapping):
        return pl.DataFrame({"original": _texts(source.keys()), "released": _texts(source.values())})
    if isinstance(source, str | os.PathLike):
        return _read_file(Path(source))
    return _as_text(source) if hasattr(source, "columns") else None


def subjects_of_pairs(pairs: pl.DataFrame, original: pl.Series, released: pl.Series) -> Truth:
    """Return the original subject of each released one; which column is which is told by the names in it."""
    first, second = pairs.columns
    originals, shown = align.as_text(original), align.as_text(released)
    if _all_known(pairs[first], shown) and not _all_known(pairs[first], originals):
        first, second = second, first
    return _truth(pairs[first], pairs[second], originals, shown)


def rows_of_pairs(pairs: pl.DataFrame, original: pl.DataFrame, released: pl.DataFrame) -> Truth:
    """Return the original row of each released one; the headers of the pairs name the columns that hold the names."""
    first, second = pairs.columns
    if first not in original.columns or second not in released.columns:
        first, second = second, first
    if first not in original.columns or second not in released.columns:
        raise InputError(
            f"--truth holds two columns, {pairs.columns[0]!r} and {pairs.columns[1]!r}; one must be a column of the "
            f"original ({listing(original.columns)}) and one of the release ({listing(released.columns)}), with the "
            "names of the people; or give whole numbers, the original row of each released row, without a header"
        )
    known, shown = align.as_text(original[first]), align.as_text(released[second])
    for table, column in (("original", known), ("released", shown)):
        align.check_key_values(column, table, "--truth")
    return _truth(pairs[first], pairs[second], known, shown)


def _read_file(path: Path) -> pl.DataFrame | None:
    if path.is_dir():
        return None
    files.check_readable(path)
    with path.open(encoding="utf-8", errors="replace") as file:
        cells = [cell.strip() for cell in re.split(r"[,;\t]", file.readline())]
    if len(cells) != 2 or all(cell.lstrip("-").isdigit() for cell in cells):
        return None
    return _as_text(path)


def _as_text(source: Any) -> pl.DataFrame:
    frame = read_source(source).frame
    if frame.width != 2:
        raise InputError(f"--truth has {frame.width} columns; pairs of names are two: in the original, in the release")
    return frame.select(align.as_text(column) for column in frame)


def _truth(originals: pl.Series, released: pl.Series, known: pl.Series, shown: pl.Series) -> Truth:
    _check_pairs(originals, released, known)
    pair = positions(shown, released)
    lost = np.flatnonzero(pair < 0)
    if len(lost):
        raise InputError(
            f"--truth: {shown[int(lost[0])]!r} of the release is in no row of the pairs; every released person needs "
            "one, with an empty cell as its original if it is nobody of the original"
        )
    places = positions(originals.fill_null(""), known)
    rows: Int = places[pair]
    return Truth(rows)


def _check_pairs(originals: pl.Series, released: pl.Series, known: pl.Series) -> None:
    repeated = released.is_duplicated().arg_true()
    if len(repeated):
        raise InputError(
            f"--truth: {released[repeated[0]]!r} stands in more than one pair; name each released person once"
        )
    named = originals.is_not_null() & (originals != "")
    unknown = (named & ~originals.is_in(known.implode())).arg_true()
    if len(unknown):
        raise InputError(
            f"--truth: {originals[unknown[0]]!r} of the pairs is no person of the original; check the names"
        )


def _all_known(names: pl.Series, known: pl.Series) -> bool:
    return bool(names.drop_nulls().is_in(known.implode()).all())


def _texts(values: Any) -> pl.Series:
    return pl.Series([None if value is None else str(value) for value in values], dtype=pl.String)

"""Cells of workbooks that show codes: numbers whose format writes zeros in front, such as 00000 or 000-0000.

The number that is stored, 12, is not what people see, 00012. Formats are read from the parts of the file; only
workbooks that have such a format are searched for its cells.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

import polars as pl

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
PADDED = re.compile(r"0[0 -]*0")
"""Zeros alone, or with signs between them, once backslashes and quotation marks are left out."""


def padded_columns(book: str | Path | bytes, sheet: str, first_row: int) -> dict[int, str]:
    """Return the columns in which every number is shown with zeros in front, and their format.

    Args:
        book: The file or its content; formats other than .xlsx and .xlsm have no such columns.
        sheet: Name of the sheet.
        first_row: First row of values, from 0.
    """
    source = io.BytesIO(book) if isinstance(book, bytes) else book
    if not zipfile.is_zipfile(source):
        return {}
    with zipfile.ZipFile(source) as parts:
        if "xl/styles.xml" not in parts.namelist():
            return {}
        formats = _padded_formats(parts.read("xl/styles.xml"))
        part = _part_of_sheet(parts, sheet) if formats else None
        if part is None:
            return {}
        with parts.open(part) as cells:
            return _columns(cells, formats, first_row)


def _padded_formats(styles: bytes) -> dict[str, str]:
    """Return the styles of cells, by number, that write zeros in front."""
    root = ElementTree.fromstring(styles)
    codes = {one.get("numFmtId"): one.get("formatCode", "") for one in root.iter(f"{MAIN}numFmt")}
    shown = {number: re.sub(r'[\\"]', "", code.partition(";")[0]) for number, code in codes.items()}
    styled = chain.from_iterable(root.iterfind(f"{MAIN}cellXfs"))
    every = {str(place): shown.get(one.get("numFmtId"), "") for place, one in enumerate(styled)}
    return {place: code for place, code in every.items() if PADDED.fullmatch(code)}


def _part_of_sheet(parts: zipfile.ZipFile, sheet: str) -> str | None:
    book = ElementTree.fromstring(parts.read("xl/workbook.xml"))
    wanted = next((one.get(RELATION) for one in book.iter(f"{MAIN}sheet") if one.get("name") == sheet), None)
    for one in ElementTree.fromstring(parts.read("xl/_rels/workbook.xml.rels")):
        if one.get("Id") == wanted:
            target = one.get("Target", "").lstrip("/")
            name = target if target.startswith("xl/") else f"xl/{target}"
            return name if name in parts.namelist() else None
    return None


def _columns(cells: IO[bytes], formats: dict[str, str], first_row: int) -> dict[int, str]:
    seen: dict[int, set[str]] = {}
    for column, row, style in _numbers(cells):
        if row >= first_row:
            seen.setdefault(column, set()).add(formats.get(style, ""))
    return {column: next(iter(codes)) for column, codes in seen.items() if len(codes) == 1 and codes != {""}}


def _numbers(cells: IO[bytes]) -> Iterator[tuple[int, int, str]]:
    """Yield column, row and style of every cell that holds a number."""
    for _, cell in ElementTree.iterparse(cells):
        if cell.tag == f"{MAIN}row":
            cell.clear()
        elif cell.tag == f"{MAIN}c" and cell.get("t", "n") == "n" and cell.find(f"{MAIN}v") is not None:
            place = re.fullmatch(r"([A-Z]+)(\d+)", cell.get("r", ""))
            if place:
                yield _place(place[1]), int(place[2]) - 1, cell.get("s", "0")


def _place(letters: str) -> int:
    """Return the number of a column, from 0: A, B … Z, AA …"""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def as_shown(column: pl.Series, code: str) -> pl.Series:
    """Return whole numbers, none below 0, as the format writes them."""
    digits = code.count("0")
    text = column.cast(pl.String).str.zfill(digits)
    ends = [len(part) for part in re.split("[ -]+", code)]
    signs = re.findall("[ -]+", code)
    # The last groups have their own lengths; the first takes what is left.
    parts = [text.str.head(pl.select(text.str.len_chars().cast(pl.Int64) - sum(ends[1:])).to_series())]
    for place in range(1, len(ends)):
        behind = sum(ends[place + 1 :])
        cut = text.str.tail(ends[place] + behind)
        parts.append(signs[place - 1] + cut.str.head(ends[place]))
    written = parts[0]
    for part in parts[1:]:
        written = written + part
    return written.alias(column.name)

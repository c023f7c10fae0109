"""Text files larger than memory: read block by block, and kept as Parquet files that are read in parts.

Every block is read by the reader of text files. A column is text if it is text in one block; what one block reads as
numbers and another as words is refused, because only the whole column would tell which it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from icefire.core.errors import IcefireError, InputError
from icefire.core.reading import ColumnSource, Expected
from icefire.io.addresses import Place, place_of
from icefire.io.format import DELIMITERS, Format
from icefire.io.scanned_files import ScannedFiles, digest_of
from icefire.io.sources import registry
from icefire.io.tables import ReadTable, read_content
from icefire.io.text_blocks import TextBlock, blocks, format_of_blocks

LEAST_BYTES = 256 << 20
"""Smaller files are read whole."""
BLOCK_BYTES = 64 << 20
SAMPLE_BYTES = 1 << 20
CODES = "digits that are names"
MISSING = "missing in every row"


@dataclass(frozen=True, slots=True)
class LargeTextFiles:
    """Text files of one table that can be read block by block."""

    place: Place
    files: Sequence[Path]
    how: Format

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(path.stat().st_size for path in self.files)

    @property
    def cells(self) -> int:
        """Estimate the cells by the ends of rows and the commonest separator at the beginning."""
        with self.files[0].open("rb") as file:
            content = file.read(SAMPLE_BYTES)
        separators = self.how.delimiter or DELIMITERS
        counted = content.count(b"\n") + max(content.count(sign.encode()) for sign in separators)
        return int(self.size / max(1, len(content)) * counted)

    def blocks(self) -> Iterator[tuple[int, TextBlock]]:
        """Give all blocks with their number."""
        number = 0
        for path in self.files:
            for block in blocks(path, self.how, BLOCK_BYTES):
                yield number, block
                number += 1


def text_files(source: Any, how: Format | None = None) -> LargeTextFiles | None:
    """Return large text files that can be read block by block; None for other sources.

    Args:
        source: What the user named.
        how: How to read it.
    """
    if not isinstance(source, str | os.PathLike) or str(source) == "-":
        return None
    place = Place(os.fspath(source))
    if place.scheme is not None or not (place.is_pattern or place.path.exists()):
        return None
    listed = place.files()
    if sum(path.stat().st_size for path in listed) < LEAST_BYTES:
        return None
    if registry.source_of(place_of(source), how.kind if how else None).name != registry.DEFAULT:
        return None
    formats = {format_of_blocks(path, how or Format()) for path in listed}
    common = formats.pop() if len(formats) == 1 else None
    return None if common is None else LargeTextFiles(place, listed, common)


@dataclass
class _Conversion:
    """The blocks that were written, and what their columns were read as."""

    files: LargeTextFiles
    expected: Expected
    folder: Path
    rows: list[int] = field(default_factory=list)
    readings: list[dict[str, ColumnSource]] = field(default_factory=list)
    schemas: list[dict[str, pl.DataType]] = field(default_factory=list)

    def write(self, number: int, block: TextBlock, text: Sequence[str] = ()) -> None:
        """Read a block and write it as Parquet."""
        read = self._read(number, block, replace(self.expected, text=[*self.expected.text, *text]))
        read.frame.write_parquet(self.path(number), compression="lz4")
        if number == len(self.rows):
            self.rows.append(read.frame.height)
            self.readings.append({})
            self.schemas.append({})
        self.readings[number] = {one.name: one for one in read.reading.columns}
        self.schemas[number] = dict(read.frame.schema)
        if self.schemas[number].keys() != self.schemas[0].keys():
            raise InputError(
                f"the {len(self.files.files):,} files of {self.files.place.shown!r} have different columns; give files "
                "of one table"
            )

    def path(self, number: int) -> Path:
        """Return where a block is kept."""
        return self.folder / f"{number:06d}.parquet"

    def _read(self, number: int, block: TextBlock, expected: Expected) -> ReadTable:
        try:
            return read_content(block.place, block.how, expected)
        except IcefireError as error:
            before = sum(self.rows[:number])
            if not before:
                raise
            raise type(error)(f"in the rows from {before:,} on, counted from there: {error.message}") from None

    def texts_elsewhere(self) -> dict[int, list[str]]:
        """Return the columns that are text in some blocks, by the blocks in which they are not.

        Raises:
            InputError: If a column holds numbers in one block and words in another.
        """
        again: dict[int, list[str]] = {}
        for name in self.schemas[0]:
            texts = [number for number, schema in enumerate(self.schemas) if self._is_text(number, schema, name)]
            others = [n for n, schema in enumerate(self.schemas) if schema[name] != pl.String]
            if not texts or not others:
                continue
            words = next((n for n in texts if not self.readings[n][name].remark.startswith(CODES)), None)
            numeric = next((n for n in others if self.schemas[n][name].is_numeric()), None)
            if words is not None and numeric is not None:
                raise self._mixture(name, words)
            if any(self.schemas[n][name].is_float() for n in others):
                raise self._mixture(name, texts[0])
            for number in others:
                again.setdefault(number, []).append(name)
        return again

    def _is_text(self, number: int, schema: dict[str, pl.DataType], name: str) -> bool:
        return schema[name] == pl.String and self.readings[number][name].remark != MISSING

    def _mixture(self, name: str, block: int) -> InputError:
        first = sum(self.rows[:block])
        return InputError(
            f"column {name!r} of {self.files.place.name!r} holds numbers, but the rows {first:,} to "
            f"{first + self.rows[block] - 1:,} hold words or codes too; if they stand for missing values, pass "
            "--missing; if the column is a category, declare it so in --schema"
        )

    def check_spellings(self) -> None:
        """Refuse columns whose numbers are written by other conventions in some blocks."""
        for name in self.schemas[0]:
            written = {
                (spelling.decimal, spelling.prefix, spelling.suffix)
                for number, schema in enumerate(self.schemas)
                if schema[name].is_float()
                for spelling in (self.readings[number][name].spelling,)
            }
            if len(written) > 1:
                signs = " and ".join(sorted({repr("".join(one)) for one in written}))
                raise InputError(
                    f"the numbers of column {name!r} of {self.files.place.name!r} are written by two conventions, with "
                    f"{signs}; write them alike, or declare the column a category in --schema"
                )

    def frame(self) -> pl.LazyFrame:
        """Return the rows of all blocks, in their order, with one type for each column."""
        types = {name: self._type(name) for name in self.schemas[0]}
        casts = [pl.col(name).cast(dtype) for name, dtype in types.items()]
        return pl.concat([pl.scan_parquet(self.path(n)).select(casts) for n in range(len(self.rows))])

    def _type(self, name: str) -> pl.DataType:
        kinds = {schema[name] for n, schema in enumerate(self.schemas) if self.readings[n][name].remark != MISSING}
        if len(kinds) > 1 and all(kind.is_numeric() for kind in kinds):
            return pl.Float64()
        return kinds.pop() if len(kinds) == 1 else pl.String()


def converted(source: Any, how: Format | None, expected: Expected) -> ScannedFiles | None:
    """Return a large text file as a table that is read in parts; None for other sources.

    Args:
        source: What the user named.
        how: How to read it.
        expected: What is known of its columns.

    Returns:
        The table; the files it is kept in are removed when it is no longer used.

    Raises:
        InputError: If a block cannot be read, or a column is read in two ways.
    """
    files = text_files(source, how)
    if files is None:
        return None
    folder = TemporaryDirectory(prefix="icefire-")
    conversion = _Conversion(files, expected, Path(folder.name))
    for number, block in files.blocks():
        conversion.write(number, block)
    again = conversion.texts_elsewhere()
    if again:
        for number, block in files.blocks():
            if number in again:
                conversion.write(number, block, again[number])
    conversion.check_spellings()
    frame, cells = conversion.frame(), sum(conversion.rows) * len(conversion.schemas[0])
    return ScannedFiles(frame, cells, files.place.name, digest_of(list(files.files)), kept=folder)

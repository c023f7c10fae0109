"""Places of tables: files, folders, patterns, standard input, addresses; what may be shown of them."""

from __future__ import annotations

import glob
import gzip
import hashlib
import os
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from icefire.core.errors import InputError
from icefire.io import delta_log, files

STANDARD_INPUT = "-"
PACKED = {".gz": "gzip", ".zst": "Zstandard"}
TEXT_ENDINGS = (".csv", ".tsv")
"""Endings of text files that are read as parts of one table where a folder is given."""
UNFINISHED = ("_temporary", "_delta_log")
"""Folders in which other programs keep files that are no rows of the table."""
_ADDRESS = re.compile(r"^([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_PASSWORD = re.compile(r"(?<=:)[^:@/]*(?=@)")
_SECRET_SETTING = re.compile(r"(?i)((?:password|passfile|sslpassword|secret|token|sig|signature|key)=)[^&\s]*")


@dataclass(frozen=True)
class Place:
    """Where a table is."""

    address: str
    """As it was given, passwords included: never to be shown."""
    content: bytes | None = None
    """What standard input or a packed file held."""

    @property
    def scheme(self) -> str | None:
        """The beginning of an address, such as s3; None for a file."""
        matched = _ADDRESS.match(self.address)
        scheme = matched.group(1).lower() if matched else None
        return None if scheme == "file" else scheme

    @cached_property
    def _divided(self) -> tuple[str, str | None]:
        """Path and the name after #: a table of a database, a sheet of a workbook."""
        path, sign, part = self.address.rpartition("#")
        if not sign or (self.scheme is None and Path(self.address).exists()):
            return self.address, None
        return path, part

    @property
    def part(self) -> str | None:
        """Name of a table or sheet inside."""
        return self._divided[1]

    @property
    def location(self) -> str:
        """The address without the name of the part."""
        return self._divided[0]

    @property
    def path(self) -> Path:
        """The file or folder."""
        return Path(self.location.removeprefix("file://"))

    @property
    def shown(self) -> str:
        """The address without passwords."""
        return without_secrets(self.address) if self.scheme else self.address

    @property
    def name(self) -> str:
        """Short name for reports."""
        if self.scheme:
            return self.shown.partition("?")[0]
        return "standard input" if self.address == STANDARD_INPUT else Path(self.address).name

    @property
    def ending(self) -> str:
        """Ending of the name in small letters, without that of packing."""
        path = Path(self.location.partition("?")[0] if self.scheme else self.location)
        inner = path.with_suffix("") if path.suffix.lower() in PACKED else path
        return inner.suffix.lower()

    @property
    def is_pattern(self) -> bool:
        """Tell whether it stands for several files."""
        return any(sign in self.location for sign in "*?[") and (self.scheme is not None or not self.path.exists())

    def head(self, size: int = 1 << 16) -> bytes:
        """Return the first bytes."""
        if self.content is not None:
            return self.content[:size]
        with self.files()[0].open("rb") as file:
            return file.read(size)

    def read_bytes(self) -> bytes:
        """Return all bytes."""
        return self.content if self.content is not None else self.path.read_bytes()

    def digest(self) -> str:
        """SHA-256 of the file, of all files of a folder or pattern in order of name, "" of an address."""
        if self.scheme is not None:
            return ""
        if self.content is not None and self.address == STANDARD_INPUT:
            return hashlib.sha256(self.content).hexdigest()
        listed = self.files()
        if len(listed) == 1 and not self.path.is_dir():
            return files.digest(listed[0])
        return hashlib.sha256("".join(files.digest(path) for path in listed).encode()).hexdigest()

    def files(self) -> list[Path]:
        """Return the one file, or those of a folder or pattern in order of name; of a Delta table those of today."""
        if self.is_pattern:
            return sorted(Path(name) for name in glob.glob(self.location, recursive=True) if Path(name).is_file())
        return _files_of_folder(self.path) if self.path.is_dir() else [self.path]


def _files_of_folder(folder: Path) -> list[Path]:
    """Return the Parquet files in a folder, otherwise the text files directly in it; no hidden and unfinished ones."""
    if delta_log.is_delta(folder):
        return delta_log.live_files(folder)
    files = [one for one in folder.rglob("*") if one.is_file() and not _is_hidden(one.relative_to(folder))]
    parquet = [one for one in files if one.suffix in (".parquet", ".pq")]
    return sorted(parquet or (one for one in files if one.parent == folder and one.suffix.lower() in TEXT_ENDINGS))


def _is_hidden(path: Path) -> bool:
    """Tell whether a file is of the system, or of a job that was not finished."""
    return any(part.startswith(".") or part in UNFINISHED for part in path.parts)


def place_of(address: str | os.PathLike[str]) -> Place:
    """Return the place of an address: checked, read if it is standard input, unpacked if it is packed."""
    given = os.fspath(address)
    place = Place(given)
    if given == STANDARD_INPUT:
        return _unpacked(Place(given, _standard_input()))
    if place.scheme is not None:
        return place
    if place.is_pattern or place.path.is_dir():
        if not place.files():
            what = "matches no file" if place.is_pattern else "is a folder without Parquet or CSV files"
            raise InputError(f"{given!r} {what}; give a file, a pattern such as 'part-*.parquet', or a folder of them")
        return place
    files.check_readable(place.path)
    return _unpacked(place)


def with_text(place: Place) -> Place:
    """Return the place of a text file with its content, fetched by polars if it is in an object store.

    Raises:
        InputError: If it is a pattern, or the text is not UTF-8.
    """
    if place.scheme is None or place.content is not None:
        return place
    if place.is_pattern:
        raise InputError(f"{place.shown!r} stands for several text files; give one, or save them as Parquet")
    # Every line is one cell: neither the separator nor quotes occur in text.
    layout: dict[str, Any] = {"separator": "\x1f", "quote_char": None, "has_header": False, "infer_schema": False}
    try:
        lines = pl.scan_csv(place.location, **layout).collect()
    except pl.exceptions.NoDataError:
        raise InputError(f"{place.shown!r} is empty; give a table with a header and at least two rows") from None
    except pl.exceptions.ComputeError as error:
        if "utf" not in str(error).lower():
            raise
        raise InputError(
            f"{place.shown!r} is not UTF-8, and other text is not read from there; download it and give the file"
        ) from None
    return Place(place.address, "\n".join(lines[lines.columns[0]].fill_null("").to_list()).encode() + b"\n")


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("- reads standard input, but nothing is piped into it; give a file, or: cat FILE | icefire …")
    content = sys.stdin.buffer.read()
    if not content:
        raise InputError("standard input is empty; give a table with a header and at least two rows")
    return content


def _unpacked(place: Place) -> Place:
    """Unpack gzip and Zstandard, which their first bytes tell."""
    head = place.head(4)
    if head.startswith(b"\x1f\x8b"):
        try:
            content = gzip.decompress(place.read_bytes())
        except (OSError, EOFError) as error:
            raise InputError(f"file {place.shown!r} cannot be unpacked: {error}; check that it is whole") from None
        return Place(place.address, content)
    if head == b"\x28\xb5\x2f\xfd":
        return Place(place.address, _unpack_zstandard(place))
    return place


def _unpack_zstandard(place: Place) -> bytes:
    """Unpack by polars, line by line, for Python itself can only since 3.14."""
    import io

    try:
        lines = pl.read_csv(
            io.BytesIO(place.read_bytes()), has_header=False, separator="\x1f", quote_char=None, infer_schema=False
        )
    except pl.exceptions.PolarsError as error:
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"file {place.shown!r} cannot be unpacked ({reason}); unpack it with zstd -d and give the file"
        ) from None
    return "\n".join(lines[lines.columns[0]].fill_null("").to_list()).encode() + b"\n"


def without_secrets(text: str) -> str:
    """Return a text without the passwords of the addresses in it."""
    return _SECRET_SETTING.sub(r"\1…", _PASSWORD.sub("…", text))

"""Large text files cut into blocks of whole rows, each a text file of its own under the header of the first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from icefire.core.errors import InputError
from icefire.io import encodings
from icefire.io.addresses import Place
from icefire.io.encodings import MARKS
from icefire.io.format import Format

LINES_IN_BYTES = frozenset({"utf-8", "utf-8-sig", "cp932", "euc_jp", "cp1252", "ascii", "latin-1"})
"""Encodings in which the bytes of a line break and of a quote stand for nothing else."""
HEAD_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Some of the rows of a text file."""

    place: Place
    how: Format


def format_of_blocks(path: Path, how: Format) -> Format | None:
    """Return how every block of a file is read; None for files that are not cut.

    Args:
        path: A text file.
        how: How the file is read.
    """
    if how.skip or how.comment or how.kind not in (None, "csv"):
        return None
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    marked = any(head.startswith(mark) for mark, name in MARKS if name != "utf-8-sig")
    if marked or b"\n" not in head or head.startswith(b"sep="):
        return None
    if how.encoding is None:
        if encodings.is_escaped(head):
            return None
        whole_lines = head[: head.rindex(b"\n") + 1]
        how = replace(how, encoding=encodings.decode(whole_lines, path.name).encoding)
    name = (how.encoding or "").lower().replace("_", "-")
    return how if name in {known.replace("_", "-") for known in LINES_IN_BYTES} | {"utf8"} else None


def blocks(path: Path, how: Format, size: int) -> Iterator[TextBlock]:
    """Cut a text file into blocks of about `size` bytes, at line breaks that are not inside quotes.

    Args:
        path: The file.
        how: What `format_of_blocks` returned.
        size: Bytes read at a time.

    Raises:
        InputError: If a quote is opened and never closed.
    """
    header, rest = b"", b""
    later = replace(how, header=how.has_header)
    with path.open("rb") as file:
        while read := file.read(size):
            content = rest + read
            cut = _last_end_of_row(content)
            if cut == 0 and len(content) > 2 * size and b'"' in content:
                raise InputError(
                    f"a quote in {path.name!r} is opened and not closed within {len(content) // 1_000_000:,} MB; close "
                    "the quote, or remove it"
                )
            block, rest = content[:cut], content[cut:]
            if block:
                yield TextBlock(Place(str(path), header + block), later if header else how)
                header = header or _header_of(block, how)
    if rest.strip():
        yield TextBlock(Place(str(path), header + rest), later if header else how)


def _header_of(block: bytes, how: Format) -> bytes:
    """Return the row of names, which every later block begins with."""
    if not how.has_header:
        return b""
    end = block.index(b"\n") + 1
    while block.count(b'"', 0, end) % 2:
        end = block.index(b"\n", end) + 1
    return block[:end]


def _last_end_of_row(content: bytes) -> int:
    """Return where the last row that is whole ends; 0 if there is none."""
    cut = content.rfind(b"\n") + 1
    quotes = content.count(b'"', 0, cut)
    while cut and quotes % 2:
        before = content.rfind(b"\n", 0, cut - 1) + 1
        quotes -= content.count(b'"', before, cut)
        cut = before
    return cut

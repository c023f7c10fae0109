"""JSON: one object per line, or an array of objects."""

from __future__ import annotations

import io

import polars as pl

from icefire.core.errors import InputError
from icefire.core.reading import Expected
from icefire.io import encodings
from icefire.io.addresses import Place, with_text
from icefire.io.columns import RawTable
from icefire.io.format import Format
from icefire.io.sources.registry import Source

JSON_LINES = "JSON lines"
"""What a source of one object per line is said to be."""


def read(place: Place, how: Format, expected: Expected) -> RawTable:
    """Read an array of objects or one object per line, with the types of all rows."""
    place = with_text(place)
    text = encodings.decode(place.read_bytes(), place.name, how.encoding).text.lstrip("\ufeff \t\r\n")
    content = io.BytesIO(text.encode())
    if text.startswith("["):
        return RawTable(pl.read_json(content, infer_schema_length=None), "JSON")
    if not text.startswith("{"):
        raise InputError(
            f"file {place.name!r} is not JSON: it begins with {text[:1]!r}; give an array of objects, or one a line"
        )
    return RawTable(pl.read_ndjson(content, infer_schema_length=None), JSON_LINES)


def _is_json(head: bytes) -> bool:
    begins = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return begins.startswith((b'{"', b"[{")) or (
        begins.startswith((b"[", b"{")) and begins[1:].lstrip()[:2] in (b'{"', b'"')
    )


SOURCES = [
    Source(
        "json",
        "JSON",
        read,
        (".json", ".jsonl", ".ndjson"),
        recognises=_is_json,
        takes_addresses=True,
        write=lambda frame, place: (
            frame.write_json(place.path) if place.ending == ".json" else frame.write_ndjson(place.path)
        ),
    )
]

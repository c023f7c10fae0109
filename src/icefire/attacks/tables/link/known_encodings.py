"""Values written in a code that needs no key: unsalted hashes, also shortened ones, checksums, base 64, reversed text.

Whoever has the original values encodes them all and looks them up.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Iterator
from functools import partial

import polars as pl

from icefire.core import align

HASHES = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b", "blake2s")
PROBES = 64
"""Original values that are encoded to see whether a code was used."""
LOOKED_AT, UNCHANGED = 50, 0.2
"""Released values that are looked at first, and which share of them may be values of the original by coincidence."""
SHORTEST = 6
"""Digits of a hash that cannot be a coincidence."""
DECODED = 0.5
"""Share of the released values that must be found."""
LARGEST = 100_000
"""Whole numbers may be checksums from here on."""

Encoding = Callable[[str], str]


def decoded(x: pl.Series, y: pl.Series) -> pl.Series:
    """Return the released values as values of the original if they are written in a known code, otherwise as they are.

    Args:
        x: A column of the original.
        y: The same column of the release.
    """
    shown = _as_text(y)
    if shown is None:
        return y
    known = align.as_text(x).drop_nulls().unique().sort()
    some = shown.drop_nulls().head(LOOKED_AT)
    if not len(known) or not len(some) or int(some.is_in(known.implode()).sum()) > UNCHANGED * len(some):
        return y
    shown = shown.str.strip_chars().str.to_lowercase()
    probes = known.gather_every(max(1, len(known) // PROBES)).to_list()
    length = int(some.str.len_chars().median() or 0)  # type: ignore[arg-type]
    for encoding in _encodings(length):
        codes = pl.Series([encoding(value) for value in probes], dtype=pl.String)
        if bool(codes.is_in(shown.implode()).any()):
            every = pl.Series([encoding(value) for value in known.to_list()], dtype=pl.String)
            table = pl.DataFrame({"code": every, "value": known}).unique("code", keep="first", maintain_order=True)
            values = pl.DataFrame({"code": shown}).join(table, on="code", how="left", maintain_order="left")["value"]
            if values.count() >= DECODED * shown.count():
                return values.alias(y.name)
    return y


def _as_text(y: pl.Series) -> pl.Series | None:
    """Return released values that may be codes as text: text, or whole numbers as large as checksums."""
    if y.dtype == pl.String:
        return y
    if y.dtype.is_integer() and y.count() and int(y.max()) >= LARGEST:  # type: ignore[arg-type]
        return y.cast(pl.String)
    return None


def _encodings(length: int) -> Iterator[Encoding]:
    """List the codes of values that have so many characters, each in lower case."""
    for change in (str, str.lower, str.upper, str.strip):
        for encoding in _plain_encodings(length):
            yield partial(_both, change, encoding)


def _both(change: Callable[[str], str], encoding: Encoding, value: str) -> str:
    return encoding(change(value))


def _plain_encodings(length: int) -> Iterator[Encoding]:
    if length >= SHORTEST:
        for name in HASHES:
            yield partial(_digest, name, slice(0, length))
            if length < hashlib.new(name).digest_size * 2:
                yield partial(_digest, name, slice(-length, None))
    yield lambda value: str(zlib.crc32(value.encode()))
    yield lambda value: f"{zlib.crc32(value.encode()):08x}"
    yield lambda value: str(zlib.adler32(value.encode()))
    yield lambda value: base64.b64encode(value.encode()).decode().lower()
    yield lambda value: base64.b32encode(value.encode()).decode().lower()
    yield lambda value: value.encode().hex()
    yield lambda value: value[::-1].lower()


def _digest(name: str, part: slice, value: str) -> str:
    return hashlib.new(name, value.encode(), usedforsecurity=False).hexdigest()[part]

"""Values written in a code that needs no key: hashes, checksums, base 64, numerals, reversed or sorted letters.

Whoever has the original values encodes them all and looks them up.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

import numpy as np
import polars as pl

from icefire.attacks.tables.link.numerals import decoded_numbers, numeral_codes, without_joints
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
SEEN = DECODED / 2
"""Of the probes whose codes could be released, the share that must be: values of a dense range coincide."""
LARGEST = 100_000
"""Whole numbers may be checksums from here on."""

Encoding = Callable[[str], str]


def _joined(value: str) -> str:
    """Return the letters and digits without spaces and signs between them, as numbers of accounts are written."""
    return "".join(character for character in value if character.isalnum())


CHANGES: tuple[Encoding, ...] = (
    str,
    str.lower,
    str.upper,
    str.strip,
    _joined,
    lambda value: _joined(value).lower(),
    lambda value: _joined(value).upper(),
)
"""What may be done to a value before it is encoded."""


def decoded(x: pl.Series, y: pl.Series) -> pl.Series:
    """Return the released values as values of the original if they are written in a known code, otherwise as they are.

    Args:
        x: A column of the original.
        y: The same column of the release.
    """
    by_rule = decoded_numbers(x, y)
    shown = y if by_rule is None and _may_be_codes(y) else None
    if shown is None:
        return y if by_rule is None else by_rule
    # Written as text once for each distinct value, which is much less work for numbers.
    known = align.as_text(x.drop_nulls().unique()).unique().sort()
    some = shown.drop_nulls().head(LOOKED_AT).cast(pl.String)
    if not len(known) or not len(some) or int(some.is_in(known.implode()).sum()) > UNCHANGED * len(some):
        return y
    shown = without_joints(shown.cast(pl.String).str.strip_chars().str.to_lowercase())
    probes = known.gather_every(max(1, len(known) // PROBES)).to_list()
    needed = max(1, int(SEEN * len(probes) * min(1.0, shown.n_unique() / len(known))))
    length = int(some.str.len_chars().median() or 0)  # type: ignore[arg-type]
    encodings, without, tried = list(_plain_encodings(length)), list[list[str]](), list[list[str]]()
    for change in _changes(known):
        changed = [change(value) for value in probes]
        if changed in without:
            continue
        codes = _probe_codes(length, tuple(changed))
        hits = codes.is_in(shown.implode()).fill_null(False).to_numpy().reshape(len(encodings), -1).sum(axis=1)
        seen = hits >= needed
        if not seen.any():
            # Nor is there one where another change leaves the probes the same.
            without.append(changed)
        values_changed = [change(value) for value in known.to_list()] if seen.any() else []
        if values_changed in tried:
            continue
        tried.append(values_changed)
        for place in np.flatnonzero(seen).tolist():
            every = _encoded([encodings[place]], values_changed)
            pairs = pl.DataFrame({"code": every, "value": known}).drop_nulls()
            table = pairs.unique("code", keep="first", maintain_order=True)
            values = pl.DataFrame({"code": shown}).join(table, on="code", how="left", maintain_order="left")["value"]
            if values.count() >= DECODED * shown.count():
                return values.alias(y.name)
    return y


def _changes(values: pl.Series) -> tuple[Encoding, ...]:
    """Return the changes that make a difference: to digits alone none does."""
    return CHANGES[:1] if values.str.contains(r"^[0-9]*$").all() else CHANGES


def _encoded(encodings: list[Encoding], values: list[str]) -> pl.Series:
    """Return the codes of values in one encoding after the other; missing where a value has none."""
    codes = [encoding(value) or None for encoding in encodings for value in values]
    return without_joints(pl.Series(codes, dtype=pl.String))


@lru_cache(maxsize=128)
def _probe_codes(length: int, probes: tuple[str, ...]) -> pl.Series:
    """Return the codes of the probes in all plain encodings; several attacks ask about the same columns."""
    return _encoded(list(_plain_encodings(length)), list(probes))


def _may_be_codes(y: pl.Series) -> bool:
    """Tell whether released values are text, or whole numbers as large as checksums."""
    if y.dtype.is_integer():
        return y.count() > 0 and int(y.max()) >= LARGEST  # type: ignore[arg-type]
    return y.dtype == pl.String


def _plain_encodings(length: int) -> Iterator[Encoding]:
    """List the codes of values that have so many characters, each in lower case."""
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
    yield lambda value: "".join(sorted(value.lower()))
    yield from numeral_codes()


def _digest(name: str, part: slice, value: str) -> str:
    return hashlib.new(name, value.encode(), usedforsecurity=False).hexdigest()[part]

"""Hashes without a key of several values of a person together, or of a telephone number in its international form."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np
import polars as pl

from icefire.attacks.tables.link.known_encodings import HASHES
from icefire.core import align
from icefire.kernels.types import Int

PROBES = 4
"""Released rows that are looked at; a hash of so many digits is no coincidence in any of them."""
SHORTEST = 10
"""Digits of a hash."""
JOINTS = ("", "|", "-", "_", ":", " ", ",", ";")
MOST_COLUMNS = {2: 40, 3: 10}
"""So many columns, those with most different values, are joined by twos and by threes."""
COUNTRIES = range(1, 1000)
"""Codes of countries before telephone numbers."""
TELEPHONE = 8
"""Digits of a telephone number at least."""


def joint_hash(known: pl.DataFrame, released: pl.Series, rows: Int) -> list[str]:
    """Name the original columns whose values of a person, joined, were hashed without a key; else none.

    Args:
        known: The columns of the original.
        released: A column of the release.
        rows: Original row of each released row.
    """
    shown = align.as_text(released).str.strip_chars().str.to_lowercase()
    length = int(shown.str.len_chars().median() or 0)  # type: ignore[arg-type]
    if length < SHORTEST or not shown.drop_nulls().head(100).str.contains("^[0-9a-f]+$").all():
        return []
    filled = np.flatnonzero(shown.is_not_null().to_numpy())[:PROBES]
    texts = [align.as_text(known[name]).alias(name) for name in known.columns]
    texts.sort(key=lambda column: -column.n_unique())
    digests = [name for name in HASHES if hashlib.new(name).digest_size * 2 >= length]
    for place in filled.tolist():
        own = {column.name: column[int(rows[place])] for column in texts}
        present = {name: value for name, value in own.items() if value is not None}
        for names, text in _joined(present):
            code = text.encode()
            if any(_hashed(digest, code)[:length] == shown[place] for digest in digests):
                return list(names)
    return []


def _hashed(name: str, code: bytes) -> str:
    return hashlib.new(name, code, usedforsecurity=False).hexdigest()


def _joined(own: dict[str, str]) -> Iterator[tuple[Sequence[str], str]]:
    """List what may have been hashed: numbers with the code of a country, and several values joined."""
    for name, value in own.items():
        digits = "".join(character for character in value if character.isdigit())
        if len(digits) >= TELEPHONE and 2 * len(digits) > len(value):
            for country in COUNTRIES:
                for form in (f"+{country}{digits.removeprefix('0')}", f"{country}{digits.removeprefix('0')}"):
                    yield (name,), form
    for size, most in MOST_COLUMNS.items():
        for names in permutations(list(own)[:most], size):
            for joint in JOINTS:
                yield names, joint.join(own[name] for name in names)

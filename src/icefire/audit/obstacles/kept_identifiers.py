"""What a released identifier keeps of the person's own one: it is in a code without key, or a part of it is left."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from icefire.attacks.tables.link.known_encodings import decoded
from icefire.core import align
from icefire.kernels.types import Float, Int

LONGEST = 48
"""Characters of an identifier that are compared."""
ASKED = 2000
"""Released rows that are asked about, at most."""
_AFTER_ALL = 0x10FFFF
"""The last character there is."""


def decoded_own_values(known: pl.Series, released: pl.Series, rows: Int) -> int:
    """Count the released rows whose identifier is the person's own, in a code that needs no key.

    Args:
        known: The column of the original.
        released: The column of the release.
        rows: Original row of each released row.
    """
    text = align.as_text(known)
    digits = text.str.replace_all(r"\D", "")
    return max(_own_decoded(form, released, rows) for form in (known, digits, digits.str.strip_chars_start("0")))


def _own_decoded(known: pl.Series, released: pl.Series, rows: Int) -> int:
    own, shown = align.as_text(known).gather(rows), align.as_text(decoded(known, released))
    return int((own == shown).sum())


def share_found_by_part(known: pl.Series, released: pl.Series, rows: Int) -> tuple[float, int]:
    """Return which share of the people is found by the longest part that identifiers have in common, and of how many.

    Whoever has the original takes the person whose identifier begins, or ends, like the released one for most
    characters; among several, one at random. Signs and capital letters do not count, nor what all identifiers of a
    table begin and end with.

    Args:
        known: The column of the original.
        released: The column of the release.
        rows: Original row of each released row.
    """
    filled = np.flatnonzero(released.is_not_null().to_numpy())
    asked = filled[:: max(1, len(filled) // ASKED)][:ASKED]
    if not len(asked):
        return 0.0, 0
    sides = align.as_text(known).fill_null(""), align.as_text(released).gather(asked)
    best = max(_expected_hits(x, y, rows[asked]) for x, y in _forms(*sides))
    return best / len(asked), len(asked)


def _forms(known: pl.Series, shown: pl.Series) -> Iterator[tuple[pl.Series, pl.Series]]:
    """List the parts of the identifiers that are compared: from the beginning, from the end, and one side reversed."""
    letters = [_without_common_ends(side.str.to_lowercase().str.replace_all(r"[\W_]", "")) for side in (known, shown)]
    digits = [_without_common_ends(side.str.replace_all(r"\D", "")) for side in (known, shown)]
    words = [side.str.to_lowercase().str.extract_all(r"\w+").list.sort().list.join("") for side in (known, shown)]
    for x, y in (letters, digits, words):
        for shown_forwards in (y, y.str.reverse()):
            yield x, shown_forwards
            yield x.str.reverse(), shown_forwards


def _without_common_ends(values: pl.Series) -> pl.Series:
    """Cut off what all values begin with, then what all end with."""
    for _ in range(2):
        first, last = values.min(), values.max()
        same = _common_length(str(first or ""), str(last or ""))
        values = (values if first == last else values.str.slice(same)).str.reverse()
    return values


def _common_length(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _expected_hits(known: pl.Series, shown: pl.Series, rows: Int) -> float:
    """Return how many people are expected to be found by the longest common beginning."""
    own, sought = _characters(known.gather(rows)), _characters(shown)
    ordered = known.str.slice(0, LONGEST).sort().to_numpy().astype(f"<U{LONGEST}")
    place = np.searchsorted(ordered, _texts(sought))
    beside = [_characters_of(ordered[np.clip(place + step, 0, len(ordered) - 1)]) for step in (-1, 0)]
    longest = np.maximum(*(_common(sought, each) for each in beside))
    low, high = _range_of_prefix(ordered, sought, longest)
    is_hit = (longest > 0) & (_common(sought, own) == longest)
    return float((is_hit / np.maximum(high - low, 1)).sum())


def _range_of_prefix(ordered: np.ndarray, sought: np.ndarray, lengths: Int) -> tuple[Int, Int]:
    """Return where the values that begin with so many characters of those sought stand among the ordered ones."""
    places = np.arange(LONGEST)
    low = np.where(places < lengths[:, None], sought, 0)
    high = np.where(places == np.minimum(lengths, LONGEST - 1)[:, None], _AFTER_ALL, low)
    return np.searchsorted(ordered, _texts(low)), np.searchsorted(ordered, _texts(high))


def _characters(values: pl.Series) -> np.ndarray:
    return _characters_of(values.fill_null("").str.slice(0, LONGEST).to_numpy().astype(f"<U{LONGEST}"))


def _characters_of(texts: np.ndarray) -> np.ndarray:
    """Return texts as numbers of characters, a line for each; 0 after the end."""
    return np.ascontiguousarray(texts).view(np.uint32).reshape(len(texts), LONGEST)


def _texts(characters: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(characters.astype(np.uint32)).view(f"<U{LONGEST}").ravel()


def _common(one: np.ndarray, other: np.ndarray) -> Int:
    """Return how many characters texts have in common from their beginning."""
    same: Float = np.cumprod((one == other) & (one != 0), axis=1)
    lengths: Int = same.sum(axis=1)
    return lengths

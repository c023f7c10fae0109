"""Free text by similarity: a released text that is no value of the original is read as the one it resembles most."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.kernels.neighbours import similar_text
from icefire.kernels.types import Int

FEWEST = 3
"""Texts that are not in the original, at least."""
AS_MANY = 0.5
"""There must be so many of them beside the values of the original: labels for several values are fewer."""
LABEL = r"[*\[\]{}<>≤≥]|^[^\p{L}]*$"
"""Masks, intervals, sets and digits are labels or codes, which are read and not compared."""
MOST_LABELS = 0.1
LONGEST = 4000
"""Bytes of a text that are looked at."""
LEAST = 0.2
"""Texts that are less similar are strangers."""
CLEARER = 1.05
"""The most similar text counts where it is so many times as similar as the next."""
RECOGNISED = 0.3
"""A column is read so where this share of its strange texts resembles one original text more than all others."""
PER_BYTE = 2
"""Features of a text per byte, at most."""


def as_similar_texts(x: pl.Series, y: pl.Series) -> pl.Series:
    """Return the released texts, those that are no values of the original replaced by the value they resemble most.

    Misspelt, shortened, reordered or differently written text then equals its source. Text that resembles nothing, or
    several values alike, stays what it is. So does a column of labels that each stand for several values.

    Args:
        x: A column of text of the original.
        y: The same column of the release.
    """
    known, shown = (side.drop_nulls().unique().sort() for side in (x, y))
    strange = shown.filter(~shown.is_in(known.implode()))
    if len(strange) < max(FEWEST, AS_MANY * len(known)) or len(known) < FEWEST:
        return y
    if int(strange.str.contains(LABEL).sum()) > MOST_LABELS * len(strange):
        return y
    rows, best, second = _most_similar(known, strange)
    clear = (rows >= 0) & (best >= LEAST) & (best >= CLEARER * second)
    if clear.mean() < RECOGNISED:
        return y
    return y.replace(strange.filter(pl.Series(clear)), known.gather(rows[clear]))


def _most_similar(known: pl.Series, strange: pl.Series) -> tuple[Int, np.ndarray, np.ndarray]:
    packed = [_bytes(side) for side in (known, strange)]
    total = PER_BYTE * max(int(start[-1]) for _, start in packed)
    kept = 1 + total // similar_text.MOST_FEATURES
    buckets = 1 << int(np.clip(np.ceil(np.log2(total + 2)) + 2, 12, 22))
    one, other = (similar_text.features(data, start, kept, buckets) for data, start in packed)
    return similar_text.most_similar(one, other, buckets)


def _bytes(texts: pl.Series) -> tuple[np.ndarray, Int]:
    """Return the bytes of texts in lower case, words separated by single spaces, and where each text begins."""
    plain = texts.str.head(LONGEST).str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars()
    start = np.append(0, np.cumsum(plain.str.len_bytes().to_numpy().astype(np.int64)))
    return np.frombuffer("".join(plain.to_list()).encode(), np.uint8), start

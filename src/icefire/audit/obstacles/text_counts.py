"""Texts as numbers: how often each character occurs in them, and the numbers that stand in them.

A text may be released as counts of its letters, its length or sums of such figures: the words are gone, the person is
not. And several numbers may be released in one text.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import polars as pl

from icefire.hierarchy.fitting import number
from icefire.kernels.types import Float

FEWEST_VALUES = 24
"""Columns of fewer different texts are categories, which are told from one another without their characters."""
CHARACTERS = 40
"""Characters that are counted, the most frequent ones."""
MOST_NUMBERS = 60
"""Numbers in one text, at most."""
COMPLETE = 0.95
"""Share of the texts that hold the same number of numbers, at least."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def counts_of_characters(texts: pl.Series) -> list[Float]:
    """Return for every text how often it has each character, its length and its number of words; NaN where missing.

    Nothing is returned for columns of few different texts.
    """
    values = texts.cast(pl.String).str.to_lowercase()
    distinct = values.drop_nulls().unique(maintain_order=True).to_list()
    if len(distinct) < FEWEST_VALUES:
        return []
    frequent = [character for character, _ in Counter("".join(distinct)).most_common(CHARACTERS)]
    counted = [values.str.count_matches(character, literal=True) for character in frequent]
    counted += [values.str.len_chars(), values.str.count_matches(r"\S+")]
    return [column.cast(pl.Float64).fill_null(np.nan).to_numpy() for column in counted]


def numbers_in_texts(texts: pl.Series) -> list[pl.Series]:
    """Return the numbers that stand in texts as columns, the first of every text in the first; none if they differ.

    Args:
        texts: A released column; almost all of its texts must hold the same number of numbers, two or more.
    """
    codes, distinct = number(texts)
    rows = np.bincount(codes, minlength=len(distinct)).tolist()
    lists = [_NUMBER.findall(text) if text is not None else None for text in distinct.to_list()]
    sizes: Counter[int] = Counter()
    for numbers, count in zip(lists, rows, strict=True):
        if numbers is not None:
            sizes[len(numbers)] += count
    if not sizes:
        return []
    size, _ = sizes.most_common(1)[0]
    if not 2 <= size <= MOST_NUMBERS or sizes[size] < COMPLETE * sizes.total():
        return []
    matched = [numbers if numbers is not None and len(numbers) == size else [None] * size for numbers in lists]
    return [
        pl.Series(f"{texts.name} ({place + 1})", [each[place] for each in matched], pl.String)
        .cast(pl.Float64)
        .gather(codes)
        for place in range(size)
    ]

"""How goods were changed: kept, written in another way, cut to a part of their names, or given readable labels."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import numpy as np
import polars as pl

from icefire.attacks.histories.link.reading import ColumnReading, best_fitting, joint_codes, overlap
from icefire.hierarchy.coverage import coverage

MASKS = "*?…"
MOST_LABELS = 20_000
"""More labels than this are compared as they are, or by their beginnings."""
MOST_TEXTS, MOST_CUTS = 2_000_000, 32
"""Labels are looked for inside names up to so many pairs of both, and at so many places."""
NONE = "\x00"
"""Stands for the label of a good that has none; no file holds it."""


def read_goods(own: pl.Series, shown: pl.Series) -> ColumnReading:
    """Find out what became of the goods' names, and rename the own ones likewise.

    Args:
        own: The good of every original row.
        shown: The good of every released row.

    Returns:
        The goods of both as numbers; the fit tells how many could be read.
    """
    values, labels = own.unique().sort(), shown.unique().sort()
    candidates: list[tuple[str, Callable[[], pl.Series]]] = [("kept", lambda: values)]
    if not set(labels) <= set(values):
        candidates.append(("written in another way", lambda: _same_letters(values, labels)))
        candidates.append(("cut to the beginning of the name", lambda: _beginnings(values, labels)))
        candidates.append(("cut to the end of the name", lambda: _endings(values, labels)))
        candidates += [
            (f"characters {first + 1} to {first + length} of the name", lambda cut=(first, length): _cut(values, *cut))  # type: ignore[misc]
            for first, length in _inner_cuts(values, labels)
        ]
        if len(labels) * len(values) <= MOST_TEXTS:
            candidates.append(("a part of the name", lambda: _containing(values, labels)))
        if len(labels) <= MOST_LABELS:
            candidates.append(("generalised: labels cover goods", lambda: _covering(values, labels)))
    name, renamed, fit = best_fitting(candidates, lambda renamed: overlap(*_coded(own, shown, values, renamed)))
    return ColumnReading(*_coded(own, shown, values, renamed), name, fit)


def _coded(own: pl.Series, shown: pl.Series, values: pl.Series, renamed: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    return joint_codes(own.replace_strict(values, renamed, return_dtype=pl.String), shown)


def _same_letters(values: pl.Series, labels: pl.Series) -> pl.Series:
    """Return for every good the label with the same letters and digits, whatever the case, the width and the signs."""
    by_letters = {_letters(label): label for label in reversed(labels.to_list())}
    return pl.Series([by_letters.get(_letters(value), NONE) for value in values.to_list()], dtype=pl.String)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _beginnings(values: pl.Series, labels: pl.Series) -> pl.Series:
    """Return for every good the longest label that it begins with."""
    by_text = {label.rstrip(MASKS): label for label in reversed(labels.to_list())}
    lengths = sorted({len(text) for text in by_text}, reverse=True)
    renamed = [
        next((by_text[value[:length]] for length in lengths if value[:length] in by_text), NONE)
        for value in values.to_list()
    ]
    return pl.Series(renamed, dtype=pl.String)


def _endings(values: pl.Series, labels: pl.Series) -> pl.Series:
    """Return for every good the longest label that it ends with."""
    by_text = {label.lstrip(MASKS): label for label in reversed(labels.to_list())}
    lengths = sorted({len(text) for text in by_text if text}, reverse=True)
    renamed = [
        next((by_text[value[-length:]] for length in lengths if value[-length:] in by_text), NONE)
        for value in values.to_list()
    ]
    return pl.Series(renamed, dtype=pl.String)


def _inner_cuts(values: pl.Series, labels: pl.Series) -> list[tuple[int, int]]:
    """Return where labels that are all equally long may have been cut out of names that are all equally long."""
    lengths, label_lengths = ({len(text) for text in texts.to_list()} for texts in (values, labels))
    if len(lengths) != 1 or len(label_lengths) != 1:
        return []
    length, cut = lengths.pop(), label_lengths.pop()
    return [(first, cut) for first in range(1, min(length - cut, MOST_CUTS + 1))]


def _cut(values: pl.Series, first: int, length: int) -> pl.Series:
    return values.str.slice(first, length)


def _containing(values: pl.Series, labels: pl.Series) -> pl.Series:
    """Return for every good the longest label that its name contains."""
    texts = sorted((label for label in labels.to_list() if label), key=lambda label: (-len(label), label))
    renamed = [next((text for text in texts if text in value), NONE) for value in values.to_list()]
    return pl.Series(renamed, dtype=pl.String)


def _covering(values: pl.Series, labels: pl.Series) -> pl.Series:
    """Return for every good the label that covers fewest goods, itself among them."""
    read = coverage(values, labels)
    if read is None:
        return values
    label_of = np.full(read.size, -1)
    widths = np.bincount(
        np.repeat(np.arange(len(labels)), np.diff(read.start)), weights=read.high - read.low, minlength=len(labels)
    )
    for label in np.argsort(-widths, kind="stable"):
        for stretch in range(read.start[label], read.start[label + 1]):
            label_of[read.low[stretch] : read.high[stretch]] = label
    names = np.full(int(read.labels.max(initial=-1)) + 1, NONE, dtype=object)
    names[read.labels] = labels.to_list()
    chosen = label_of[read.places]
    return pl.Series([names[label] if label >= 0 else NONE for label in chosen], dtype=pl.String)

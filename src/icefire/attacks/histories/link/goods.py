"""How goods were generalised: kept, cut to the beginning of their names, or given labels that can be read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from icefire.attacks.histories.link.reading import ColumnReading, best_fitting, joint_codes, overlap
from icefire.hierarchy.coverage import coverage

MASKS = "*?…"
MOST_LABELS = 20_000
"""More labels than this are compared as they are, or by their beginnings."""
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
        candidates.append(("cut to the beginning of the name", lambda: _beginnings(values, labels)))
        if len(labels) <= MOST_LABELS:
            candidates.append(("generalised: labels cover goods", lambda: _covering(values, labels)))
    name, renamed, fit = best_fitting(candidates, lambda renamed: overlap(*_coded(own, shown, values, renamed)))
    return ColumnReading(*_coded(own, shown, values, renamed), name, fit)


def _coded(own: pl.Series, shown: pl.Series, values: pl.Series, renamed: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    return joint_codes(own.replace_strict(values, renamed, return_dtype=pl.String), shown)


def _beginnings(values: pl.Series, labels: pl.Series) -> pl.Series:
    """Return for every good the longest label that it begins with."""
    by_text = {label.rstrip(MASKS): label for label in reversed(labels.to_list())}
    lengths = sorted({len(text) for text in by_text}, reverse=True)
    renamed = [
        next((by_text[value[:length]] for length in lengths if value[:length] in by_text), NONE)
        for value in values.to_list()
    ]
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

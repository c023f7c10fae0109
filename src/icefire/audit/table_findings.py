"""Findings of a table: class sizes, and which columns give people away, in general and person by person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from icefire.audit import findings
from icefire.core import align, blocks
from icefire.core.dataset import Dataset, numbers
from icefire.core.release import Comparison, Guess
from icefire.core.scorecard import ClassBin, LearnedColumn
from icefire.hierarchy.coverage import coverage
from icefire.kernels.types import Bool, Float, Int

COLUMNS_NAMED = 3
LEAST_BITS = 1.0
"""A column that gives a person away fits at most half of the others."""
LABELS_READ = 512
"""Labels are read in columns of at most so many values."""
SAYS_NOTHING = "constant, replaced or shuffled: it tells nothing"


def class_size_of_each_row(data: Dataset) -> Int:
    """Size of the class of every row; without quasi-identifiers all rows are one class."""
    classes = blocks.blocks_of_table(data.frame, data.qi)
    sizes: Int = classes.x_sizes[classes.x_labels]
    return sizes


def class_sizes(data: Dataset) -> list[ClassBin]:
    """Histogram of the class sizes; empty without quasi-identifiers."""
    if not data.qi:
        return []
    return [ClassBin(*part) for part in findings.histogram(blocks.class_sizes(data.frame, data.qi))]


def row_values(data: Dataset, row: int) -> dict[str, Any]:
    """The quasi-identifiers and sensitive attributes of a row, as JSON can hold them."""
    values = data.frame.select(*data.qi, *data.sa).row(row, named=True)
    return {name: v if isinstance(v, int | float | str | None) else str(v) for name, v in values.items()}


def learned_columns(guesses: Mapping[str, Guess], original: Dataset) -> list[LearnedColumn]:
    """What the joint attack learned about each column it could compare, the most telling first.

    Args:
        guesses: The answers of the attacks by name; `link` notes what it learned with them.
        original: The original table, whose columns are listed.

    Returns:
        One entry per compared column; empty if the joint attack did not run.
    """
    notes = guesses["link"].notes.get("columns", {}) if "link" in guesses else None
    if notes is None:
        return []
    compared = (*original.qi, *original.sa)
    telling = [LearnedColumn(name, note["change"], note["bits"]) for name, note in notes.items()]
    silent = [LearnedColumn(name, SAYS_NOTHING, 0.0) for name in compared if name not in notes]
    return [*sorted(telling, key=lambda column: -column.bits), *silent]


def telling_columns(comparison: Comparison, rows: Int, names: Sequence[str]) -> list[list[str]]:
    """Name for released rows the columns by which few other people fit as well as the one they come from.

    Args:
        comparison: The two tables and the truth.
        rows: The released rows.
        names: Columns to look at.

    Returns:
        For each row at most three columns, the most telling first.
    """
    owners = comparison.truth.rows[rows]
    known, shown = comparison.original.frame, comparison.released.frame
    names = [name for name in names if name in known.columns and name in shown.columns]
    bits = [_bits(known[name], shown[name], rows, owners) for name in names]
    if not bits:
        return [[] for _ in rows]
    table = np.stack(bits, axis=1)
    order = np.argsort(-table, axis=1, kind="stable")[:, :COLUMNS_NAMED]
    return [
        [names[place] for place in best if table[row, place] >= LEAST_BITS] for row, best in enumerate(order.tolist())
    ]


def _bits(x: pl.Series, y: pl.Series, rows: Int, owners: Int) -> Float:
    """How much the values of released rows tell: the smaller the share of people who fit as well, the more."""
    if x.dtype.is_numeric() and y.dtype.is_numeric():
        share = _share_as_near(numbers(x), numbers(y)[rows], numbers(x)[owners])
    else:
        share = _share_covered(align.as_text(x), align.as_text(y), rows, owners)
    bits: Float = -np.log2(share)
    return bits


def _share_as_near(everybody: Float, shown: Float, own: Float) -> Float:
    known = np.sort(everybody[~np.isnan(everybody)])
    far = np.abs(shown - own)
    inside = np.searchsorted(known, shown + far, "right") - np.searchsorted(known, shown - far, "left")
    return np.where(np.isnan(far), 1.0, np.maximum(inside, 1) / max(len(known), 1))


def _share_covered(x: pl.Series, y: pl.Series, rows: Int, owners: Int) -> Float:
    """Share of people whose value the released label covers; 1 where it does not cover the person's own."""
    few = max(x.n_unique(), y.n_unique()) <= LABELS_READ
    read = coverage(x, y) if few else None
    shares = np.ones(len(rows))
    for place, (row, owner) in enumerate(zip(rows.tolist(), owners.tolist(), strict=True)):
        fits: Bool
        if read is None or not len(read.low):
            fits = (x == y[row]).fill_null(False).to_numpy()
        else:
            fits = read.covers(np.full(len(x), read.labels[row]), read.places)
        if fits[owner]:
            shares[place] = fits.mean()
    return shares

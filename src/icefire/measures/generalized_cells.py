"""What released labels of a quasi-identifier leave open: leaves below a label and its level in a hierarchy.

With a published hierarchy both are looked up. Without one, a label is read from its text (`released_values`): it
covers the original values it stands for, a plain value itself alone, and a word that is none everything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire import hierarchy
from icefire.core.errors import UndefinedError
from icefire.core.release import Comparison
from icefire.hierarchy import Hierarchy
from icefire.hierarchy.fitting import as_text
from icefire.kernels.types import Bool, Float, Int
from icefire.measures.released_values import ReadColumn, read_column


@dataclass(frozen=True, slots=True)
class GeneralizedColumn:
    """One quasi-identifier: its released labels row by row. Deleted rows are not in it."""

    name: str
    share: Float
    """Of every released row, the share of the other values that its label covers: 0 for a value, 1 for all."""
    level: Int | None
    """Its level in the hierarchy; None where that is not known."""
    top: int
    """The highest level."""
    label: Int
    """Number of the label of every released row."""
    origin: Int
    """Number of the original value of every original row."""
    paths: list[Int] | None
    """With a hierarchy: for each level what every original row becomes there."""


def generalized_columns(comparison: Comparison, names: tuple[str, ...], folder: str | None) -> list[GeneralizedColumn]:
    """Read the labels of the quasi-identifiers; computed once for all measures."""

    def make() -> list[GeneralizedColumn]:
        if folder is None:
            return [_by_text(comparison, name) for name in names]
        known = hierarchy.read_folder(folder, names)
        return [_by_hierarchy(comparison, name, known[name]) for name in names]

    return comparison.case.cached(("generalized columns", names, folder), make)


def _released_cells(comparison: Comparison, name: str) -> pl.Series:
    """Return a released column; every cell of one that was not released is missing."""
    if name in comparison.released.frame.columns:
        return comparison.released.frame[name]
    return pl.Series(name, [None] * comparison.released.height, comparison.original.frame[name].dtype)


def _by_text(comparison: Comparison, name: str) -> GeneralizedColumn:
    column = read_column(comparison.original.frame[name], _released_cells(comparison, name))
    share = _covered_shares(column)
    lost = _suppressed(comparison, column.shown == column.size, column.known == column.size)
    cell = np.where(lost, 1.0, np.where(column.shown == column.size, 0.0, share[column.shown]))
    level = None if ((cell > 0) & ~lost).any() else lost.astype(np.int64)
    return GeneralizedColumn(name, cell, level, 1, column.shown.astype(np.int64), column.known.astype(np.int64), None)


def _covered_shares(column: ReadColumn) -> Float:
    """Share of the other values of the original that each value or label covers."""
    domain = len(np.unique(column.known))
    values = np.where(column.words, 1.0, 0.0)
    labels = (np.diff(column.start) - 1) / max(domain - 1, 1)
    return np.concatenate([values, [1.0], np.minimum(labels, 1.0)])


def _suppressed(comparison: Comparison, missing: Bool, was_missing: Bool) -> Bool:
    """Which released cells are missing although their origin is not."""
    lost: Bool = missing & ~was_missing[comparison.truth.rows]
    return lost


def _by_hierarchy(comparison: Comparison, name: str, known: Hierarchy) -> GeneralizedColumn:
    fitted = hierarchy.fit(known, comparison.original.frame[name])
    tree, text = fitted.hierarchy, as_text(_released_cells(comparison, name))
    distinct = text.unique().drop_nulls()
    levels, leaves = _first_levels(tree, distinct)
    top = tree.top if tree.closed else tree.levels
    place = pl.DataFrame({"text": distinct, "place": np.arange(len(distinct))})
    rows = pl.DataFrame({"text": text}).join(place, on="text", how="left", maintain_order="left")
    label = rows["place"].fill_null(len(distinct)).to_numpy().astype(np.int64)
    origin = fitted.places[fitted.numbers].astype(np.int64)
    was_missing = comparison.original.frame[name].is_null().to_numpy()
    kept = (label == len(distinct)) & was_missing[comparison.truth.rows]
    level = np.where(kept, 0, np.append(np.where(levels < 0, top, levels), top)[label])
    share = np.append(np.where(levels < 0, 1.0, (leaves - 1) / max(tree.size - 1, 1)), 1.0)[label]
    paths = [codes[origin].astype(np.int64) for codes in tree.codes]
    if not tree.closed:
        paths.append(np.zeros(len(origin), np.int64))
    return GeneralizedColumn(name, np.where(kept, 0.0, share), level, top, label, origin, paths)


def _first_levels(tree: Hierarchy, labels: pl.Series) -> tuple[Int, Int]:
    """Return the lowest level that has each label, -1 for none, and the leaves below it."""
    levels, leaves = np.full(len(labels), -1), np.full(len(labels), tree.size)
    for level in reversed(range(tree.levels)):
        listed = pl.DataFrame({"text": tree.labels[level], "leaves": tree.leaves[level]}).unique("text", keep="first")
        below = pl.DataFrame({"text": labels}).join(listed, on="text", how="left", maintain_order="left")["leaves"]
        has = below.is_not_null().to_numpy()
        levels[has], leaves[has] = level, below.fill_null(0).to_numpy()[has]
    return levels, leaves


def deleted_rows(comparison: Comparison) -> Int:
    """Original rows without a released one; they count as suppressed."""
    return np.flatnonzero(np.bincount(comparison.truth.rows, minlength=comparison.original.height) == 0)


def levels_known(column: GeneralizedColumn) -> Int:
    """The level of every released row, or an error that says what is needed."""
    if column.level is None:
        raise UndefinedError(
            f"column {column.name!r} holds labels, and their levels are not known; "
            "name the folder of the hierarchies with the parameter hierarchies"
        )
    return column.level

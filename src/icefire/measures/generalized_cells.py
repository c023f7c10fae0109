"""What released labels of a quasi-identifier leave open: leaves below a label and its level in a hierarchy.

With a published hierarchy both are looked up. Without one, a label is read from its text (`released_values`): it
covers the original values it stands for, a plain value itself alone, and a word that is none everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire import hierarchy
from icefire.core.errors import UndefinedError
from icefire.core.release import Comparison
from icefire.hierarchy import Hierarchy
from icefire.hierarchy.fitting import as_text
from icefire.kernels.common.value_counts import narrowest
from icefire.kernels.types import Bool, Float, Int
from icefire.measures.released_values import ReadColumn, read_column, read_pair

CellNumbers = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class GeneralizedColumn:
    """One quasi-identifier: its released labels row by row. Deleted rows are not in it."""

    name: str
    cover: Float
    """Of every label, the share of the other values that it covers: 0 for a value, 1 for all."""
    levels: Int | None
    """Of every label, its level in the hierarchy; None where that is not known."""
    top: int
    """The highest level."""
    label: CellNumbers
    """Number of the label of every released row."""
    kept: Bool
    """Which released rows are missing because their origin is: they have lost nothing."""
    origin: CellNumbers
    """Number of the original value of every original row."""
    paths: list[Int] | None
    """With a hierarchy: for each level what every original row becomes there."""

    @property
    def share(self) -> Float:
        """Of every released row, the share of the other values that its label covers."""
        return np.where(self.kept, 0.0, self.cover[self.label])

    @property
    def level(self) -> Int | None:
        """Of every released row, the level of its label in the hierarchy; None where that is not known."""
        return None if self.levels is None else np.where(self.kept, 0, self.levels[self.label])


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
    if name in comparison.released.frame.columns:
        column = read_pair(comparison.case, name)
    else:
        column = read_column(comparison.original.frame[name], _released_cells(comparison, name))
    cover = _covered_shares(column)
    missing = np.arange(len(cover)) == column.size
    kept = np.zeros(len(column.shown), np.bool_)
    if column.shown_counts[column.size]:
        kept = (column.shown == column.size) & (column.known == column.size)[comparison.truth.rows]
    levels = None if ((cover > 0) & ~missing & (column.shown_counts > 0)).any() else missing.astype(np.int64)
    label, origin = (side.astype(narrowest(len(cover)), copy=False) for side in (column.shown, column.known))
    return GeneralizedColumn(name, cover, levels, 1, label, kept, origin, None)


def _covered_shares(column: ReadColumn) -> Float:
    """Share of the other values of the original that each value or label covers."""
    domain = int((column.known_counts > 0).sum())
    values = np.where(column.words, 1.0, 0.0)
    labels = (np.diff(column.start) - 1) / max(domain - 1, 1)
    return np.concatenate([values, [1.0], np.minimum(labels, 1.0)])


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
    level_of_each = np.append(np.where(levels < 0, top, levels), top)
    cover = np.append(np.where(levels < 0, 1.0, (leaves - 1) / max(tree.size - 1, 1)), 1.0)
    paths = [codes[origin].astype(np.int64) for codes in tree.codes]
    if not tree.closed:
        paths.append(np.zeros(len(origin), np.int64))
    return GeneralizedColumn(name, cover, level_of_each, top, label, kept, origin, paths)


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
    level = column.level
    if level is None:
        raise UndefinedError(
            f"column {column.name!r} holds labels, and their levels are not known; "
            "name the folder of the hierarchies with the parameter hierarchies"
        )
    return level

"""Find released labels in hierarchies: the node of each label, and the people a released row may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire import hierarchy
from icefire.core import blocks
from icefire.hierarchy import TOP, Fitted
from icefire.hierarchy.fitting import as_text
from icefire.kernels.types import Float, Int, Int32
from icefire.models.population import PopulationIndex, index_population

NOWHERE = -1


@dataclass(frozen=True, slots=True)
class ReleasedNodes:
    """The distinct released rows whose labels are all known: how often each occurs, and its nodes."""

    population: PopulationIndex
    sizes: Int
    values: Int32
    levels: Int32

    def matches(self) -> Float:
        """Return how many people each distinct row may be."""
        return self.population.matching(self.values, self.levels).astype(np.float64)

    def chances(self) -> Float:
        """Return the chance of everybody to be in the release."""
        return self.population.presence(self.sizes, self.values, self.levels)


def find_nodes(people: pl.DataFrame, released: pl.DataFrame, columns: Sequence[str], folder: str) -> ReleasedNodes:
    """Find the labels of a release in the hierarchies of a folder; `people` are everybody it may be about."""
    known = hierarchy.read_folder(folder, columns)
    fitted = [hierarchy.fit(known[name], people[name]) for name in columns]
    classes = blocks.blocks_of_table(released, columns)
    first = classes.x_rows[classes.x_start[:-1]]
    nodes = [_nodes(column, released[column.name][first]) for column in fitted]
    values, levels = (np.column_stack([node[part] for node in nodes]) for part in (0, 1))
    known_rows = (levels != NOWHERE).all(axis=1)
    return ReleasedNodes(
        index_population(fitted, 0), classes.x_sizes[known_rows], values[known_rows], levels[known_rows]
    )


def _nodes(column: Fitted, labels: pl.Series) -> tuple[Int32, Int32]:
    """Return for every label a value below it and its level, the highest that has it; a label nobody has is nowhere."""
    known, text = column.hierarchy, as_text(labels)
    values, levels = np.zeros(len(text), np.int32), np.full(len(text), NOWHERE, np.int32)
    for level in range(known.levels):
        codes = known.codes[level][column.places]
        _put(values, levels, text, known.labels[level], codes, level)
    if not known.closed:
        _put(values, levels, text, pl.Series([TOP]), np.zeros(len(column.places), np.int32), known.levels)
    return values, levels


def _put(values: Int32, levels: Int32, text: pl.Series, known: pl.Series, codes: Int32, level: int) -> None:
    """Note the labels of one level that some value of the people becomes there."""
    below = np.full(len(known), NOWHERE, np.int32)
    below[codes] = np.arange(len(codes))
    listed = pl.DataFrame({"label": known, "below": below})
    matches = (
        text.alias("label").to_frame().join(listed, on="label", how="left", nulls_equal=True, maintain_order="left")
    )
    place = matches["below"].fill_null(NOWHERE).to_numpy()
    values[place >= 0], levels[place >= 0] = place[place >= 0], level

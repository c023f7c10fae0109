"""Rare people: the tenth of the original with the lowest density, by the distance to the fifth nearest other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.core.mixed_distances import Scales, column_scales, nearest_people
from icefire.kernels.types import Bool, Float, Int

NEIGHBOUR = 5
RARE = 0.1
MOST_PEOPLE = 20_000
"""In larger tables the tenth is that of so many people, drawn at random."""


@dataclass(frozen=True, slots=True)
class RarePeople:
    """Who is rare: people at least so far from their fifth neighbour in the original."""

    original: pl.DataFrame
    columns: tuple[str, ...]
    scales: Scales
    least: float

    def is_rare(self, people: pl.DataFrame, own: Int | None = None) -> Bool:
        """Tell who of these people is rare; `own` is their row in the original, -1 or None if they are not in it."""
        rare: Bool = self._distances(people, own) >= self.least
        return rare

    def _distances(self, people: pl.DataFrame, own: Int | None) -> Float:
        return _fifth(self.original, people, self.columns, self.scales, own)


def rare_people(original: pl.DataFrame, columns: Sequence[str], rng: np.random.Generator) -> RarePeople | None:
    """Find from which distance on people are rare; None where nobody stands out.

    Args:
        original: The original table.
        columns: Columns that distances are over.
        rng: The generator by which people of very large tables are drawn.
    """
    people = np.arange(original.height)
    if len(people) > MOST_PEOPLE:
        people = np.sort(rng.permutation(len(people))[:MOST_PEOPLE])
    scales = column_scales(original, columns)
    distances = _fifth(original, original[people], columns, scales, people)
    wanted = max(1, round(RARE * len(distances)))
    least = float(np.sort(distances)[-wanted])
    # Where half of the people are as far as that, being so is not rare.
    if not columns or not np.isfinite(least) or 2 * int((distances >= least).sum()) > len(distances):
        return None
    return RarePeople(original, tuple(columns), scales, least)


def _fifth(
    original: pl.DataFrame, people: pl.DataFrame, columns: Sequence[str], scales: Scales, own: Int | None
) -> Float:
    fifth: Float = nearest_people(original, people, columns, scales, NEIGHBOUR, own).distances[:, -1]
    return fifth

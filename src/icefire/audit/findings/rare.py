"""Rare people: the tenth of the original with the lowest density, by the distance to the fifth nearest other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.core.mixed_distances import Scales, column_scales, nearest_people
from icefire.kernels.types import Bool, Int

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

    def is_rare(self, people: pl.DataFrame, own: Int | None = None, *, is_in_original: bool = False) -> Bool:
        """Tell who of these people is rare.

        Args:
            people: The people, with the columns of the original.
            own: Their rows in the original, -1 for people who are not in it; None if that is not known.
            is_in_original: Each of them is in the original, in a row that is not known: the nearest is taken for it.
        """
        nearest = nearest_people(self.original, people, self.columns, self.scales, NEIGHBOUR + is_in_original, own)
        rare: Bool = nearest.distances[:, -1] >= self.least
        return rare


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
    distances = nearest_people(original, original[people], columns, scales, NEIGHBOUR, people).distances[:, -1]
    wanted = max(1, round(RARE * len(distances)))
    least = float(np.sort(distances)[-wanted])
    # Where half of the people are as far as that, being so is not rare.
    if not columns or not np.isfinite(least) or 2 * int((distances >= least).sum()) > len(distances):
        return None
    return RarePeople(original, tuple(columns), scales, least)

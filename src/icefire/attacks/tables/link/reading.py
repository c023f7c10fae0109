"""How the columns of a release are read: by their names, or otherwise where that explains the release better."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.attacks.tables.link import column_sources, learning
from icefire.attacks.tables.link.channel_tables import TableStore
from icefire.attacks.tables.link.column_sources import OtherSources
from icefire.attacks.tables.link.columns import LinkColumn
from icefire.attacks.tables.link.ordering import OrderedTables, levels_to_learn
from icefire.kernels.types import Int

VAGUE = learning.VAGUE
"""Gain, as a share of what it takes to know everybody, below which columns are read in other ways."""
UNSURE = 1.5
"""Gain, likewise, below which differences of columns are compared: columns that go together seem to tell much."""
CLEARER = 0.3
"""Log-likelihood per row that another reading must gain: of several readings one may seem better by chance."""
TELLS_ALL = 1.0
"""Gain, as a share of what it takes to know everybody, that coordinates of all columns must reach: where columns were
combined it is 1.6 and more, and up to 0.6 by chance on releases that were swapped or synthesised."""
TELLS_MOST, FEW_ROWS = 0.6, 1000
"""Gain, likewise, that learned combinations must reach in tables of so few rows: up to 0.5 by chance."""
TURNS = 3
"""How often combinations are learned from the rows recognised by the last ones."""


@dataclass(frozen=True)
class ReadTables:
    """Both tables as they are compared, what was learned about their columns, and other sources in words."""

    tables: OrderedTables
    columns: list[LinkColumn]
    learned: learning.Learned
    words: dict[str, str]


def read_otherwise(
    plain: ReadTables, unreleased: pl.DataFrame, sample: Int, rng: np.random.Generator, store: TableStore
) -> ReadTables:
    """Return the reading that explains the sampled rows best; its channels are not `settled` yet.

    Args:
        plain: Every column compared with the one of its name.
        unreleased: Columns that only the original has.
        sample: Released rows to learn from.
        rng: The generator that learning draws from.
        store: Tables of channels.
    """
    best = plain
    least = TELLS_MOST * math.log(plain.tables.x.height) if plain.tables.y.height <= FEW_ROWS else 0.0
    apart = column_sources.as_differences(plain.tables)
    if apart is not None:
        most = TELLS_MOST * math.log(plain.tables.x.height)
        # Columns that go together seem to tell more than they do, and differences that were kept are evidence.
        best = _better(best, apart, sample, rng, store, most, 0.0)
    if best.learned.gain >= VAGUE * math.log(plain.tables.x.height):
        return best
    moved = column_sources.under_other_headers(plain.tables, unreleased)
    if moved is not None:
        best = _better(best, moved, sample, rng, store)
    for turned in column_sources.as_invariant_coordinates(plain.tables):
        best = _better(best, turned, sample, rng, store, TELLS_ALL * math.log(plain.tables.x.height))
    names = column_sources.changed_numbers(plain.tables)
    for _ in range(TURNS):
        rows, nearest = best.learned.sample, best.learned.nearest
        if len(names) < 2 or rows is None or nearest is None or best.learned.gain <= 0:
            break
        # Who is nearest was chosen by these values, so only rows that taught nothing show whether a combination holds.
        combined = column_sources.as_learned_combinations(plain.tables, names, rows[::2], nearest[::2])
        if combined is None or _better(best, combined, rows[1::2], rng, store) is best:
            break
        better = _better(best, combined, sample, rng, store, least)
        if better is best:
            break
        best = better
    return best


def _better(
    best: ReadTables,
    other: OtherSources,
    sample: Int,
    rng: np.random.Generator,
    store: TableStore,
    least: float = 0.0,
    clearer: float = CLEARER,
) -> ReadTables:
    """Return the other reading if it explains the rows clearly better, and by at least so much."""
    columns = other.tables.columns(levels_to_learn(len(other.tables.x.columns)))
    learned = learning.learn_unsettled(columns, sample, None, rng, None, store)
    is_better = learned.gain > max(best.learned.gain + clearer, least)
    return ReadTables(other.tables, columns, learned, other.words) if is_better else best

"""Special uniques: rows unique by few quasi-identifiers together, scored as by SUDA (Elliot et al. 2002)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import Dataset
from icefire.core.scorecard.risks import SpecialColumn, SpecialRow, SpecialUniques
from icefire.kernels.grouping import special_uniques
from icefire.kernels.grouping.special_uniques import MinimalUniqueSets
from icefire.kernels.types import Bool, Float, Int, Int32

WORK = 1_000_000_000
"""Classes times sets of columns: about ten seconds. A larger table is searched for smaller sets."""
SET_WORK = 2_000
"""A set costs about as much as so many classes, however few there are."""
SHOWN = 5
"""Minimal sets named per row."""


@dataclass(frozen=True)
class SpecialSets:
    """The minimal sets of every class and, through `label`, of every row."""

    names: tuple[str, ...]
    codes: Int32
    minimal: MinimalUniqueSets
    asked: int
    label: Int

    @property
    def max_size(self) -> int:
        """The largest sets tried."""
        return int(self.minimal.counts.shape[1])

    @cached_property
    def weights(self) -> Float:
        """What a minimal set of 1, 2, … of m columns counts: (m - size)! / (m - 1)!."""
        columns = len(self.names)
        return np.array([1 / math.perm(columns - 1, size) for size in range(self.max_size)])

    @cached_property
    def counts(self) -> Int32:
        """Minimal sets of every row, by size."""
        counts: Int32 = self.minimal.counts[self.label]
        return counts

    @cached_property
    def scores(self) -> Float:
        """The score of every row: the sum over its minimal sets; 0 if it has none."""
        scores: Float = (self.minimal.counts @ self.weights)[self.label]
        return scores


def find(table: pl.DataFrame | Dataset, names: Sequence[str], max_size: int = 3) -> SpecialSets:
    """Find the minimal sets of at most `max_size` columns by which rows are alone."""
    if isinstance(table, Dataset):
        encoded, classes = [table.encoded(name) for name in names], table.classes(names)
    else:
        encoded = [blocks.encode(table[name]) for name in names]
        classes = blocks.blocks_of_columns(encoded, table.height, 0)
    # Equal rows are never unique, so one row of each class is enough.
    first = classes.x_rows[classes.x_start[:-1]]
    codes = np.stack([_dense(column.values[first].astype(np.int64) - column.lowest) for column in encoded])
    sizes = codes.max(axis=1).astype(np.int64) + 1
    most = affordable(len(first), len(names), max_size)
    minimal = special_uniques.minimal_unique_sets(codes, sizes, classes.x_sizes > 1, most)
    return SpecialSets(tuple(names), codes, minimal, min(max_size, len(names)), classes.x_labels)


def affordable(classes: int, columns: int, asked: int) -> int:
    """Return the largest size of sets that can be tried within bounds: never more than asked for, always 1."""
    size = min(asked, columns)
    while size > 1 and (classes + SET_WORK) * sum(math.comb(columns, s) for s in range(1, size + 1)) > WORK:
        size -= 1
    return size


def _dense(values: Int) -> Int32:
    """Number the values that occur from 0, without gaps."""
    occurs = np.bincount(values, minlength=1) > 0
    dense: Int32 = (np.cumsum(occurs) - 1).astype(np.int32)[values]
    return dense


def summarize(special: SpecialSets, hits: Mapping[str, Bool], rows: int) -> SpecialUniques:
    """Sum up, and list the `rows` rows of highest score with the attacks that identified them."""
    smallest = np.where(special.counts.any(axis=1), (special.counts > 0).argmax(axis=1), special.max_size)
    by_size = np.bincount(smallest, minlength=special.max_size + 1)[: special.max_size]
    return SpecialUniques(
        max_size=special.max_size,
        asked_size=special.asked,
        rows=int(by_size.sum()),
        rows_by_size=by_size.tolist(),
        sets_by_size=special.minimal.counts.sum(axis=0, dtype=np.int64).tolist(),
        columns=_columns(special),
        top=[_row(special, row, hits) for row in _highest(special.scores, rows)],
    )


def _highest(scores: Float, rows: int) -> list[int]:
    """The rows of highest score, the lowest row first among equals."""
    alone = np.flatnonzero(scores > 0)
    return [int(row) for row in alone[np.argsort(-scores[alone], kind="stable")][:rows]]


def _columns(special: SpecialSets) -> list[SpecialColumn]:
    """What each column has to do with it, the one with most first."""
    scores = {chosen: n * float(special.weights[len(chosen) - 1]) for chosen, n in special.minimal.rows_by_set.items()}
    total = sum(scores.values())
    listed = []
    sets, shares = np.zeros(len(special.names), np.int64), np.zeros(len(special.names))
    for chosen, score in scores.items():
        for place in chosen:
            sets[place] += special.minimal.rows_by_set[chosen]
            shares[place] += score
    for place, name in enumerate(special.names):
        listed.append(SpecialColumn(name, int(sets[place]), float(shares[place]) / total if total else 0.0))
    return sorted(listed, key=lambda column: -column.share)


def _row(special: SpecialSets, row: int, hits: Mapping[str, Bool]) -> SpecialRow:
    label = int(special.label[row])
    named = [[special.names[column] for column in chosen] for chosen in sets_of(special, label, SHOWN)]
    by = [name for name, hit in hits.items() if hit[row]]
    return SpecialRow(row, float(special.scores[row]), special.minimal.counts[label].tolist(), named, by)


def sets_of(special: SpecialSets, label: int, most: int | None = None) -> list[tuple[int, ...]]:
    """List the first minimal sets of one class: nobody agrees with it on all of one, though somebody does on any part.

    Args:
        special: What `find` returned.
        label: The class.
        most: How many sets to list, the smallest first. Default: all.

    Returns:
        Columns by their numbers.
    """
    others = special.codes == special.codes[:, [label]]
    others[:, label] = False
    # Many rows agree on the same columns, so one of each kind is enough.
    keys, bound = blocks.pack_keys([blocks.EncodedColumn(line.view(np.int8), 0, 2) for line in others], others.shape[1])
    agree = others[:, _one_of_each(keys, bound)]
    alone: list[tuple[int, ...]] = []
    for size in range(1, special.max_size + 1):
        for chosen in combinations(range(len(special.names)), size):
            if not any(set(part) <= set(chosen) for part in alone) and not agree[list(chosen)].all(axis=0).any():
                alone.append(chosen)
                if len(alone) == most:
                    return alone
    return alone


def _one_of_each(keys: Int, bound: int) -> Int:
    """Return a place of every key that occurs; keys lie below `bound`."""
    if bound > 1 << 20:
        return np.unique(keys, return_index=True)[1]
    place = np.full(bound, -1)
    place[keys] = np.arange(len(keys))
    return place[place >= 0]

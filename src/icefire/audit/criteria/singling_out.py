"""Singling out: do a few released values isolate one person, in the release and among the people?

Without a hold-out the control is computed: the chance that a predicate isolates exactly one of as many other people, if
the columns were independent of one another in the population.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.audit.attributes.targets import draw_people
from icefire.core import formatting
from icefire.core.dataset import Dataset
from icefire.core.schema import Role
from icefire.hierarchy.coverage import Coverage, read_labels
from icefire.kernels.evidence.isolation import LabelTable, isolating_predicates
from icefire.kernels.types import Bool, Float, Int

COLUMNS = 3
"""Largest number of columns of a predicate."""
MOST_ASKED = 250
BIT_WORK = 400_000_000
"""Cells looked at, at most, unless fewer than `LEAST_ASKED` people are asked about."""
LEAST_ASKED = 50


@dataclass(frozen=True, slots=True)
class SingledOut:
    """People asked about, and the predicates that single them out."""

    rows: Int
    """Released rows asked about."""
    predicates: Int
    """rows × 3 columns, -1 for none."""
    columns: list[str]
    control: float
    """Share of people, among the same number asked about, whom such predicates isolate outside the data."""
    control_kind: str
    complete: bool
    """Whether everybody was asked about."""

    @property
    def singled_out(self) -> Bool:
        """Who is singled out."""
        isolated: Bool = self.predicates[:, 0] >= 0
        return isolated


def single_out(
    original: Dataset,
    released: Dataset,
    origin: Int,
    seed: int,
    *,
    holdout: Dataset | None = None,
    most: int = COLUMNS,
    read: dict[str, Coverage] | None = None,
) -> SingledOut:
    """Look for predicates of at most `most` columns that single out people, and for how often they do so elsewhere.

    Args:
        original: The people.
        released: The release.
        origin: The original row of each released row.
        seed: Seed of the draw of people.
        holdout: People who are not in the data; as many as there are in the data, if there are so many.
        most: Largest number of columns of a predicate, 1 to 3.
        read: Without a hold-out, what the released labels cover is put in here for others to use.
    """
    columns = [
        column.name
        for column in original.schema.columns
        if column.role is not Role.ID and column.name in released.frame.columns
    ]
    asked = max(LEAST_ASKED, min(MOST_ASKED, BIT_WORK // max(1, 2 * released.height * len(columns))))
    rows = draw_people(np.arange(released.height), asked, seed, "singling out")
    people = original.height
    others = None if holdout is None else _equal_size(holdout, people, seed)
    coverages = [_read(original, released, others, name) for name in columns]
    if read is not None and others is None:
        read |= zip(columns, coverages, strict=True)
    table = _label_table(coverages, people)
    predicates = isolating_predicates(table, rows, origin, most)
    if others is None:
        chance = _independent_chance(coverages, rows, predicates, people)
        kind = "computed, as if columns were independent"
    else:
        chance = _isolated_outside(coverages, rows, predicates, people)
        kind = f"hold-out of {formatting.counted(others.height, 'person', 'people')}"
    control = float(chance.sum()) / len(rows)
    return SingledOut(rows, predicates, columns, control, kind, len(rows) == released.height)


def _equal_size(holdout: Dataset, people: int, seed: int) -> Dataset:
    return holdout.take(draw_people(np.arange(holdout.height), people, seed, "singling out, controls"))


def _read(original: Dataset, released: Dataset, others: Dataset | None, name: str) -> Coverage:
    people = original.frame[name]
    everybody = people if others is None else pl.concat([people, others.frame[name]])
    return read_labels(everybody, released.frame[name], counted=len(people))


def _label_table(coverages: list[Coverage], people: int) -> LabelTable:
    offset = np.append(0, np.cumsum([len(column.start) - 1 for column in coverages]))
    labels = np.stack([column.labels + begin for column, begin in zip(coverages, offset, strict=False)])
    stretch = np.append(0, np.cumsum(np.concatenate([np.diff(column.start) for column in coverages])))
    low, high = (np.concatenate([getattr(c, side) for c in coverages]).astype(np.int64) for side in ("low", "high"))
    places = np.stack([column.places[:people] for column in coverages])
    first, last = (np.concatenate(ends) for ends in zip(*(column.hulls() for column in coverages), strict=True))
    return LabelTable(labels.astype(np.int32), places, stretch, low, high, first, last, offset)


def _independent_chance(coverages: list[Coverage], rows: Int, predicates: Int, people: int) -> Float:
    """Return for each predicate the chance that it isolates exactly one of as many people outside; 0 for none."""
    weight = np.ones(len(rows))
    for c, column in enumerate(coverages):
        used = (predicates == c).any(axis=1)
        labels, place = np.unique(column.labels[rows[used]], return_inverse=True)
        places = column.places[:people]
        shares = np.array([column.covers(np.full(people, label), places).mean() for label in labels])
        if used.any():
            weight[used] *= shares[place]
    chance: Float = np.where(predicates[:, 0] >= 0, people * weight * (1 - weight) ** (people - 1), 0.0)
    return np.minimum(chance, 1.0)


def _isolated_outside(coverages: list[Coverage], rows: Int, predicates: Int, people: int) -> Float:
    """Tell for each predicate whether exactly one person of the hold-out satisfies it."""
    isolated = np.zeros(len(rows))
    for t in np.flatnonzero(predicates[:, 0] >= 0):
        satisfied = np.ones(len(coverages[0].places) - people, bool)
        for c in predicates[t][predicates[t] >= 0]:
            places = coverages[c].places[people:]
            satisfied &= coverages[c].covers(np.full(len(places), coverages[c].labels[rows[t]]), places)
        isolated[t] = satisfied.sum() == 1
    return isolated

"""Singling out: do a few released values isolate one person, in the release and among the people?

Without a hold-out the control is computed: the chance that a predicate isolates exactly one of as many other people, if
the columns were independent of one another in the population.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from icefire.audit.attributes.targets import draw_people
from icefire.core import formatting
from icefire.core.dataset import Dataset
from icefire.core.schema import Role
from icefire.hierarchy.coverage import Coverage, read_labels
from icefire.kernels.common import threads
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
        read: Without a hold-out, what the released labels cover, where that is known; the rest is put in here for
            others to use.
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
    known = read if read is not None and others is None else {}
    missing = [name for name in columns if name not in known]
    known |= zip(missing, threads.starmap(_read, [(original, released, others, name) for name in missing]), strict=True)
    table = _label_table(known, columns, released.height, people)
    coverages = [known[name] for name in columns]
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


def _label_table(known: dict[str, Coverage], columns: list[str], rows: int, people: int) -> LabelTable:
    """Put what the labels of columns cover side by side; `known` shares the table with the places of people alone."""
    labels, places = np.empty((len(columns), rows), np.int32), np.empty((len(columns), people), np.int32)
    for c, name in enumerate(columns):
        column = known[name]
        labels[c], places[c] = column.labels, column.places[:people]
        alone = len(column.places) == people
        known[name] = replace(column, labels=labels[c], places=places[c] if alone else column.places)
    coverages = [known[name] for name in columns]
    offset = np.append(0, np.cumsum([len(column.start) - 1 for column in coverages]))
    stretch = np.append(0, np.cumsum(np.concatenate([np.diff(column.start) for column in coverages])))
    low, high = (np.concatenate([getattr(c, side) for c in coverages]).astype(np.int64) for side in ("low", "high"))
    first, last = (np.concatenate(ends) for ends in zip(*(column.hulls() for column in coverages), strict=True))
    return LabelTable(labels, places, stretch, low, high, first, last, offset)


def _independent_chance(coverages: list[Coverage], rows: Int, predicates: Int, people: int) -> Float:
    """Return for each predicate the chance that it isolates exactly one of as many people outside; 0 for none."""
    weight = np.ones(len(rows))
    for c, column in enumerate(coverages):
        used = (predicates == c).any(axis=1)
        labels, place = np.unique(column.labels[rows[used]], return_inverse=True)
        if used.any():
            weight[used] *= _shares_covered(column, labels, people)[place]
    chance: Float = np.where(predicates[:, 0] >= 0, people * weight * (1 - weight) ** (people - 1), 0.0)
    return np.minimum(chance, 1.0)


def _shares_covered(column: Coverage, labels: Int, people: int) -> Float:
    """Return for each label the share of the people whose value it covers."""
    counts, every = np.bincount(column.places[:people], minlength=column.size), np.arange(column.size)
    covered = [int(counts[column.covers(np.full(column.size, label), every)].sum()) for label in labels]
    return np.array(covered) / people


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

"""Copies: released rows that equal one person of the original, or nearly so, and what coincidence makes of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.audit import judge
from icefire.audit.synthetic.tables import SyntheticTables
from icefire.core.dataset import Dataset
from icefire.core.mixed_distances import Neighbours, nearest_people
from icefire.core.scorecard.membership import Interval
from icefire.core.scorecard.synthetic import Copies, Distances
from icefire.kernels.types import Bool, Float, Int

NEAR = 0.1
"""A row is nearly a copy of a person if it is nearer than this part of that person's distance to the nearest other."""
MOST_ROWS = 20_000
"""Of larger tables so many rows, drawn at random, are compared with all rows of the other table."""
DEVIATIONS = 3.0
"""People of the original have copies more often than people outside, beyond chance, from so many deviations on."""
QUANTILES = ("0.01", "0.05", "0.25", "0.5", "0.75")


@dataclass(frozen=True, slots=True)
class CopyFindings:
    """What is found of copies and distances."""

    identical: Copies
    near_identical: Copies
    least_control: float
    """What coincidence makes of the near-identical share, at least: from the lower end of the control's interval."""
    copied_people: float
    """Share of the people of the original who have a copy beyond coincidence; 0 where chance explains it."""
    nearer_to_original: float | None
    nearer_ci: Interval | None
    members: Distances
    outsiders: Distances | None
    records: pl.DataFrame
    """For each released row that was compared: the nearest original row, its distance, and whether it is a copy."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """How near rows of the release and people are to one another, against how near people are to other people."""

    gap: Float
    """Distance between a person and the nearest released row, or a released row and its nearest person."""
    to_others: Float
    """Distance of the person to the nearest other person of the original."""

    @property
    def identical(self) -> Bool:
        """Equal, and nobody else is."""
        equal: Bool = (self.gap == 0) & (self.to_others > 0)
        return equal

    @property
    def near_identical(self) -> Bool:
        """Equal or nearly so."""
        near: Bool = self.gap < NEAR * self.to_others
        return near


def find_copies(tables: SyntheticTables, rng: np.random.Generator) -> CopyFindings:
    """Find copies of people in a release, and the distances of people to it.

    Coincidence makes copies as well: as often of people outside the data as of people inside. So the control is the
    share found, times how often people of the hold-out have a copy, over how often people of the original have one.

    Args:
        tables: The tables; without a hold-out there is no control.
        rng: The generator by which rows of very large tables are drawn.
    """
    rows, people = (_drawn_rows(table.height, rng) for table in (tables.released, tables.original))
    shown = tables.released.take(rows)
    nearest = _nearest(tables, tables.original, shown)
    released = Closeness(nearest.distances[:, 0], _to_other_people(tables, nearest.rows[:, 0]))
    members = Closeness(_to_release(tables, tables.original.take(people)), _to_other_people(tables, people))
    outsiders = nearer = None
    if tables.holdout is not None:
        others = tables.holdout.take(_drawn_rows(tables.holdout.height, rng))
        outsiders = Closeness(_to_release(tables, others), _nearest(tables, tables.original, others).distances[:, 0])
        nearer = _nearer_to_original(released.gap, _nearest(tables, tables.holdout, shown).distances[:, 0])
    copied = released.near_identical
    return CopyFindings(
        identical=_copies(released, nearest.rows, members, outsiders, "identical"),
        near_identical=_copies(released, nearest.rows, members, outsiders, "near_identical"),
        least_control=float(copied.mean()) * (_ratio(members, outsiders, "near_identical", least=True) or 0.0),
        copied_people=_beyond_chance(members.near_identical, None if outsiders is None else outsiders.near_identical),
        nearer_to_original=nearer,
        nearer_ci=None if nearer is None else judge.wilson(nearer * len(rows), len(rows)),
        members=_distances(members.gap),
        outsiders=None if outsiders is None else _distances(outsiders.gap),
        records=pl.DataFrame(
            {
                "released_row": rows,
                "nearest_original_row": nearest.rows[:, 0],
                "distance": released.gap,
                "identical": released.identical,
                "near_identical": copied,
            }
        ),
    )


def _drawn_rows(count: int, rng: np.random.Generator) -> Int:
    """Return all rows of a table, or so many that comparing stays affordable."""
    if count <= MOST_ROWS:
        return np.arange(count)
    return np.sort(rng.permutation(count)[:MOST_ROWS])


def _nearest(tables: SyntheticTables, candidates: Dataset, targets: Dataset, own: Int | None = None) -> Neighbours:
    return nearest_people(candidates.frame, targets.frame, tables.compared, tables.scales, 1, own)


def _to_release(tables: SyntheticTables, people: Dataset) -> Float:
    return _nearest(tables, tables.released, people).distances[:, 0]


def _to_other_people(tables: SyntheticTables, people: Int) -> Float:
    """Return the distance of people of the original to the nearest other."""
    distinct, places = np.unique(people, return_inverse=True)
    nearest = _nearest(tables, tables.original, tables.original.take(distinct), distinct)
    distances: Float = nearest.distances[:, 0][places]
    return distances


def _ratio(members: Closeness, outsiders: Closeness | None, kind: str, *, least: bool = False) -> float | None:
    """Return how often outsiders have a copy for each time that members have one, 1 at most; None without outsiders."""
    if outsiders is None:
        return None
    inside, outside = getattr(members, kind), getattr(outsiders, kind)
    share = judge.wilson(int(outside.sum()), len(outside))[0] if least else float(outside.mean())
    return min(1.0, share / float(inside.mean())) if inside.any() else 1.0


def _copies(released: Closeness, nearest: Int, members: Closeness, outsiders: Closeness | None, kind: str) -> Copies:
    copied: Bool = getattr(released, kind)
    share, ratio = float(copied.mean()), _ratio(members, outsiders, kind)
    return Copies(
        rows=int(copied.sum()),
        share=share,
        people=len(np.unique(nearest[copied, 0])),
        control=None if ratio is None else share * ratio,
        people_share=float(getattr(members, kind).mean()),
        people_control=None if outsiders is None else float(getattr(outsiders, kind).mean()),
    )


def _beyond_chance(inside: Bool, outside: Bool | None) -> float:
    """Return which share of the people is copied beyond coincidence: of those whom coincidence does not copy anyway.

    0 if the difference may be chance, and without a hold-out: coincidence is not known then.
    """
    if outside is None or outside.all():
        return 0.0
    excess = float(inside.mean() - outside.mean())
    together = (int(inside.sum()) + int(outside.sum())) / (len(inside) + len(outside))
    deviation = math.sqrt(together * (1 - together) * (1 / len(inside) + 1 / len(outside)))
    return excess / (1 - float(outside.mean())) if excess > DEVIATIONS * deviation else 0.0


def _nearer_to_original(to_original: Float, to_holdout: Float) -> float:
    """Return the share of released rows whose nearest person is in the original; equal distances count half."""
    return float((to_original < to_holdout).mean() + (to_original == to_holdout).mean() / 2)


def _distances(gaps: Float) -> Distances:
    values = np.quantile(gaps, [float(share) for share in QUANTILES])
    return Distances(len(gaps), {share: float(value) for share, value in zip(QUANTILES, values, strict=True)})

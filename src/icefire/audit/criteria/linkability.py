"""Linkability: two sources know different columns of a person; does the release show that both know the same one?

Of each half of the columns the nearest released row is taken. The halves are linked if it is the same row. The control
is the same for people outside the data or, without a hold-out, without the rows made from the person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from icefire.attacks.attributes.known_columns import TargetColumn, column_of_people, known_columns
from icefire.attacks.attributes.nearest_value import nearest_by_columns
from icefire.audit.attributes.targets import AskedPeople, asked_people, draw_people, known_part, people_behind
from icefire.core import seeds
from icefire.core.attribute import AttributeCase
from icefire.core.dataset import Dataset
from icefire.core.schema import Role
from icefire.hierarchy.coverage import Coverage
from icefire.kernels.common import threads
from icefire.kernels.types import Bool, Int

MOST_ASKED = 250
COMPARISONS = 500_000_000
"""Cells compared, at most, unless fewer than `LEAST_ASKED` people are asked about."""
LEAST_ASKED = 50
LISTED = 4
"""Nearest rows listed of each half: others take the place of a person's own row where that is left out."""


@dataclass(frozen=True, slots=True)
class LinkedHalves:
    """For each person asked about, whether the two halves lead to the same row."""

    halves: tuple[list[str], list[str]]
    linked: Bool
    control: Bool
    paired: bool
    """Whether the control is about the same people."""
    complete: bool
    """Whether everybody was asked about."""


def halves_of_record(data: Dataset, released: Dataset) -> tuple[list[str], list[str]]:
    """Deal the columns out to two sources: every second quasi-identifier, then every second other column."""
    shared = [c for c in data.schema.columns if c.name in released.frame.columns and c.role is not Role.ID]
    ordered = [c.name for c in shared if c.role is Role.QI] + [c.name for c in shared if c.role is not Role.QI]
    return ordered[::2], ordered[1::2]


def link_halves(
    original: Dataset,
    released: Dataset,
    origin: Int,
    seed: int,
    *,
    holdout: Dataset | None = None,
    everybody: bool = False,
    read: Mapping[str, Coverage] | None = None,
) -> LinkedHalves | None:
    """Link the halves of people's records; None for a table of one column.

    Args:
        original: The people.
        released: The release.
        origin: The original row of each released row.
        seed: Seed of the draw of people and of the shuffle.
        holdout: People who are not in the data.
        everybody: Ask about everybody of the original, also if no released row was made from them.
        read: What the released labels of these columns cover, where that is known.
    """
    halves = halves_of_record(original, released)
    if not halves[1]:
        return None
    columns = tuple(halves[0] + halves[1])
    order = seeds.generator(seed, "shuffle").permutation(released.height)
    people = known_part(original, columns)
    most = max(LEAST_ASKED, min(MOST_ASKED, COMPARISONS // max(1, released.height * len(columns))))
    inside = np.arange(original.height) if everybody else people_behind(origin, original.height)
    rows = draw_people(inside, most, seed, "linkability")
    if holdout is None and read is not None and all(name in read for name in columns):
        # The order of the rows decides which of equally near ones is the first: the release is shuffled as ever.
        linked, without_own = _linked_by(
            lambda name: column_of_people(people.frame[name], released.frame[name], read[name], rows, order),
            (rows, origin[order]),
            halves,
        )
        return LinkedHalves(halves, linked, without_own, True, len(rows) == len(inside))
    case = AttributeCase(people, released.take(order), "", people)
    members = asked_people(people.take(rows), rows, case, origin[order], in_data=True)
    linked, without_own = _linked_people(members, halves)
    if holdout is None:
        return LinkedHalves(halves, linked, without_own, True, len(rows) == len(inside))
    outside = draw_people(np.arange(holdout.height), most, seed, "linkability, controls")
    others = asked_people(known_part(holdout, columns).take(outside), outside, case, origin[order], in_data=False)
    return LinkedHalves(halves, linked, _linked_people(others, halves)[0], False, len(rows) == len(inside))


def _linked_people(asked: AskedPeople, halves: tuple[list[str], list[str]]) -> tuple[Bool, Bool]:
    columns = dict(zip(asked.case.columns, known_columns(asked.case), strict=True))
    return _linked_by(columns.__getitem__, (asked.person, asked.origin), halves)


def _linked_by(
    column: Callable[[str], TargetColumn], people: tuple[Int, Int], halves: tuple[list[str], list[str]]
) -> tuple[Bool, Bool]:
    """Tell whose halves lead to the same row, and whose do so without the rows made from the person.

    Args:
        column: Returns a column of the targets and of the release.
        people: The person of each target, and of each released row.
        halves: The columns of both sources; those of one are read at a time.
    """
    person, origin = people
    nearest = [
        nearest_by_columns(threads.starmap(column, [(name,) for name in half]), len(person), len(origin), LISTED)
        for half in halves
    ]
    left, right = (_first_of_others(rows, person, origin) for rows in nearest)
    return nearest[0][:, 0] == nearest[1][:, 0], (left == right) & (left >= 0)


def _first_of_others(rows: Int, person: Int, origin: Int) -> Int:
    """Return the nearest row that was not made from the person; -1 if all listed ones were."""
    others = origin[rows] != person[:, None]
    first = rows[np.arange(len(rows)), np.argmax(others, axis=1)]
    return np.where(others.any(axis=1), first, -1)

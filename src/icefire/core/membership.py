"""Membership: the case that attackers on membership receive, and the draw of members and outsiders.

The targets are original records, some of which were left out of the release, or of a synthetic one the original and
others. An answer is up to k released rows, best first, or -1 for "not a member", or a score, or both. Truth and guess
have the same form as everywhere, and the same judge scores them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from icefire.core.cache import CachedProperties
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.core.mixed_distances import Neighbours, Scales, column_scales, nearest_people
from icefire.core.release import NO_ANSWER, Comparison, Truth
from icefire.core.schema import Role
from icefire.kernels.types import Bool, Int


@dataclass(frozen=True, slots=True)
class LabelledRecords:
    """Records of which the attacker knows whether they are in the data; nobody who is asked about is among them."""

    records: Dataset
    member: Bool
    in_background: Int | None = None
    """The row of the background that is this person, -1 for none; None if nobody is in the background."""


@dataclass(frozen=True, slots=True)
class MembershipCase(CachedProperties):
    """What the attacker holds: the records asked about, the released table and, where they are held, other people."""

    records: Dataset
    released: Dataset
    original: Dataset | None = None
    """Everybody the release may have been made from, the records asked about among them; None if not held."""
    background: Dataset | None = None
    """People like those asked about who are not in the data; None if not held."""
    examples: LabelledRecords | None = None
    """Records whose membership is known; None if there are none."""
    scales: Scales | None = None
    """What differences of numbers are divided by, as is known of the population; None: by the records asked about."""
    has_strangers: bool = False
    """Whether released rows may come from people who are in none of the tables held."""
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def targets(self) -> int:
        """Number of questions: one per record."""
        return self.records.height

    @property
    def choices(self) -> int:
        """Number of possible answers: the released rows."""
        return self.released.height

    @property
    def compared(self) -> tuple[str, ...]:
        """Columns that distances are over: those of the release that the records have, identifiers excepted."""
        hidden = self.records.schema.named(Role.ID)
        present = set(self.records.frame.columns)
        return tuple(name for name in self.released.frame.columns if name in present and name not in hidden)

    def column_scales(self) -> Scales:
        """What differences of numbers are divided by."""
        if self.scales is not None:
            return self.scales
        return self.cached("scales", lambda: column_scales(self.records.frame, self.compared))

    def nearest_released(self, k: int) -> Neighbours:
        """Return the k nearest released rows of every record."""
        return self.cached(("released", k), lambda: self._nearest(self.released, k))

    def nearest_in_background(self, k: int) -> Neighbours:
        """Return the k nearest people of the background; without one, of the other records asked about."""
        return self.cached(("background", k), lambda: self._nearest_others(k))

    def _nearest_others(self, k: int) -> Neighbours:
        if self.background is not None:
            return self._nearest(self.background, k)
        return self._nearest(self.records, k, np.arange(self.records.height))

    def _nearest(self, table: Dataset, k: int, own: Int | None = None) -> Neighbours:
        return nearest_people(table.frame, self.records.frame, self.compared, self.column_scales(), k, own)


MOST_ASKED = 500
"""So many members and as many outsiders are asked about, where nobody says how many and there are enough."""


@dataclass(frozen=True, slots=True)
class Draw:
    """How many records to ask about; None for as many of both as there are, up to a number."""

    members: int | None = 50
    outsiders: int | None = 50

    def sizes(self, inside: int, outside: int) -> tuple[int, int]:
        """Return how many members and outsiders are asked about, of so many released and deleted records."""
        usual = max(1, min(inside, outside, MOST_ASKED))
        return usual if self.members is None else self.members, usual if self.outsiders is None else self.outsiders


def sample(comparison: Comparison, draw: Draw, rng: np.random.Generator) -> tuple[MembershipCase, Truth]:
    """Draw records that are in the release and records that are not, and mix them; the truth is the judge's."""
    place = np.full(comparison.original.height, NO_ANSWER, np.int64)
    place[comparison.truth.rows] = np.arange(comparison.released.height)
    rows = draw_records(place, draw, rng)
    case = MembershipCase(comparison.original.take(rows), comparison.released, comparison.original)
    return case, Truth(place[rows])


def draw_records(place: Int, draw: Draw, rng: np.random.Generator) -> Int:
    """Draw records to ask about, and mix them.

    Args:
        place: The released row of each record, -1 for one that was left out.
        draw: How many of both are asked about.
        rng: The generator of the draw.

    Raises:
        InputError: If there are fewer of either than are to be asked about.
    """
    inside, outside = np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
    members, outsiders = draw.sizes(len(inside), len(outside))
    _check("members", members, len(inside), "released")
    _check("outsiders", outsiders, len(outside), "deleted")
    chosen = np.concatenate([rng.choice(inside, members, replace=False), rng.choice(outside, outsiders, replace=False)])
    return rng.permutation(chosen)


def _check(what: str, wanted: int, there: int, how: str) -> None:
    if wanted < 1 or wanted > there:
        raise InputError(
            f"membership: {wanted} {what} were asked for, but {there} records were {how}; "
            f"choose between 1 and {there}" + ("" if there else f": a release must leave some out to ask who is {how}")
        )

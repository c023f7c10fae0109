"""Membership: the case that attackers on membership receive, and the draw of members and outsiders.

The targets are original records, some of which were left out of the release. An answer is up to k released rows, best
first, or -1 for "not a member". Truth and guess have the same form as everywhere, and the same judge scores them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from icefire.core.cache import CachedProperties
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.core.release import NO_ANSWER, Comparison, Truth


@dataclass(frozen=True, slots=True)
class MembershipCase(CachedProperties):
    """What the attacker holds: the records asked about, the released table and, where it is held, the original."""

    records: Dataset
    released: Dataset
    original: Dataset | None = None
    """Everybody the release may have been made from, the records asked about among them; None if not held."""
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def targets(self) -> int:
        """Number of questions: one per record."""
        return self.records.height

    @property
    def choices(self) -> int:
        """Number of possible answers: the released rows."""
        return self.released.height


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
    inside, outside = np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
    members, outsiders = draw.sizes(len(inside), len(outside))
    _check("members", members, len(inside), "released")
    _check("outsiders", outsiders, len(outside), "deleted")
    chosen = np.concatenate([rng.choice(inside, members, replace=False), rng.choice(outside, outsiders, replace=False)])
    rows = rng.permutation(chosen)
    case = MembershipCase(comparison.original.take(rows), comparison.released, comparison.original)
    return case, Truth(place[rows])


def _check(what: str, wanted: int, there: int, how: str) -> None:
    if wanted < 1 or wanted > there:
        raise InputError(
            f"membership: {wanted} {what} were asked for, but {there} records were {how}; "
            f"choose between 1 and {there}" + ("" if there else f": a release must leave some out to ask who is {how}")
        )

"""What an attacker achieves who knows only part of what a person bought. It needs the truth.

The question is asked for each original person: which released history is his? The candidates are the released subjects
with most of the goods known; one of them is drawn. The chance that the draw is right is exact, only what the attacker
happens to know is random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from icefire.core.history import baskets
from icefire.core.history.case import HistoryComparison
from icefire.core.scorecard.histories import KnownPart
from icefire.kernels.types import Int

SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Shares of a person's rows that are known, rounded to whole rows, at least one."""
GOODS = (1, 2, 3, 5, 10, 20)
"""Numbers of a person's goods that are known; all of them where there are fewer."""
MOST_PEOPLE = 10_000
"""Of more people so many, drawn at random, are asked about."""
SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


def curve(comparison: HistoryComparison, rng: np.random.Generator, most: int = MOST_PEOPLE) -> list[KnownPart]:
    """Return the rate for every share of the rows and every number of goods; people without rows are not asked about.

    What is known at one point is also known at the next. A person who was not released is never picked.
    """
    original, known = comparison.original, comparison.case.known_baskets
    people = np.flatnonzero(known.sizes > 0)
    if len(people) > most:
        people = np.sort(rng.permutation(people)[:most])
    rows = _Known.draw(original.codes, comparison.case.coded[0], people, rng)
    goods = _Known.draw(known.owners, known.items, people, rng)
    asked = _Asked(comparison, people)
    shares = [asked.point("share", share, rows, np.rint(share * rows.counts)) for share in SHARES]
    return shares + [asked.point("goods", count, goods, np.full(len(people), count)) for count in GOODS]


@dataclass(frozen=True, slots=True)
class _Known:
    """All that may be known about people, in a random order for each: who, the item, and its place in that order."""

    who: Int
    items: Int
    place: Int
    counts: Int

    @classmethod
    def draw(cls, subjects: Int, items: NDArray[np.integer], people: Int, rng: np.random.Generator) -> _Known:
        number = np.full(max(subjects.max(initial=-1), people.max(initial=-1)) + 1, -1)
        number[people] = np.arange(len(people))
        who = number[subjects]
        order = np.lexsort((rng.random(len(who)), who))[np.count_nonzero(who < 0) :]
        who, counts = who[order], np.bincount(who[order], minlength=len(people))
        return cls(who, items[order].astype(np.int64), np.arange(len(who)) - (np.cumsum(counts) - counts)[who], counts)


class _Asked:
    """The people asked about, and the release, laid out for looking up who has some goods."""

    def __init__(self, comparison: HistoryComparison, people: Int) -> None:
        from icefire.kernels.baskets import similarity

        shown, owners = comparison.case.released_baskets, comparison.truth.rows
        self.people, self.goods = people, shown.goods
        self.crowd = similarity.index_sets((shown.start, shown.items), shown.goods)
        order = np.argsort(owners, kind="stable")
        first, last = (np.searchsorted(owners[order], people, side) for side in SIDES)
        self.released = np.concatenate(([0], np.cumsum(last - first))).astype(np.int64)
        self.own = order[np.arange(self.released[-1]) + np.repeat(first - self.released[:-1], last - first)]

    def point(self, kind: str, amount: float, known: _Known, amounts: NDArray[Any]) -> KnownPart:
        """Ask about everybody, `told` of whose entries (at least one) are known."""
        from icefire.kernels.baskets import similarity

        inside = known.place < np.maximum(amounts, 1)[known.who]
        sets = baskets.make_baskets(known.who[inside], known.items[inside], len(self.people), self.goods)
        equals, right = similarity.count_best_overlaps(self.crowd, (sets.start, sets.items), self.released, self.own)
        rate = float((right / np.maximum(equals, 1)).sum()) / max(len(self.people), 1)
        unique = float(((equals == 1) & (right == 1)).sum()) / max(len(self.people), 1)
        return KnownPart(kind, float(amount), rate, unique, len(self.people))

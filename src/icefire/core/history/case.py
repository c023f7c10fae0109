"""Case and comparison of a history, the counterparts of those in `icefire.core.release`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from icefire.core import blocks
from icefire.core.cache import CachedProperties
from icefire.core.history import baskets
from icefire.core.history.baskets import Baskets
from icefire.core.history.history import History
from icefire.core.release import ReplayedCopy, Truth
from icefire.kernels.types import Int


@dataclass(frozen=True)
class HistoryCase(CachedProperties):
    """What the attacker holds: the history known and the released one. The targets are the released subjects."""

    known: History
    released: History
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    replayed: tuple[ReplayedCopy[History], ...] = ()
    """Where the recipe is known: the original after its steps that draw nothing."""

    @property
    def targets(self) -> int:
        """Number of questions: one per released subject."""
        return self.released.subjects

    @property
    def choices(self) -> int:
        """Number of possible answers: the subjects known."""
        return self.known.subjects

    @cached_property
    def coded(self) -> tuple[Int, Int, int]:
        """The item of every original and every released row, numbered over both files, and how many there are."""
        both = pl.concat([self.known.frame[self.known.fields.item], self.released.frame[self.known.fields.item]])
        codes = blocks.dense_ranks(both).to_numpy()
        return codes[: self.known.height], codes[self.known.height :], int(codes.max(initial=-1)) + 1

    @cached_property
    def known_baskets(self) -> Baskets:
        """The item sets of the subjects known; items are numbered over both files."""
        items, _, goods = self.coded
        return baskets.make_baskets(self.known.codes, items, self.known.subjects, goods)

    @cached_property
    def released_baskets(self) -> Baskets:
        """The item sets of the released subjects; items are numbered over both files."""
        _, items, goods = self.coded
        return baskets.make_baskets(self.released.codes, items, self.released.subjects, goods)


@dataclass(frozen=True)
class HistoryComparison:
    """What the judge compares: a case and its truth. Measures receive it; attacks never do."""

    case: HistoryCase
    truth: Truth
    """For every released subject the original one it comes from."""

    @property
    def original(self) -> History:
        """The original history."""
        return self.case.known

    @property
    def released(self) -> History:
        """The released history."""
        return self.case.released

    @cached_property
    def owners(self) -> Int:
        """The original subject of every released row."""
        return self.truth.rows[self.released.codes]

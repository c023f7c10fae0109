"""Linking: the case of an attacker who asks which pseudonyms of two periods are one person."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from icefire.core import blocks
from icefire.core.cache import CachedProperties
from icefire.core.history.baskets import Baskets, make_baskets
from icefire.core.history.history import History
from icefire.kernels.types import Int


@dataclass(frozen=True, slots=True)
class LinkingCase(CachedProperties):
    """What the attacker holds: what was released of two periods. The targets are the pseudonyms of the first.

    An answer is a pseudonym of the second period, by its number there, or -1 for somebody who is not in it.
    """

    first: History
    second: History
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def targets(self) -> int:
        """Number of questions: one per pseudonym of the first period."""
        return self.first.subjects

    @property
    def choices(self) -> int:
        """Number of possible answers: the pseudonyms of the second period."""
        return self.second.subjects

    @property
    def coded(self) -> tuple[Int, Int, int]:
        """The item of every row of both periods, numbered over both, and how many there are."""
        return self.cached("coded", self._coded)

    def _coded(self) -> tuple[Int, Int, int]:
        item = self.first.fields.item
        codes = blocks.dense_ranks(pl.concat([self.first.frame[item], self.second.frame[item]])).to_numpy()
        return codes[: self.first.height], codes[self.first.height :], int(codes.max(initial=-1)) + 1

    @property
    def baskets(self) -> tuple[Baskets, Baskets]:
        """The item sets of the pseudonyms of both periods; items are numbered over both."""
        return self.cached("baskets", self._baskets)

    def _baskets(self) -> tuple[Baskets, Baskets]:
        one, other, goods = self.coded
        return (
            make_baskets(self.first.codes, one, self.first.subjects, goods),
            make_baskets(self.second.codes, other, self.second.subjects, goods),
        )

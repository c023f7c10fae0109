"""Histories in parts: what an attack asks of an engine where two histories do not fit into one process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from icefire.core.history.baskets import Baskets
from icefire.core.parts import Side


class BasketPiece(NamedTuple):
    """The item sets of consecutive subjects; items are numbered over both histories."""

    first: int
    """Number of the first subject."""
    baskets: Baskets


class PartedHistories(Protocol):
    """Two histories held by an engine, as attacks see them; nothing in it leads to the truth."""

    @property
    def goods(self) -> int:
        """Number of different items of both histories."""

    @property
    def choices(self) -> int:
        """Number of original subjects."""

    @property
    def targets(self) -> int:
        """Number of released subjects."""

    def pieces(self, side: Side) -> Iterator[BasketPiece]:
        """Give the item sets of all subjects of one history, piece by piece, in ascending order."""

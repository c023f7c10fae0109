"""What speaks for the answers of an attack, in bits: column by column and, of a history, good by good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icefire.kernels.types import Float32, Int


@dataclass(frozen=True, slots=True)
class SharedGood:
    """A good that a released subject and the customer answered both have."""

    good: str
    """As it is called in the release."""
    agrees: Sequence[str]
    """Columns in which purchases of it agree as well, as far as they are compared."""
    bits: float


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """What speaks for the first answer about each target."""

    columns: tuple[str, ...]
    bits: Float32
    """Targets × columns: the logarithm (base 2) of how much likelier the answer is by this column."""
    goods: Sequence[Sequence[SharedGood]] = ()
    """Histories: for each target the goods that tell most, the most telling first."""

    def placed(self, order: Int) -> AnswerEvidence:
        """Return the evidence for other places: target i becomes target order[i]."""
        bits = np.empty_like(self.bits)
        bits[order] = self.bits
        if not self.goods:
            return AnswerEvidence(self.columns, bits)
        goods: list[Sequence[SharedGood]] = [()] * len(self.goods)
        for place, listed in zip(order.tolist(), self.goods, strict=True):
            goods[place] = listed
        return AnswerEvidence(self.columns, bits, goods)

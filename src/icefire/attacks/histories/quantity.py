"""The attack `quantity`: match by how many of each good were bought, or how much was paid for it."""

from __future__ import annotations

from typing import Literal

import numpy as np

from icefire.attacks.histories.matching import entry_of_rows, guess_of_best
from icefire.core.history import History, HistoryCase
from icefire.core.registry import attack
from icefire.core.release import Guess
from icefire.kernels.baskets import weighted_similarity
from icefire.kernels.types import Float, Int

UNITS = 10_000
"""Money is counted in whole ten-thousandths, so that sums are exact and equal customers are equal."""


@attack("quantity", data="history", needs=("number",), knows="how many of each good everybody bought")
def quantity(case: HistoryCase, *, rng: np.random.Generator, of: Literal["number", "money"] = "number") -> Guess:
    """Take the original customer with the most similar amounts: the smaller ones over the larger ones, summed.

    The attacker knows how many of each good everybody bought in all (`of` money: number × price). A dummy row of one
    piece hardly changes that. Success is naming the right customer. Of equals the first in the list is named; the
    judge also gets the exact expectation under a draw among them.

    Args:
        case: What the attacker holds: the original history and the released one.
        rng: Unused; part of every attack's signature.
        of: What is compared for each good: the "number" bought, or the "money" paid.

    Returns:
        One original customer per released one, -1 for no answer, and all who fit as well.
    """
    original, released, goods = case.coded
    known = (case.known_baskets.start, case.known_baskets.items, _amounts(case.known, original, goods, of))
    shown = (case.released_baskets.start, case.released_baskets.items, _amounts(case.released, released, goods, of))
    return guess_of_best(weighted_similarity.best_weighted_matches(known, shown, goods, "amounts"))


def _amounts(history: History, items: Int, goods: int, of: str) -> Float:
    """The amount of every entry of the baskets: subjects ascending, in each the goods ascending."""
    per_row = history.numbers * history.prices * UNITS if of == "money" else history.numbers
    return np.bincount(entry_of_rows(history, items, goods), weights=np.maximum(np.rint(per_row), 1.0)).astype(
        np.float64
    )

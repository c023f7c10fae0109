"""The attack `jaccard`, Algorithm 1 of the purchase-history paper: the most similar set of goods."""

from __future__ import annotations

import numpy as np

from icefire.attacks.histories.matching import most_similar
from icefire.core.history import HistoryCase
from icefire.core.registry import attack
from icefire.core.release import Guess


@attack("jaccard", data="history", knows="the set of goods of everybody, not when or how many were bought")
def jaccard(case: HistoryCase, *, rng: np.random.Generator) -> Guess:
    """Take the original customer whose set of goods is most similar by Jaccard.

    The attacker knows which goods everybody bought, not when, how many or at what price. Success is naming the right
    customer. Of equally similar customers the first in the list is named; the judge also gets the exact expectation
    under a draw among them. With a customer who shares no good with anybody, all are equally similar.

    Args:
        case: What the attacker holds: the original history and the released one.
        rng: Unused; part of every attack's signature.

    Returns:
        One original customer per released one, and all who are as similar.
    """
    return most_similar(case.known_baskets, case.released_baskets)

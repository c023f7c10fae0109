"""The attack `jaccard`, Algorithm 1 of the purchase-history paper: the most similar set of goods."""

from __future__ import annotations

import numpy as np

from icefire.attacks.histories.matching import most_similar
from icefire.attacks.histories.matching_in_parts import most_similar_in_parts
from icefire.core.history import HistoryCase
from icefire.core.history.parts import PartedHistories
from icefire.core.registry import attack
from icefire.core.release import Guess


def _in_parts(histories: PartedHistories, *, rng: np.random.Generator) -> Guess:
    return most_similar_in_parts(histories)


@attack(
    "jaccard",
    data="history",
    knows="the set of goods of everybody, not when or how many were bought",
    in_parts=_in_parts,
)
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

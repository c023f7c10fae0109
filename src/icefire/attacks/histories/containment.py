"""The attack `containment`: the customer whose goods are most fully in the released set, which may hold more."""

from __future__ import annotations

import numpy as np

from icefire.attacks.histories.matching import best_match
from icefire.core.history import HistoryCase
from icefire.core.registry import attack
from icefire.core.release import Guess


@attack("containment", data="history", knows="the set of goods of everybody, and that rows may have been added")
def containment(case: HistoryCase, *, rng: np.random.Generator) -> Guess:
    """Take the original customer whose goods are most fully contained in the released set.

    The attacker knows which goods everybody bought (A), and that the released set (B) may hold more: he ranks by
    |A ∩ B| / |A|, among equals by Jaccard. Success is naming the right customer. Of equals the first in the list is
    named; the judge also gets the exact expectation under a draw among them.

    Args:
        case: What the attacker holds: the original history and the released one.
        rng: Unused; part of every attack's signature.

    Returns:
        One original customer per released one, -1 for no answer, and all who fit as well.
    """
    return best_match(case.known_baskets, case.released_baskets, "contained")

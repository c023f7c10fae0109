"""The attack `tfidf`: the highest cosine of TF-IDF weights, in which rare goods weigh more."""

from __future__ import annotations

import numpy as np

from icefire.attacks.histories.matching import guess_of_best
from icefire.core.history import HistoryCase
from icefire.core.registry import attack
from icefire.core.release import Guess
from icefire.kernels.baskets import weighted_similarity


@attack("tfidf", data="history", knows="the set of goods of everybody, and trusts rare goods more than frequent ones")
def tfidf(case: HistoryCase, *, rng: np.random.Generator) -> Guess:
    """Take the original customer with the most similar TF-IDF weights by cosine.

    The attacker knows which goods everybody bought. Each good of a customer with s goods weighs (ln(n / d) + 1) / s,
    where d of n original customers have it. Success is naming the right customer. Of equals the first in the list is
    named; the judge also gets the exact expectation under a draw among them.

    Args:
        case: What the attacker holds: the original history and the released one.
        rng: Unused; part of every attack's signature.

    Returns:
        One original customer per released one, -1 for no answer, and all who fit as well.
    """
    known, shown = case.known_baskets, case.released_baskets
    # The share 1 / s of a good is the same for all goods of a customer, and the cosine does not see it.
    weight = np.log(known.subjects / np.maximum(known.buyers, 1)) + 1.0
    before, after = ((side.start, side.items, weight[side.items]) for side in (known, shown))
    return guess_of_best(weighted_similarity.best_weighted_matches(before, after, known.goods, "cosine", groups=True))

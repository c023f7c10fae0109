"""The attack `match_baskets`: pseudonyms of two periods that share rare goods."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.attacks.histories.linking.assigning import assign_pairs
from icefire.core.linking import LinkingCase
from icefire.core.parameters import Bounds
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Guess
from icefire.kernels.baskets.shared_items import most_shared


@attack(
    "match_baskets",
    data="history",
    question="linking",
    knows="the release alone, and compares the goods of pseudonyms",
)
def match_baskets(case: LinkingCase, *, rng: np.random.Generator, kept: Annotated[int, Bounds(1)] = 64) -> Guess:
    """Link pseudonyms of two periods by the goods they share, rare ones counting more.

    The attacker knows the release alone. Each good weighs ln(pseudonyms / pseudonyms that have it) + a little; two
    pseudonyms are as similar as the weight they share over the root of both weights. They are assigned one to one so
    that the total is largest. Success is naming a pseudonym of the same person.

    Args:
        case: What was released of two periods.
        rng: Unused; part of every attack's signature.
        kept: How many of the most similar pseudonyms each may get.

    Returns:
        One pseudonym of the second period for each of the first; no answer where no good is shared.
    """
    one, other = case.baskets
    weights = np.log((case.targets + case.choices) / np.maximum(one.buyers + other.buyers, 1)) + 0.01
    pairs, scores = most_shared((one.start, one.items), (other.start, other.items), weights, min(kept, case.choices))
    own = np.bincount(one.owners, weights[one.items], minlength=case.targets)
    worth = scores / np.sqrt(np.maximum(own, 1e-300))[:, None]
    place = assign_pairs(pairs, worth, case.choices)
    return Guess(np.where(place >= 0, pairs[np.arange(len(pairs)), place], NO_ANSWER))

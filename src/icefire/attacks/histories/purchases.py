"""The attack `purchases`: match by the number and the price of each good bought."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.attacks.histories.matching import best_match, joint_numbers, joint_sets
from icefire.core.history import HistoryCase
from icefire.core.registry import attack
from icefire.core.release import Guess


@attack(
    "purchases",
    data="history",
    needs=("number",),
    knows="how many of each good everybody bought at a time and at what price, not when",
)
def purchases(case: HistoryCase, *, rng: np.random.Generator) -> Guess:
    """Take the original customer whose (good, number, price) triples are most fully contained in the released ones.

    The attacker knows what everybody bought, how many at a time and at what price, but not when; among customers
    contained as fully he takes the most similar by Jaccard. Added rows, however plausible, do not disturb him as long
    as the real ones are left as they are. Success is naming the right customer. Of equals the first in the list is
    named; the judge also gets the exact expectation under a draw among them.

    Args:
        case: What the attacker holds: the original history and the released one.
        rng: Unused; part of every attack's signature.

    Returns:
        One original customer per released one, -1 for no answer, and all who fit as well.
    """
    original, released = case.known, case.released
    triples = (
        (case.coded[0], case.coded[1]),
        (original.numbers, released.numbers),
        (original.prices, released.prices),
    )
    columns = [(pl.Series(before), pl.Series(after)) for before, after in triples]
    return best_match(*joint_sets(case, *joint_numbers(case, *columns)), "contained")

"""The attack `assignment`: one-to-one assignment of original customers to released ones by Jaccard."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.attacks.histories.matching import most_similar
from icefire.core.history import HistoryCase
from icefire.core.parameters import Bounds
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Guess
from icefire.kernels.assignment import auction
from icefire.kernels.baskets import top_matches

ALL_PAIRS = 1_000
"""Number of original customers up to which every pair that shares a good may be assigned."""


@attack(
    "assignment",
    data="history",
    knows="the set of goods of everybody, and that nobody was released twice",
)
def assignment(case: HistoryCase, *, rng: np.random.Generator, most: Annotated[int, Bounds(1)] = 64) -> Guess:
    """Assign original customers one to one so that the total Jaccard is as large as possible.

    The attacker knows which goods everybody bought, and that every original customer was released at most once.
    Success is naming the right customer. The total is within 0.0001 per customer of the largest. With more than 1,000
    original customers each released one may get only one of the `most` most similar. One for whom nobody is left is
    answered as by `jaccard`.

    Args:
        case: What the attacker holds: the original history and the released one.
        rng: Unused; part of every attack's signature.
        most: How many of the most similar customers each released one may get, in a large history.

    Returns:
        One original customer per released one.
    """
    known, shown = case.known_baskets, case.released_baskets
    choices = known.subjects if known.subjects <= ALL_PAIRS else most
    pairs = top_matches.top_matches((known.start, known.items), (shown.start, shown.items), known.goods, choices)
    given = auction.assign(*pairs, known.subjects)
    return Guess(np.where(given == NO_ANSWER, most_similar(known, shown).first, given))

"""The attack `receipts`: match by receipt numbers that were left in the release."""

from __future__ import annotations

import numpy as np

from icefire.attacks.answers import no_answers
from icefire.attacks.histories.matching import best_match, joint_numbers, joint_sets
from icefire.core.history import HistoryCase
from icefire.core.registry import attack
from icefire.core.release import Guess


@attack("receipts", data="history", needs=("receipt",), knows="the numbers of everybody's receipts")
def receipts(case: HistoryCase, *, rng: np.random.Generator) -> Guess:
    """Take the original customer whose receipt numbers overlap most, by Jaccard.

    The attacker knows the receipt numbers of everybody, from a till, an inbox or a waste-paper basket. Success is
    naming the right customer. Of equals the first in the list is named; the judge also gets the exact expectation
    under a draw among them. Where no number occurs in the original there is no answer.

    Args:
        case: What the attacker holds: the original history and the released one.
        rng: Unused; part of every attack's signature.

    Returns:
        One original customer per released one, -1 for no answer, and all who fit as well.
    """
    known, shown = (history.column("receipt") for history in (case.known, case.released))
    if known is None or shown is None:
        return no_answers(case.targets)
    return best_match(*joint_sets(case, *joint_numbers(case, (known, shown))))

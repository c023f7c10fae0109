"""The attack `dummy_aware`: estimate which released rows were added, and match the others."""

from __future__ import annotations

import numpy as np

from icefire.attacks.histories import evidence
from icefire.attacks.histories.clusters import find_clusters
from icefire.attacks.histories.matching import most_similar
from icefire.core.history import HistoryCase
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Guess
from icefire.kernels.assignment import auction
from icefire.kernels.baskets import evidence as basket_evidence

SLACK, MOST, STEP = 30.0, 64, 0.05
"""Customers who explain a release e³⁰ times worse than the best are no choice; at most 64 are; prices rise by 0.05."""
CROWD = 512
"""Members of larger clusters are not proposed to one another."""
LEAST_LOST, MOST_LOST = 0.002, 0.5


@attack(
    "dummy_aware",
    data="history",
    knows="what everybody bought and what real rows look like, and recognises rows that were added",
)
def dummy_aware(case: HistoryCase, *, rng: np.random.Generator, one_to_one: bool = True) -> Guess:
    """Recognise the rows that were added, discount them, and match what is left.

    The attacker knows which goods everybody bought, and what real rows look like in all: how often a good is bought
    again, how many pieces at a time, at which price, how much of it on a customer's last receipt. Looks that have
    become more frequent in the release (number 1, on the last receipt, at the latest price) give the added rows away,
    whatever rule made them; a good bought twice is real. Every original customer is scored by how well he explains
    which of the released goods are real and which were added; with `one_to_one` everybody is given once. Success is
    naming the right customer; where nothing was recognised the answer is that of `jaccard`.

    Args:
        case: What the attacker holds: the original history and the released one.
        rng: Unused; part of every attack's signature.
        one_to_one: Whether every original customer is given to one released customer at most.

    Returns:
        One original customer per released one.
    """
    known, shown = case.known_baskets, case.released_baskets
    clusters = find_clusters(case)
    lost = min(max(1.0 - clusters.covered, LEAST_LOST), MOST_LOST)
    explanations = basket_evidence.best_explanations(
        (known.start, known.items),
        (shown.start, shown.items, evidence.weights(case)),
        clusters.originals(CROWD),
        known.goods,
        missing=-np.log(lost),
        slack=SLACK,
        most=MOST,
    )
    sizes = np.diff(explanations.ends)
    answers = np.append(explanations.sets, NO_ANSWER)[np.where(sizes > 0, explanations.ends[:-1], -1)]
    if one_to_one:
        given = auction.assign(*explanations, known.subjects, STEP)
        answers = np.where(given == NO_ANSWER, answers, given)
    return Guess(np.where(answers == NO_ANSWER, most_similar(known, shown).first, answers))

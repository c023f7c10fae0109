"""The attack whose success the paper's theory predicts: find the cluster, then draw."""

from __future__ import annotations

import numpy as np

from icefire.attacks.histories.clusters import recognised
from icefire.core.blocks import Candidates
from icefire.core.history import HistoryCase
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Guess


@attack(
    "random_in_cluster",
    data="history",
    knows="the set of goods of everybody, sees who was made equal, and draws among those they were made from",
)
def random_in_cluster(case: HistoryCase, *, rng: np.random.Generator) -> Guess:
    """Find the clusters of customers who were made equal, and draw one of the original customers of the cluster.

    The attacker knows which goods everybody bought. Released customers with equal sets are a cluster; an original
    customer belongs to the cluster whose set holds most of his goods, among such to the smallest set that has a seat
    left. Success is drawing the right customer; a cluster nobody belongs to gets no answer. The judge also gets the
    exact expectation: the number of clusters over the number of customers where every cluster was recognised.

    Args:
        case: What the attacker holds: the original history and the released one.
        rng: The generator of the draws.

    Returns:
        One original customer per released one, -1 for no answer, and the candidates it was drawn from.
    """
    people, start, stop = recognised(case).originals()
    candidates = Candidates(people, start, stop)
    drawn = candidates.start + (rng.random(case.targets) * candidates.sizes).astype(np.int64)
    answers = np.append(people, NO_ANSWER)[np.minimum(drawn, len(people))]
    return Guess(np.where(candidates.sizes > 0, answers, NO_ANSWER), candidates)

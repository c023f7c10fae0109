"""The attack `random_in_cluster`: find the cluster of equal customers, then draw one; its rate has a formula."""

from __future__ import annotations

import numpy as np

from icefire.attacks.answers import draw_answers
from icefire.attacks.histories.clusters import find_clusters
from icefire.core.blocks import Candidates
from icefire.core.history import HistoryCase
from icefire.core.registry import attack
from icefire.core.release import Guess


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
    return draw_answers(Candidates(*find_clusters(case).originals()), rng)

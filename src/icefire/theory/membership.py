"""The expected score of an attacker who is not sure whether a record is a member.

The score is that of PWS Cup 2021: recall · precision · share of members whose row was found, a little added to each
factor in the final round.
"""

from __future__ import annotations

import numpy as np

from icefire.core.errors import ParameterError
from icefire.kernels.types import Bool, Float

DELTA = 0.01
"""What the final round adds to each factor."""


def expected_score(
    chance: float,
    included: bool,
    *,
    others: float = 0.3,
    precision: float = 0.5,
    targets: int = 100,
    delta: float = DELTA,
) -> float:
    """Return the score to expect if one more record is answered (`included`), or is said to be no member.

    `chance` is how probably its row is among the answers, `others` the same of the other records, all of which are
    answered; `precision` is the share of members among those answered, which one record does not change. Answering
    then never costs: even without a chance it gains (precision + delta) · delta · (1 - others) / targets.
    """
    for name, share in (("chance", chance), ("others", others), ("precision", precision)):
        if not 0 <= share <= 1:
            raise ParameterError(f"{name} is {share}; it is a share between 0 and 1, for example 0.3")
    if targets < 1:
        raise ParameterError(f"targets is {targets}; at least 1 record is asked about")
    if included:
        recall, hit_share = 1.0, ((targets - 1) * others + chance) / targets
    else:
        recall, hit_share = (targets - 1) / targets, others
    return (recall + delta) * (precision + delta) * (hit_share + delta)


def worth_claiming(member: Float, row_named: Float, delta: float = DELTA) -> Bool:
    """Tell which records to call members so that the expected score is largest.

    `member` is the probability that each is one, `row_named` the probability that its row is then among the answers.
    The likeliest members are called so, as many as give the largest score.
    """
    order = np.argsort(-member, kind="stable")
    inside, hit = np.cumsum(member[order]), np.cumsum((member * row_named)[order])
    members = max(float(member.sum()), np.finfo(np.float64).tiny)
    said = np.arange(1, len(order) + 1)
    scores = (inside / members + delta) * (inside / said + delta) * (hit / members + delta)
    claimed = np.zeros(len(order), np.bool_)
    claimed[order[: scores.argmax() + 1 if len(order) else 0]] = True
    return claimed

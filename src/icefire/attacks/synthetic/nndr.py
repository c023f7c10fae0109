"""The attack `nndr`: how much closer the closest released row is than the second."""

from __future__ import annotations

import numpy as np

from icefire.core.membership import MembershipCase
from icefire.core.registry import attack
from icefire.core.release import Guess
from icefire.kernels.types import Float


@attack("nndr", question="membership", release="synthetic", knows="all values of the people asked about")
def nndr(case: MembershipCase, *, rng: np.random.Generator) -> Guess:
    """Score people by the ratio of the distances to the closest and the second closest released row.

    The attacker knows all values of the people asked about; success is to give members higher scores than others. A
    copy of a person stands out from the released rows around it, also where people are far from one another. A ratio of
    0 to 0 (two released rows equal to the person) counts 1.

    Args:
        case: What the attacker holds: the people asked about and the released table.
        rng: Unused; part of every attack's signature.

    Returns:
        A score per person: the ratio with a minus sign.
    """
    distances = case.nearest_released(2).distances
    return Guess.by_scores(-_ratio(distances[:, 0], distances[:, 1]))


def _ratio(first: Float, second: Float) -> Float:
    ratio: Float = np.divide(first, second, out=np.ones(len(first)), where=(second > 0) & np.isfinite(second))
    return ratio

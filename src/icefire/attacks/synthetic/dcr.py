"""The attack `dcr`: the distance to the closest released row."""

from __future__ import annotations

import numpy as np

from icefire.core.membership import MembershipCase
from icefire.core.registry import attack
from icefire.core.release import Guess


@attack("dcr", question="membership", release="synthetic", knows="all values of the people asked about")
def dcr(case: MembershipCase, *, rng: np.random.Generator) -> Guess:
    """Score people by the distance to the closest released row: the nearer, the likelier a member.

    The attacker knows all values of the people asked about; success is to give members higher scores than others. A
    method that remembers its training data puts synthetic rows nearer to these people than to others of the same
    population. Numbers are divided by the interquartile range, unequal text counts 1.

    Args:
        case: What the attacker holds: the people asked about and the released table.
        rng: Unused; part of every attack's signature.

    Returns:
        A score per person: the distance with a minus sign.
    """
    return Guess.by_scores(-case.nearest_released(1).distances[:, 0])

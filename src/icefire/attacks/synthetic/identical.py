"""The attack `identical`: is there a released row equal to the person, or nearly so?"""

from __future__ import annotations

import numpy as np

from icefire.core.membership import MembershipCase
from icefire.core.registry import attack
from icefire.core.release import Guess

NEAR = 0.1
"""A row is nearly equal to a person if it is nearer than this part of the distance to the nearest other person."""


@attack("identical", question="membership", release="synthetic", knows="all values of the people asked about")
def identical(case: MembershipCase, *, rng: np.random.Generator) -> Guess:
    """Take people for members who are in the release word for word, or nearly so.

    The attacker knows all values of the people asked about; success is to name members and nobody else. A released row
    is nearly equal to a person if its distance is less than a tenth of the distance from that person to the nearest
    other person known.

    Args:
        case: What the attacker holds: the people asked about and the released table.
        rng: Unused; part of every attack's signature.

    Returns:
        A score per person: 2 for an equal row, 1 for a nearly equal one, 0 otherwise.
    """
    closest = case.nearest_released(1).distances[:, 0]
    # At most as near as the nearest other person; nobody known leaves an infinite distance, which tells nothing.
    other = case.nearest_in_background(1).distances[:, 0]
    near = np.isfinite(other) & (closest < NEAR * other)
    return Guess.by_scores(np.where(closest == 0, 2.0, near.astype(np.float64)))

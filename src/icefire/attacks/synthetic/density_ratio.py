"""The attack `density_ratio`: density of the release around a person against that of a background."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.core.membership import MembershipCase
from icefire.core.parameters import Bounds
from icefire.core.registry import attack
from icefire.core.release import Guess
from icefire.kernels.types import Float

LEAST = 1e-9
"""Smaller distances count as this, so that densities stay finite."""


@attack(
    "density_ratio",
    question="membership",
    release="synthetic",
    knows="all values of the people asked about, and other people of the same population",
)
def density_ratio(case: MembershipCase, *, rng: np.random.Generator, k: Annotated[int, Bounds(1)] = 5) -> Guess:
    """Score people by the density of released rows around them, less that of people who are not in the data.

    The attacker knows all values of the people asked about, and other people of the same population; success is to give
    members higher scores than others. A release is dense where the population is; where it is denser than that, it
    remembers somebody. Densities are estimated by the distance to the k-th nearest row, on a logarithmic scale. Without
    a background the other people asked about serve as one.

    Args:
        case: What the attacker holds: the people asked about, the released table and a background.
        rng: Unused; part of every attack's signature.
        k: Which neighbour the densities are estimated by.

    Returns:
        A score per person: the difference of the logarithms of both densities.
    """
    around = case.released.height, case.nearest_released(k).distances
    others = case.background.height if case.background is not None else case.targets - 1
    columns = max(len(case.compared), 1)
    ratio = _log_density(*around, columns) - _log_density(others, case.nearest_in_background(k).distances, columns)
    return Guess.by_scores(ratio)


def _log_density(rows: int, distances: Float, columns: int) -> Float:
    """Logarithm of the k-NN density but for a constant; 0 everywhere without rows."""
    if rows < 1:
        return np.zeros(len(distances))
    used = min(rows, distances.shape[1])
    density: Float = np.log(used / rows) - columns * np.log(np.maximum(distances[:, used - 1], LEAST))
    return density

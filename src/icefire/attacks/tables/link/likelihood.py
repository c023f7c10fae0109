"""How well an original explains a release: the likelihood that decides between several originals."""

from __future__ import annotations

import numpy as np

from icefire.attacks.tables.link import learning
from icefire.attacks.tables.link.columns import shared_columns
from icefire.attacks.tables.link.ordering import compared_names
from icefire.core.release import Case

LEVELS = 128
SAMPLE = 200
"""Released rows that are to be explained."""
PAIRS = 1 << 23
"""Pairs held at once."""


def log_likelihood(case: Case, rng: np.random.Generator) -> float:
    """Return the log-likelihood per released row, above chance, of the channels that explain the release best.

    Args:
        case: The original in question and the release.
        rng: Source of the sample. Cases of one release compare only if the generators begin in the same state.
    """
    columns = shared_columns(case.known.frame, case.released.frame, compared_names(case), LEVELS)
    if not columns:
        return 0.0
    size = min(case.targets, SAMPLE, max(16, PAIRS // case.choices))
    sample = np.sort(rng.permutation(case.targets)[:size])
    return learning.learn(columns, sample, None, rng).gain

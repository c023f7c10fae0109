"""One pseudonym of the second period for each of the first, no pseudonym twice."""

from __future__ import annotations

import numpy as np

from icefire.kernels.assignment import auction
from icefire.kernels.types import Float, Int

STEP = 1e-3


def assign_pairs(pairs: Int, worth: Float, choices: int) -> Int:
    """Assign one to one so that the total worth is largest, up to a small step each.

    Args:
        pairs: For each target the pseudonyms it may get, -1 for none.
        worth: What each is worth; any number, only differences count.
        choices: Number of pseudonyms.

    Returns:
        The place of the pseudonym in the row of each target, -1 where none is left.
    """
    if not pairs.size or not (pairs >= 0).any():
        return np.full(len(pairs), -1)
    allowed = pairs >= 0
    # Being assigned at all is worth more than any difference: as many get a pseudonym as can.
    low, high = worth[allowed].min(), worth[allowed].max()
    lifted = np.where(allowed, worth - low + (high - low) + 1.0, -1.0)
    ends = np.arange(len(pairs) + 1, dtype=np.int64) * pairs.shape[1]
    given = auction.assign(ends, np.maximum(pairs, 0).ravel(), lifted.ravel(), choices, STEP)
    matches = (pairs == given[:, None]) & (given >= 0)[:, None]
    return np.where(matches.any(axis=1), matches.argmax(axis=1), -1)

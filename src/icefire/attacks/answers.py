"""Answers that several attacks give: one drawn among candidates, or none."""

from __future__ import annotations

import numpy as np

from icefire.core.blocks import Candidates
from icefire.core.release import NO_ANSWER, Guess


def draw_answers(candidates: Candidates, rng: np.random.Generator) -> Guess:
    """Draw one candidate for each target; a target without any gets no answer."""
    sizes = candidates.sizes
    drawn = candidates.start + (rng.random(len(sizes)) * sizes).astype(np.int64)
    rows = np.append(candidates.rows, NO_ANSWER)[np.minimum(drawn, len(candidates.rows))]
    return Guess(np.where(sizes > 0, rows, NO_ANSWER), candidates)


def no_answers(targets: int) -> Guess:
    """Give no answer to any target."""
    return Guess(np.full(targets, NO_ANSWER, np.int64))

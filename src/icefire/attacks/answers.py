"""Answers that several attacks give: one drawn among candidates, or none."""

from __future__ import annotations

import numpy as np

from icefire.core.blocks import Candidates
from icefire.core.release import NO_ANSWER, Guess
from icefire.kernels.types import Float, Int


def draw_answers(candidates: Candidates, rng: np.random.Generator) -> Guess:
    """Draw one candidate for each target; a target without any gets no answer."""
    return Guess(drawn_rows(candidates, rng.random(len(candidates.start))), candidates)


def drawn_rows(candidates: Candidates, draws: Float) -> Int:
    """Return the candidate that each target's draw, 0 to 1, falls on; -1 for a target without any."""
    sizes = candidates.sizes
    drawn = candidates.start + (draws * sizes).astype(np.int64)
    rows = np.append(candidates.rows, NO_ANSWER)[np.minimum(drawn, len(candidates.rows))]
    return np.where(sizes > 0, rows, NO_ANSWER)


def no_answers(targets: int) -> Guess:
    """Give no answer to any target."""
    return Guess(np.full(targets, NO_ANSWER, np.int64))

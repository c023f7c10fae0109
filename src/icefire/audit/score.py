"""The verb `score`: score a guess against the truth."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from icefire.audit import correspondence, judge
from icefire.core.release import Guess, Truth
from icefire.core.scorecard.scores import Score
from icefire.io import folder


def score(
    truth: str | Path | ArrayLike | Truth,
    guess: str | Path | ArrayLike | Guess,
    *,
    originals: int | None = None,
    of: int | None = None,
) -> Score:
    """Score a guess against the truth: ratio, interval, and recall, precision and top-k where they apply.

    Args:
        truth: The right row for each target, -1 for none: a file, integers, or a `Truth`.
        guess: One or more rows for each target, best first: a file, integers, or a `Guess`.
        originals: Number of rows to choose from, for the rate of random guesses. Default: the number of targets.
        of: Denominator of the rate. Default: the number of targets.

    Returns:
        The score.

    Raises:
        InputError: If a file cannot be read, or truth and guess have different lengths.
    """
    known = correspondence.as_truth(truth)
    if not isinstance(guess, Guess):
        rows = folder.read_guess(guess) if isinstance(guess, str | os.PathLike) else np.asarray(guess, np.int64)
        guess = Guess(rows)
    return judge.score(known, guess, originals, of)

"""The verb `score`: score a guess against the truth."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from icefire.audit import correspondence, judge
from icefire.core.errors import InputError
from icefire.core.release import Guess, Truth
from icefire.core.scorecard.scores import Score
from icefire.io import folder
from icefire.kernels.types import Int


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
    answers = guess if isinstance(guess, Guess) else Guess(_answers(guess))
    return judge.score(known, answers, originals, of)


def _answers(guess: str | Path | ArrayLike) -> Int:
    if isinstance(guess, str | os.PathLike):
        return folder.read_guess(guess)
    rows = np.asarray(guess)
    if rows.dtype.kind not in "iu":
        raise InputError(f"the guess holds {rows.dtype} values; give whole numbers, -1 for no answer")
    return rows.astype(np.int64)

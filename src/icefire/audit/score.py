"""The verb `score`: score a guess against the truth."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from icefire.audit import correspondence, judge
from icefire.audit.scores import answers_judged
from icefire.core.errors import InputError
from icefire.core.release import NO_ANSWER, Guess, Truth
from icefire.core.scorecard.scores import Score
from icefire.io import folder
from icefire.kernels.types import Float, Int


def score(
    truth: str | Path | ArrayLike | Truth,
    guess: str | Path | ArrayLike | Guess,
    *,
    originals: int | None = None,
    of: int | None = None,
    scores: bool = False,
) -> Score:
    """Score a guess against the truth: ratio, interval, and recall, precision and top-k where they apply.

    Args:
        truth: The right row for each target, -1 for none: a file, integers, or a `Truth`.
        guess: One or more rows for each target, best first: a file, integers, or a `Guess`.
        originals: Number of rows to choose from, for the rate of random guesses. Default: the number of targets.
        of: Denominator of the rate. Default: the number of targets.
        scores: The guess holds one score of membership for each target instead, any finite number, the higher the
            likelier a member; -1 in the truth is an outsider. A `Guess` that has scores says so itself.

    Returns:
        The score. Of scores of membership `scores` holds AUC, TPR at low FPR, advantage and the ROC curve.

    Raises:
        InputError: If a file cannot be read, truth and guess have different lengths, or a score is not finite.
    """
    known = correspondence.as_truth(truth)
    answers = guess if isinstance(guess, Guess) else _guess(guess, scores)
    scored = judge.score(known, answers, originals, of)
    if answers.scores is None:
        return scored
    judged = answers_judged(known, answers)
    if judged is None:
        everybody = "an outsider" if (known.rows == NO_ANSWER).all() else "a member"
        raise InputError(
            f"scores of membership need members and outsiders, but in the truth everybody is {everybody}; give the row "
            "of each member and -1 for each outsider"
        )
    if answers.names_rows:
        return msgspec.structs.replace(scored, scores=judged)
    return msgspec.structs.replace(
        scored, scores=judged, membership=None, recall=None, precision=None, top_k=None, expected=None
    )


def _guess(guess: str | Path | ArrayLike, by_scores: bool) -> Guess:
    return Guess.by_scores(_scores(guess)) if by_scores else Guess(_answers(guess))


def _answers(guess: str | Path | ArrayLike) -> Int:
    if isinstance(guess, str | os.PathLike):
        return folder.read_guess(guess)
    rows = np.asarray(guess)
    if rows.dtype.kind not in "iu":
        raise InputError(
            f"the guess holds {rows.dtype} values; give whole numbers, -1 for no answer; scores of membership are "
            "named by --scores"
        )
    return rows.astype(np.int64)


def _scores(guess: str | Path | ArrayLike) -> Float:
    if isinstance(guess, str | os.PathLike):
        return folder.read_scores(guess)
    values = np.asarray(guess)
    if values.dtype.kind not in "iufb" or values.ndim != 1:
        raise InputError(
            f"the scores are {values.ndim}-dimensional {values.dtype} values; give one number for each target"
        )
    return values.astype(np.float64)

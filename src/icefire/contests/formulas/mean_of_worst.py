"""The score of PWS Cup 2016 and 2017: the mean of the worst error and the best attack; smaller is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from icefire.contests.common.game import SECURITY


def score_parts(errors: Mapping[str, float], security: float) -> dict[str, float]:
    """Half of the worst error and half of the best attack's rate: their sum, the score, is the mean of both."""
    worst = max(errors, key=lambda name: errors[name])
    return {worst: errors[worst] / 2, SECURITY: security / 2}


def figures(utilities: Sequence[str], values: Mapping[str, float | None], security: float) -> dict[str, float]:
    """Return the worst of the errors, the best attack's rate and the score; none where an error is undefined."""
    errors = {name: value for name in utilities if (value := values.get(name)) is not None}
    if not errors or any(name in values for name in utilities if name not in errors):
        return {}
    score = sum(score_parts(errors, security).values())
    return {"utility": max(errors.values()), SECURITY: security, "score": score}
